/** Moving over to a new reader: stored posts are read again, and then the new catalogue takes the old one's place. */
import { unlessAborted } from "../../core/deadline.ts";
import { inSlices } from "../judging/slices.ts";
import { lockUnchanged } from "../../db/corpus/readings.ts";
import { noteNoDemand, readBefore, rewriteSignals } from "../../db/corpus/rereading.ts";
import type { Tx } from "../../db/sql.ts";
import { replaceShowings } from "../../db/corpus/showings.ts";
import { stateWants, unstateWants } from "../../db/corpus/wants.ts";
import { type JudgeContext, type Judged, readPost } from "../judge.ts";
import { mineAlone } from "./miner.ts";
import { type MinerDeps, type MiningSession, withReconnect } from "../session.ts";
import { isOutdated, STANDING_VERSIONS } from "./finish.ts";

interface RereadResult {
  /** Posts read again by this run. */
  readonly read: number;
  /** Of those, the ones that hold demand. */
  readonly signals: number;
  /** Whether posts or cards are left for the next run. */
  readonly interrupted: boolean;
}

type ReadingContext = Pick<JudgeContext, "registry" | "extractor">;

const BATCH = 200;
/** How long a start waits for another miner before it leaves the moving to it. */
const PATIENCE_MS = 60_000;

/**
 * Reads all stored posts that another version read, a batch and a transaction at a time, while the catalogue
 * stays as it is; whoever calls it makes the cards then. Interrupted, the next call goes on.
 */
export async function readAgain(
  deps: MinerDeps,
  session: Pick<MiningSession, "assertLease">,
  context: ReadingContext,
  signal: AbortSignal,
): Promise<RereadResult> {
  const { sql } = deps.database;
  const judging: JudgeContext = { ...context, origin: "archive", checkedAt: null };
  let read = 0;
  let signals = 0;
  for (;;) {
    const posts = await withReconnect(deps, () => readBefore(sql, STANDING_VERSIONS, BATCH));
    if (posts.length === 0) return { read, signals, interrupted: false };
    if (signal.aborted) return { read, signals, interrupted: true };
    const found = await inSlices(posts, (post) => readPost(post, judging));
    const stored = await withReconnect(deps, () =>
      sql.begin(async (tx) => {
        await session.assertLease(tx);
        // Removals by hand wait for no lease.
        const standing = await lockUnchanged(tx, posts);
        const ids = [...standing];
        const kept = found.filter((_, n) => standing.has(posts[n]?.id ?? ""));
        const judged = kept.flatMap((one) => one.judged ?? []);
        const shown = kept.flatMap((one) => one.shown ?? []);
        const demand = new Set(judged.map(({ post }) => post.id));
        await restate(tx, ids, judged);
        await replaceShowings(tx, ids, shown.map(({ showing }) => showing));
        await noteNoDemand(tx, ids.filter((id) => !demand.has(id)));
        return { read: ids.length, signals: judged.length };
      }));
    read += stored.read;
    signals += stored.signals;
  }
}

/** Puts what is read in stored posts now in place of what was; of `ids` those not judged state nothing then. */
export async function restate(
  tx: Tx,
  ids: readonly string[],
  judged: readonly Judged[],
): Promise<void> {
  await unstateWants(tx, ids);
  await rewriteSignals(tx, judged.map(({ signal }) => signal));
  await stateWants(
    tx,
    judged.flatMap(({ stated }) => stated.wants),
    judged.flatMap(({ stated }) => stated.statements),
  );
}

/**
 * Brings the catalogue up to date: one of an earlier version, one made for another `MIN_AUTHORS`, and one that a
 * killed run left half made. Posts that another version read are read again, then the cards are made and published
 * together. Null where there is nothing to do, or another process mines.
 */
export async function moveOver(
  deps: MinerDeps,
  context: ReadingContext,
  signal: AbortSignal,
): Promise<RereadResult | null> {
  if (!await isOutdated(deps)) return null;
  return await mineAlone<RereadResult>(
    deps,
    {
      kind: "reread",
      patienceMs: PATIENCE_MS,
      signal,
      // Another replica may have moved it while this one waited.
      skip: async () => !await isOutdated(deps),
      stats: (result) => ({ ...result }),
    },
    async (session) => {
      const result = await readAgain(deps, session, context, signal);
      if (result.interrupted) return result;
      const made = await unlessAborted(signal, () => session.finish({ mined: false, signal }));
      return { ...result, interrupted: made === null };
    },
  );
}

/** Moves over in the background; a failure is logged, and the next start or run goes on. */
export function startMovingOver(
  deps: MinerDeps,
  context: ReadingContext,
  onMoved: () => void,
): { stop(): Promise<void> } {
  const abort = new AbortController();
  const running = moveOver(deps, context, abort.signal).then((result) => {
    if (result === null || result.interrupted) return;
    deps.log.info("the catalogue is up to date", { ...result });
    onMoved();
  }).catch((error) => {
    if (!abort.signal.aborted) {
      deps.log.error("bringing the catalogue up to date failed", { error });
    }
  });
  return {
    stop: async () => {
      abort.abort();
      await running;
    },
  };
}
