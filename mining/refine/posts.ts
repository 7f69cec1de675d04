/** Unsure signals, read again by a language model: confirmed, changed, or taken back. */
import {
  lockUnchanged,
  markReviewed,
  type UnsureSignal,
  unsureSignals,
} from "../../db/refinement.ts";
import { quoteFor } from "../classify/mod.ts";
import { withReconnect } from "../job/miner.ts";
import { judgeAs, type Judged } from "../judge.ts";
import { replaceSignal, spokenBy } from "../removal/edit.ts";
import { removePosts } from "../removal/withdraw.ts";
import type { Demand } from "../types.ts";
import { inBatches } from "./batches.ts";
import { CHANGED, CONFIRMED, POST_CALLS, POSTS_PER_CALL } from "./policy.ts";
import { type PostReading, postsQuestion } from "./posts_question.ts";
import type { RefineDeps, RefineReport } from "./types.ts";

/** Asks about the run's share of unsure signals. @throws what the model throws; what is decided is kept. */
export async function refinePosts(deps: RefineDeps, report: RefineReport): Promise<void> {
  const { sql } = deps.database;
  const unsure = await unsureSignals(sql, POST_CALLS * POSTS_PER_CALL);
  await inBatches({
    items: unsure,
    size: POSTS_PER_CALL,
    calls: POST_CALLS,
    ask: async (batch) => {
      const readings = await deps.model.ask(postsQuestion(batch), deps.signal, deps.onCost);
      await withReconnect(deps, () => store(deps, batch, readings, report));
    },
    // The classifier's word stands.
    giveUp: ({ id }) =>
      withReconnect(deps, () =>
        deps.database.sql.begin(async (tx) => {
          await deps.session.fence(tx);
          await markReviewed(tx, [id], deps.clock.now());
        })),
  });
}

/** What is stored in the place of a signal: another one, or nothing. */
function decide(
  post: UnsureSignal,
  { pattern, intensity, wtp }: PostReading,
  deps: RefineDeps,
): Judged | null {
  if (pattern === null) return null;
  const same = pattern === post.pattern;
  const quote = quoteFor(post, pattern) ?? post.quote;
  const confidence = same ? CONFIRMED : CHANGED;
  const demand: Demand = { pattern, also: null, intensity, wtp, confidence, quote };
  return spokenBy(post.authorHash, judgeAs({ ...post, author: null }, demand, deps.context));
}

async function store(
  deps: RefineDeps,
  batch: readonly UnsureSignal[],
  readings: readonly PostReading[],
  report: RefineReport,
): Promise<void> {
  const now = deps.clock.now();
  const tally = { reviewed: 0, dropped: 0, changed: 0 };
  await deps.database.sql.begin(async (tx) => {
    await deps.session.fence(tx);
    const unchanged = await lockUnchanged(tx, batch);
    const dropped: string[] = [];
    const kept: string[] = [];
    for (const [i, post] of batch.entries()) {
      const reading = readings[i];
      if (reading === undefined || !unchanged.has(post.id)) continue;
      const judged = decide(post, reading, deps);
      if (judged === null) {
        dropped.push(post.id);
        continue;
      }
      if (judged.signal.pattern !== post.pattern) tally.changed++;
      await replaceSignal(tx, judged, judged.signal.quote === post.quote);
      kept.push(post.id);
    }
    // No tombstones: the posts stand, they only say nothing of demand.
    await removePosts(tx, dropped, null);
    await markReviewed(tx, kept, now);
    tally.reviewed = kept.length + dropped.length;
    tally.dropped = dropped.length;
  });
  report.reviewed += tally.reviewed;
  report.dropped += tally.dropped;
  report.changed += tally.changed;
}
