/** Moving over to a new reader: stored posts are read again, and then the new catalogue takes the old one's place. */
import { sleep } from "../../core/deadline.ts";
import { corpusState } from "../../db/corpus.ts";
import {
  noteNoDemand,
  type ReadBefore,
  readBefore,
  rewriteSignals,
  withoutDemand,
} from "../../db/rereading.ts";
import { stateWants, unstateWants } from "../../db/wants.ts";
import type { Registry } from "../communities/registry.ts";
import { FORMER_MODEL_VERSIONS, MODEL_VERSION } from "../extract/question.ts";
import { judge, type JudgeContext, type Judged, READ_VERSION } from "../judge.ts";
import { spokenBy } from "../removal/edit.ts";
import { removePosts } from "../removal/withdraw.ts";
import { mineAlone, type MinerDeps, withReconnect } from "./miner.ts";

export interface RereadResult {
  /** Posts read again by this run. */
  readonly read: number;
  /** Of those, the ones that hold demand. */
  readonly signals: number;
  /** Whether posts are left for the next run. */
  readonly interrupted: boolean;
}

/** What these have read is not read again: a model's readings outlast a built-in reader. */
const STANDING_VERSIONS = [READ_VERSION, MODEL_VERSION, ...FORMER_MODEL_VERSIONS];
const BATCH = 200;
/** How long reading may hold the thread before others get a turn. */
const SLICE_MS = 5;

/** Whether the catalogue is of another version, and posts are stored that this one has not read. */
export async function isBehind(
  { database: { sql } }: Pick<MinerDeps, "database">,
): Promise<boolean> {
  if ((await corpusState(sql)).readVersion === READ_VERSION) return false;
  return (await readBefore(sql, STANDING_VERSIONS, 1)).length > 0;
}

/**
 * Reads all stored posts that another version read, a batch and a transaction at a time, while the catalogue
 * stays as it is; then makes the cards and publishes them at once. Interrupted, the next call goes on. Null
 * where another process mines.
 */
export async function reread(
  deps: MinerDeps,
  context: { readonly registry: Registry; readonly authorHashKey: string },
  signal: AbortSignal,
): Promise<RereadResult | null> {
  const { sql } = deps.database;
  const judging: JudgeContext = { ...context, origin: "archive", checkedAt: null };
  return await mineAlone<RereadResult>(
    deps,
    { kind: "reread", patienceMs: 60_000, signal, stats: (result) => ({ ...result }) },
    async (session) => {
      let read = 0;
      let signals = 0;
      for (;;) {
        const posts = await withReconnect(deps, () => readBefore(sql, STANDING_VERSIONS, BATCH));
        if (posts.length === 0) break;
        if (signal.aborted) return { read, signals, interrupted: true };
        const judged = await judgeAll(posts, judging);
        const without = posts.filter(({ id }) => !judged.some(({ post }) => post.id === id));
        await withReconnect(deps, () =>
          sql.begin(async (tx) => {
            await session.fence(tx);
            await unstateWants(tx, posts.map(({ id }) => id));
            await rewriteSignals(tx, judged.map((one) => one.signal));
            await stateWants(
              tx,
              judged.flatMap(({ stated }) => stated.wants),
              judged.flatMap(({ stated }) => stated.statements),
            );
            await noteNoDemand(tx, without.map(({ id }) => id));
          }));
        read += posts.length;
        signals += judged.length;
      }
      await session.finish({ mined: false });
      for (;;) {
        const ids = await withoutDemand(sql, BATCH);
        if (ids.length === 0) break;
        await sql.begin(async (tx) => {
          await session.fence(tx);
          await removePosts(tx, ids, null);
        });
      }
      return { read, signals, interrupted: false };
    },
  );
}

async function judgeAll(posts: readonly ReadBefore[], context: JudgeContext): Promise<Judged[]> {
  const judged: Judged[] = [];
  let sliceEnd = performance.now() + SLICE_MS;
  for (const post of posts) {
    const result = spokenBy(post.authorHash, judge({ ...post, author: null }, context));
    if (result !== null) judged.push(result);
    if (performance.now() > sliceEnd) {
      await sleep(0);
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return judged;
}
