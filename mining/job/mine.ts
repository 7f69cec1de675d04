/** One run over a live source: every community's new posts, the removal checks, and the cards of it all. */
import {
  type CommunityState,
  communityStates,
  saveFailedReading,
  setSourcePause,
  sourcePause,
} from "../../db/corpus/communities.ts";
import { unlessAborted } from "../../core/deadline.ts";
import { lastRun, type MiningRun, noteRun } from "../../db/corpus/runs.ts";
import type { LanguageModel } from "../../model/mod.ts";
import type { RefreshResult } from "../cards/refresh.ts";
import type { Registry } from "../communities/registry.ts";
import { checkPosts, dueForCheck } from "../removal/check.ts";
import { LOOKUP_BATCH } from "../removal/policy.ts";
import type { Source } from "../sources/types.ts";
import { CLOSED_MS, Failures, pauseAfter, reasonOf } from "./failures.ts";
import type { MinerDeps, MiningSession } from "../session.ts";
import { mineAlone } from "./miner.ts";
import { freshModelReport, withModel } from "./language_model.ts";
import { readCommunity } from "./read.ts";
import { readAgain } from "./reread.ts";
import { freshReport, type MineReport } from "./report.ts";

export interface MineDeps extends MinerDeps {
  readonly source: Source;
  readonly registry: Registry;
  /** The key of the authors' hashes, as it is when a run begins. Hex. */
  readonly hashKey: () => Promise<string>;
  /** Reads what was mined and writes the cards' words; null where none is configured. */
  readonly model: LanguageModel | null;
}

export interface MineRunOptions {
  /** Ends the run after the page or the transaction in hand, or the waiting for one; what is done stays done. */
  readonly signal: AbortSignal;
  /** How long to wait for another miner to finish; 0 gives up at once. */
  readonly patienceMs: number;
  /**
   * A run by the clock leaves a source alone that is paused, and does not repeat what another replica
   * did a moment ago. Null then, as where another process mines.
   */
  readonly scheduled: boolean;
  readonly onProgress?: (progress: Readonly<MineReport>) => void;
}

/** Runs of different replicas by the same clock are at most so far apart. */
const SAME_TICK_MS = 45_000;
/** The distance supposed before a first run. */
const USUAL_MS = 30 * 60_000;

/**
 * Mines the source once. An outage of it is in the report, not thrown. Null where nothing was to be done
 * (see `MineRunOptions`).
 * @throws LeaseLost, the database's errors.
 */
export async function mine(deps: MineDeps, options: MineRunOptions): Promise<MineReport | null> {
  const { database: { sql }, clock, source } = deps;
  if (options.scheduled) {
    const pause = await sourcePause(sql, source.name);
    if (pause !== null && pause.retryAt > clock.now()) {
      deps.log.info("the source is paused", { ...pause });
      return null;
    }
  }
  return await mineAlone<MineReport>(
    deps,
    {
      kind: "mine",
      patienceMs: options.patienceMs,
      signal: options.signal,
      skip: async () => {
        if (!options.scheduled) return false;
        const last = await lastRun(sql, "mine");
        return last !== null && clock.now().getTime() - last.startedAt.getTime() < SAME_TICK_MS;
      },
      stats: (report) => ({ ...report }),
      error: (report) => report.outage,
    },
    async (session) =>
      await new Run({ ...deps, authorHashKey: await deps.hashKey() }, options, session).go(),
  );
}

interface RunDeps extends MineDeps {
  readonly authorHashKey: string;
}

class Run {
  readonly #deps: RunDeps;
  readonly #options: MineRunOptions;
  readonly #session: MiningSession;
  readonly #report: MineReport;
  readonly #failures = new Failures();
  readonly #startedAt: Date;
  #real = false;

  constructor(deps: RunDeps, options: MineRunOptions, session: MiningSession) {
    this.#deps = deps;
    this.#options = options;
    this.#session = session;
    this.#report = freshReport(deps.registry.communities.length);
    this.#report.errors = this.#failures.counts;
    this.#startedAt = deps.clock.now();
  }

  async go(): Promise<MineReport> {
    const [deps, report] = [this.#deps, this.#report];
    const { sql } = deps.database;
    const before = await lastRun(sql, "mine", this.#session.runId);
    await this.#readAll();
    if (!this.#ended) await this.#checkAll(before);
    const { outage } = this.#failures;
    report.outage = outage === null ? null : `${outage.kind}: ${outage.message}`;
    const { signal } = this.#options;
    const made = await unlessAborted(
      signal,
      () => this.#finish(outage === null && report.read > 0),
    );
    report.interrupted = signal.aborted;
    report.cardsChanged = made?.changed ?? 0;
    await this.#pause();
    await deps.database.durable();
    report.durationMs = deps.clock.now().getTime() - this.#startedAt.getTime();
    return report;
  }

  /**
   * Makes the cards, with a language model's help where one is configured. Ended by the signal, it rejects with its
   * reason, and whoever makes cards next goes on.
   */
  async #finish(mined: boolean): Promise<RefreshResult> {
    const [{ model, registry }, report] = [this.#deps, this.#report];
    const { signal } = this.#options;
    await readAgain(this.#deps, this.#session, { registry }, signal);
    const finish: MiningSession["finish"] = (options) =>
      this.#session.finish({ mined, ...options, signal });
    if (model === null) return await finish();
    report.model = freshModelReport();
    return await withModel(
      {
        ...this.#deps,
        model,
        session: this.#session,
        context: { registry, origin: "live", checkedAt: null },
        signal,
        onCost: (usd) => report.modelUsd += usd,
      },
      report.model,
      finish,
    );
  }

  get #ended(): boolean {
    return this.#options.signal.aborted || this.#failures.outage !== null;
  }

  /** The communities in turn, the one that waits the longest first. */
  async #readAll(): Promise<void> {
    const { database: { sql }, registry, clock } = this.#deps;
    const states = await communityStates(sql);
    const stateOf = (name: string) => states.get(name.toLowerCase()) ?? null;
    const waiting = (name: string): number => stateOf(name)?.triedAt?.getTime() ?? 0;
    const names = registry.communities.map(({ name }) => name)
      .sort((a, b) => waiting(a) - waiting(b));
    for (const name of names) {
      if (this.#ended) return;
      const state = stateOf(name);
      if (state?.retryAt != null && state.retryAt > clock.now()) this.#report.closed++;
      else await this.#readOne(name, state);
      await noteRun(sql, this.#session.runId, { ...this.#report });
      this.#options.onProgress?.(this.#report);
    }
  }

  async #readOne(name: string, state: CommunityState | null): Promise<void> {
    const { database: { sql }, clock, log } = this.#deps;
    try {
      const { missed } = await readCommunity(
        {
          ...this.#deps,
          session: this.#session,
          signal: this.#options.signal,
          arrived: () => this.#arrived(),
        },
        name,
        state ?? { readTo: null, readAt: null },
        this.#report,
      );
      this.#report.read++;
      this.#failures.succeeded();
      if (!missed) return;
      this.#report.missed.push(name);
      log.warn("posts were missed: the source lists no further back", { community: name });
    } catch (thrown) {
      if (this.#options.signal.aborted) return;
      const { error, consequence } = this.#failures.note(thrown);
      const now = clock.now();
      const isClosed = consequence === "closed";
      if (isClosed) this.#report.closed++;
      const retryAt = new Date(now.getTime() + CLOSED_MS);
      const closed = isClosed ? { reason: reasonOf(error), retryAt } : null;
      await saveFailedReading(sql, name, now, closed);
      const fields = { community: name, kind: error.kind, reason: error.message };
      log.warn(
        isClosed ? "a community is closed to us for a day" : "a community was not read",
        fields,
      );
    }
  }

  /** Something was read: with it the corpus is a real one, and its clock is the wall's. */
  async #arrived(): Promise<void> {
    if (!this.#real) await this.#session.makeReal("wall");
    this.#real = true;
  }

  /** Looks due posts up, until the source fails twice in a row. */
  async #checkAll(before: MiningRun | null): Promise<void> {
    const { registry } = this.#deps;
    const startedAt = this.#startedAt;
    const deps = {
      ...this.#deps,
      signal: this.#options.signal,
      context: { registry, origin: "live", checkedAt: null } as const,
    };
    const elapsedMs = before === null ? USUAL_MS : startedAt.getTime() - before.startedAt.getTime();
    const due = await dueForCheck(deps, { elapsedMs, requests: this.#report.pages, startedAt });
    let failed = 0;
    for (let start = 0; start < due.length && failed < 2 && !this.#ended; start += LOOKUP_BATCH) {
      try {
        await checkPosts(deps, this.#session, due.slice(start, start + LOOKUP_BATCH), this.#report);
        this.#failures.succeeded();
        failed = 0;
      } catch (thrown) {
        if (this.#options.signal.aborted) return;
        const { error } = this.#failures.note(thrown);
        failed++;
        const { kind, message: reason } = error;
        this.#deps.log.warn("posts could not be looked up", { kind, reason });
      }
      this.#options.onProgress?.(this.#report);
    }
  }

  /** After a broken run the source is left alone for longer and longer; a whole one ends that. */
  async #pause(): Promise<void> {
    const { database: { sql }, source, clock, log } = this.#deps;
    const { outage } = this.#failures;
    const before = await sourcePause(sql, source.name);
    if (outage === null) {
      if (before !== null && this.#report.read > 0) await setSourcePause(sql, source.name, null);
      return;
    }
    const failures = (before?.failures ?? 0) + 1;
    const wait = pauseAfter(failures, outage.retryAfterSeconds);
    const retryAt = new Date(clock.now().getTime() + wait);
    await setSourcePause(sql, source.name, { failures, retryAt, reason: outage.message });
    const { kind, message: reason } = outage;
    const fields = { kind, reason, failures, retryAt: retryAt.toISOString() };
    log.warn("the source is out of order: the catalogue stays as it is", fields);
  }
}
