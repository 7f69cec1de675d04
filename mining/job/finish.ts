/** What every run ends with: changed wants become cards, and every replica is notified. */
import { dayOf } from "../../core/clock.ts";
import {
  type CorpusState,
  corpusState,
  freezeSample,
  publishRevision,
  sampleRow,
  setAsOf,
} from "../../db/corpus/corpus.ts";
import {
  bestCard,
  countActive,
  hasUnfinishedCards,
  markSilentDirty,
} from "../../db/corpus/opportunities.ts";
import { unmarkUnserved } from "../../db/corpus/removal.ts";
import { mergeWaitingWords } from "../../db/corpus/signals.ts";
import type { Tx } from "../../db/sql.ts";
import { markKeptDirty } from "../../db/corpus/want_counts.ts";
import { READ_VERSION } from "../judge.ts";
import { dormantSince } from "../cards/build.ts";
import { refreshCards, type RefreshOptions, type RefreshResult } from "../cards/refresh.ts";
import { CARD_VERSION } from "../cards/model_words.ts";
import { SCORE_VERSION } from "../cards/score.ts";
import { type MakingOptions, type MinerDeps, takeTurn, withReconnect } from "../session.ts";
import { FORMER_MODEL_VERSIONS, MODEL_VERSION } from "../extract/reading_prompt.ts";
import { readBefore, withoutDemand } from "../../db/corpus/rereading.ts";
import { removeDemand } from "../removal/delete_posts.ts";

/** What a catalogue is made by: the reading of its posts, and what is made of their counts. */
export const CATALOGUE_VERSION = `${READ_VERSION}/score-${SCORE_VERSION}/${CARD_VERSION}`;

interface FinishOptions extends MakingOptions {
  /** Tells every replica even where nothing changed now: a process that died may have changed it before. */
  readonly always?: boolean;
  /** Runs first in every transaction: the proof that the lease is still held, or `takeTurn` without one. */
  readonly within: (tx: Tx) => Promise<void>;
}

/** Posts a transaction that are removed. */
const REMOVED = 200;

/** Remakes the changed cards, freezes a sample if there is none, and publishes the new revision. */
export async function refreshAndPublish(
  deps: MinerDeps,
  { mined, always = false, signal, review, within }: FinishOptions,
): Promise<RefreshResult> {
  const { database: { sql }, clock, minAuthors } = deps;
  const lasting = <T>(work: () => Promise<T>): Promise<T> => withReconnect(deps, work);
  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    signal?.throwIfAborted();
    return await lasting(async () =>
      await sql.begin(async (tx) => {
        await within(tx);
        return await work(tx);
      }) as T
    );
  };
  const state = await lasting(() => corpusState(sql));
  // What an earlier version made is served as it is until this one has read all its posts.
  const behind = await lasting(() => isBehind(deps));
  const now = clock.now();
  const wall = state.clock === "wall";
  const asOf = wall ? now : state.asOf ?? now;
  const day = dayOf(asOf);
  const moved = !behind && state.readVersion !== CATALOGUE_VERSION;
  const isForOthers = isForOtherAuthors(state, minAuthors);
  if (moved || (mined && state.scoredOn !== null && state.scoredOn !== day) || isForOthers) {
    await lasting(() => markKeptDirty(sql));
  }
  if (mined) await lasting(() => markSilentDirty(sql, dormantSince(asOf)));
  const result = { refreshed: 0, changed: 0 };
  const refresh = async (moved: boolean): Promise<void> => {
    const { refreshed, changed } = await refreshCards({
      asOf,
      now,
      minAuthors,
      moved,
      transaction,
    });
    result.refreshed += refreshed;
    result.changed += changed;
  };
  if (!behind) {
    await refresh(moved);
    // A card that is not listed any more may be the one on which others were listed: those are new.
    while (await review?.()) await refresh(false);
    // Before the version is written: a run that ends here leaves a catalogue that the next one moves over.
    await removeUndemanded(transaction);
  }
  const isNews = mined || always || moved || isForOthers;
  if (!isNews && result.refreshed + result.changed === 0) return result;
  await lasting(() => mergeWaitingWords(sql));
  await transaction(async (tx) => {
    const best = await bestCard(tx);
    if (best !== null) await freezeSample(tx, best, now);
    await unmarkUnserved(tx, now);
    if (mined && wall) await setAsOf(tx, now);
    await publishRevision(tx, {
      builtAt: now,
      lastMinedAt: mined ? now : null,
      scoredOn: mined ? day : state.scoredOn ?? day,
      readVersion: behind ? state.readVersion : CATALOGUE_VERSION,
      minAuthors,
    });
  });
  return result;
}

/** Removes posts that hold no demand as this version reads them, which no card of today's quotes. */
async function removeUndemanded(transaction: RefreshOptions["transaction"]): Promise<void> {
  for (;;) {
    const removed = await transaction(async (tx) => {
      const ids = await withoutDemand(tx, REMOVED);
      await removeDemand(tx, ids);
      return ids.length;
    });
    if (removed < REMOVED) return;
  }
}

/** Freezes a sample where there are cards and none of them is one, as after its post was removed. */
export async function ensureSample(deps: MinerDeps): Promise<void> {
  const { sql } = deps.database;
  if (await sampleRow(sql) !== null || await countActive(sql) === 0) return;
  await refreshAndPublish(deps, { mined: false, always: true, within: takeTurn });
}

/** What these have read is not read again: a model's readings outlast a built-in reader. */
export const STANDING_VERSIONS = [READ_VERSION, MODEL_VERSION, ...FORMER_MODEL_VERSIONS];

/** Whether the catalogue is of another version, and posts are stored that this one has not read. */
export async function isBehind(
  { database: { sql } }: Pick<MinerDeps, "database">,
): Promise<boolean> {
  if ((await corpusState(sql)).readVersion === CATALOGUE_VERSION) return false;
  return (await readBefore(sql, STANDING_VERSIONS, 1)).length > 0;
}

/** Whether the cards were made for another number of authors. */
const isForOtherAuthors = (made: Pick<CorpusState, "minAuthors">, minAuthors: number): boolean =>
  made.minAuthors !== null && made.minAuthors !== minAuthors;

/**
 * Whether another version made the catalogue, by reading posts otherwise or by making other cards of them, or it was
 * made for another number of authors, or a run that ended early left cards to make, or posts that it found to hold no
 * demand.
 */
export async function isOutdated(
  deps: Pick<MinerDeps, "database" | "minAuthors">,
): Promise<boolean> {
  const { database: { sql }, minAuthors } = deps;
  const state = await corpusState(sql);
  if (isForOtherAuthors(state, minAuthors)) return true;
  const { readVersion } = state;
  if (readVersion === null ? await isBehind(deps) : readVersion !== CATALOGUE_VERSION) return true;
  return await hasUnfinishedCards(sql) || (await withoutDemand(sql, 1)).length > 0;
}
