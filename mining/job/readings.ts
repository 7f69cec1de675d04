/** Stored posts, read by a language model: its reading, as far as the post bears it out, takes the built-in one's place. */
import {
  commonKinds,
  forgetReadings,
  lockUnchanged,
  markRead,
  type UnreadSignal,
  unreadSignals,
} from "../../db/corpus/readings.ts";
import { mostStated } from "../../db/corpus/want_counts.ts";
import { ALL_KINDS } from "../../db/corpus/wants.ts";
import { askByHalves, askInBatches, chunks } from "../../model/batches.ts";
import { quoteFor } from "../classify/mod.ts";
import { readingOf } from "../extract/ask.ts";
import {
  ANY_KIND,
  type AskedReading,
  COMMON_VALUES,
  FORMER_MODEL_VERSIONS,
  KNOWN_KINDS,
  KNOWN_TYPES,
  MODEL_VERSION,
  POSTS_PER_CALL,
  postsQuestion,
  shownValues,
  type StatedValue,
  valuesPerKind,
} from "../extract/reading_prompt.ts";
import { judgeAs, type Judged, READ_VERSION } from "../judge.ts";
import { wantId } from "../opportunities/ids.ts";
import { removeDemand } from "../removal/delete_posts.ts";
import { type Level, type Pattern, PATTERNS } from "../types.ts";
import { withReconnect } from "../session.ts";
import { addTo, type ModelDeps, type ModelReport, type Tally } from "./model_types.ts";
import { restate } from "./reread.ts";

/** Questions at a time: verdicts find a free place beside them. */
const AT_ONCE = 4;
/** Posts chosen at a time. */
const SHARE = 40 * POSTS_PER_CALL;
/** No further question begins after so much of a round: the cards are made of what was read by then. */
const ROUND_MS = 3 * 60_000;
/** So few posts may all be without demand: of more, the gate lets fewer pass. */
const TRUSTED_ALONE = 3;

/** Whose readings a model's takes the place of: today's built-in reader's, and those of earlier questions. */
export const readableVersions: readonly string[] = [READ_VERSION, ...FORMER_MODEL_VERSIONS];

/**
 * Reads what no model has read, the most telling first, until all is read or the round's time is over.
 * @throws what the model throws; what is read is kept.
 */
export async function readStored(
  deps: ModelDeps,
  report: ModelReport,
): Promise<"done" | "more"> {
  const { sql } = deps.database;
  const until = deps.clock.now().getTime() + ROUND_MS;
  const goesOn = (): boolean => !deps.signal.aborted && deps.clock.now().getTime() < until;
  await forgetReadings(sql, FORMER_MODEL_VERSIONS);
  const kinds = await commonKinds(sql, KNOWN_KINDS);
  const asked = new Set<string>();
  while (goesOn()) {
    const unread = await unreadSignals(sql, readableVersions, SHARE);
    // One that was edited meanwhile is read by the next run.
    const fresh = unread.filter(({ id }) => !asked.has(id));
    if (fresh.length === 0) return "done";
    for (const { id } of fresh) asked.add(id);
    // Posts of one kind share their question's known values.
    const sorted = fresh.toSorted((a, b) => a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0);
    await askInBatches({
      batches: chunks(sorted, POSTS_PER_CALL),
      atOnce: AT_ONCE,
      goesOn,
      ask: async (batch) => {
        const readings = await askByHalves(batch, {
          ask: async (posts) =>
            await deps.model.ask(
              postsQuestion(posts, await knownOf(deps, posts, kinds)),
              deps.signal,
              deps.onCost,
            ),
          isNone: (reading) => reading === null,
          trusted: TRUSTED_ALONE,
        });
        addTo(report, await withReconnect(deps, () => store(deps, batch, readings)));
      },
      giveUp: ({ id }) =>
        withReconnect(deps, () =>
          sql.begin(async (tx) => {
            await deps.session.assertLease(tx);
            await markRead(tx, [id], askedNow(deps));
          })),
    });
  }
  return "more";
}

const askedNow = ({ clock }: ModelDeps) => ({
  now: clock.now(),
  former: FORMER_MODEL_VERSIONS,
  today: MODEL_VERSION,
});

type Readings = readonly (AskedReading | null)[];

/** The values that are known of these posts' kinds, and of all kinds together. */
async function knownOf(
  { database: { sql } }: ModelDeps,
  posts: readonly UnreadSignal[],
  kinds: readonly string[],
): Promise<ReturnType<typeof shownValues>> {
  const asked = new Set(posts.map(({ kind }) => kind));
  const ids = new Map([...asked].map((kind) => [wantId(kind, ""), kind]));
  const rows = [
    ...await mostStated(sql, [ALL_KINDS], KNOWN_TYPES, COMMON_VALUES),
    ...await mostStated(sql, [...ids.keys()], KNOWN_TYPES, valuesPerKind(asked.size)),
  ];
  const stated = rows.map(({ wantId: id, type, value, authors }): StatedValue => ({
    kind: ids.get(id) ?? ANY_KIND,
    type,
    value,
    authors,
  }));
  return shownValues(kinds, asked, stated);
}

/** What is stored of a post by the model's word; null where the post does not bear it out. */
function judged(post: UnreadSignal, asked: AskedReading, deps: ModelDeps): Judged | null {
  const reading = readingOf(post, asked);
  if (reading === null) return null;
  const pattern = asked.pattern ?? PATTERNS.find((known) => known === post.pattern);
  if (pattern === undefined) return null;
  const one = judgeAs(post, demandOf(post, pattern, asked), reading, deps.context);
  return one && { ...one, signal: { ...one.signal, readBy: MODEL_VERSION } };
}

function demandOf(
  post: UnreadSignal,
  pattern: Pattern,
  { intensity, wtp }: { readonly intensity: Level; readonly wtp: Level },
) {
  const quote = quoteFor(post, pattern) ?? post.quote;
  return { pattern, also: null, intensity, wtp, quote };
}

async function store(
  deps: ModelDeps,
  batch: readonly UnreadSignal[],
  readings: Readings,
): Promise<Tally> {
  return await deps.database.sql.begin(async (tx) => {
    await deps.session.assertLease(tx);
    const unchanged = await lockUnchanged(tx, batch);
    const dropped: string[] = [];
    const kept: string[] = [];
    const read: Judged[] = [];
    for (const [i, post] of batch.entries()) {
      const asked = readings[i];
      if (asked === undefined || !unchanged.has(post.id)) continue;
      if (asked === null) {
        dropped.push(post.id);
        continue;
      }
      kept.push(post.id);
      const one = judged(post, asked, deps);
      if (one !== null) read.push(one);
    }
    await restate(tx, read.map(({ post }) => post.id), read);
    // No tombstones: the posts stand, they only say nothing of demand. What quotes them for it goes.
    await removeDemand(tx, dropped);
    await markRead(tx, kept, askedNow(deps));
    return {
      postsRead: kept.length + dropped.length,
      dropped: dropped.length,
      unusable: kept.length - read.length,
    };
  });
}
