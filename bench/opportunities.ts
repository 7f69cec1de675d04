/**
 * What a post costs as the corpus grows: 2,000 new signals into a corpus of 10,000 signals and into larger
 * ones, up to 1,000,000 on Postgres (STORED sets the largest). Two parts: storing the signals and counting
 * what they state, and making the cards that change, those of the largest wants also by themselves. Kinds and
 * values are as unequal as real ones (the n-th largest holds a share of 1/n). Counted is processor time, the
 * program's and the database's connections', on one machine. The floor in the same run is the smallest corpus.
 */
import { createHash } from "node:crypto";
import { migrate } from "../db/migrate.ts";
import { insertPosts, type PostRow } from "../db/corpus/posts.ts";
import { openPostgres } from "../db/postgres/mod.ts";
import { insertSignals, type SignalRow } from "../db/corpus/signals.ts";
import { type StatementRow, stateWants, type WantRow } from "../db/corpus/wants.ts";
import { wantId } from "../mining/opportunities/ids.ts";
import { refreshCards } from "../mining/cards/refresh.ts";
import { cpuOf, median } from "./support/measure.ts";
import { ownDatabase } from "./support/own_database.ts";

const BATCH = 2_000;
const BATCHES = 3;
const KINDS = 3_000;
const VALUES = 2_000;
const TYPES = ["attribute", "use", "problem", "spec", "user"] as const;
const SIZES = [10_000, 100_000, Number(Deno.env.get("STORED") ?? "1000000")] as const;
/** So many of the largest wants are remade by themselves. */
const LARGEST = 50;
const FILL = 5_000;
/** Between two signals: the older ones still count. */
const SECONDS = 5;
const NOW = new Date("2026-11-01T00:00:00Z");

const own = await ownDatabase("opportunities");
const database = await openPostgres({ url: own.url });
await migrate(database.sql);

/** A number in 0..1 drawn from `n` and `salt`: well spread, and the same each time. */
function drawn(n: number, salt: number): number {
  return createHash("sha256").update(`${n}/${salt}`).digest().readUInt32BE() / 2 ** 32;
}

/** An index under `most`, the n-th drawn 1/n as often as the first. */
const zipf = (most: number, n: number, salt: number): number =>
  Math.floor(most ** drawn(n, salt)) - 1;

interface Made {
  readonly post: PostRow;
  readonly signal: SignalRow;
  readonly wants: readonly WantRow[];
  readonly statements: readonly StatementRow[];
}

/** Signal `n`: a kind, five facts of it, and a sum. */
function signalOf(n: number): Made {
  const kind = `kind ${zipf(KINDS, n, 0)}`;
  const createdAt = new Date(NOW.getTime() - (SIZES[2] + BATCH * 9 - n) * SECONDS * 1000)
    .toISOString();
  const hex = n.toString(16).padStart(32, "0");
  const id = `b${n}`;
  const values = [...new Set(TYPES.map((_, i) => zipf(VALUES, n, i + 1) * TYPES.length + i))];
  const facts = [
    ...values.map((value) => ({
      t: TYPES[value % TYPES.length] ?? "use",
      v: `value ${value}`,
      s: 0,
      e: 5,
      c: 0.8,
    })),
    { t: "price", v: `~${50 * (1 + zipf(20, n, 9))} usd`, s: 0, e: 5, c: 0.9 },
  ];
  const wants = [
    { id: wantId(kind, ""), kind, value: "" },
    ...values.map((value) => ({
      id: wantId(kind, `value ${value}`),
      kind,
      value: `value ${value}`,
    })),
  ];
  return {
    post: {
      id,
      community: "bench",
      title: "Which one?",
      body: "",
      authorHash: hex,
      upvotes: n % 40,
      comments: 0,
      permalink: `https://example.com/${id}`,
      createdAt,
      origin: "archive",
      checkedAt: null,
    },
    signal: {
      postId: id,
      pattern: n % 3 === 0 ? "frustration" : "recommendation_request",
      also: null,
      category: "kitchen",
      product: kind,
      kind,
      facts,
      intensity: n % 4,
      wtp: n % 3,
      confidence: 0.5 + drawn(n, 11) / 2,
      quote: "Which one?",
      authorKey: hex,
      textKey: hex,
      upvotes: n % 40,
      createdAt,
      ruledOut: [],
      unsaid: [],
      said: [],
      versions: "bench",
    },
    wants,
    statements: wants.map(({ id: want, value }) => ({
      wantId: want,
      postId: id,
      author: hex,
      textKey: hex,
      createdAt,
      shown: value === "" ? null : Math.floor(1000 * drawn(n, 12)),
      quoteStart: value === "" ? null : 0,
      quoteEnd: value === "" ? null : 10,
    })),
  };
}

/** Processor milliseconds of this process and of the connections to its database. */
async function spent(): Promise<number> {
  const backends = await database.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'`;
  return cpuOf(backends.map(({ pid }) => pid));
}

let stored = 0;

/** Stores and counts the next `count` signals as the job does; processor milliseconds. */
async function store(count: number): Promise<number> {
  const batch = Array.from({ length: count }, (_, i) => signalOf(stored + i));
  stored += count;
  const started = await spent();
  await database.sql.begin(async (tx) => {
    await insertPosts(tx, batch.map(({ post }) => post));
    await insertSignals(tx, batch.map(({ signal }) => signal));
    await stateWants(
      tx,
      batch.flatMap(({ wants }) => wants),
      batch.flatMap(({ statements }) => statements),
    );
  });
  return await spent() - started;
}

/** Makes the cards that changed; processor milliseconds, and how many wants were looked at. */
async function refresh(): Promise<{ ms: number; wants: number }> {
  const started = await spent();
  const { refreshed } = await refreshCards({
    asOf: NOW,
    now: NOW,
    minAuthors: 5,
    moved: false,
    transaction: async (work) => await database.sql.begin(work) as never,
  });
  return { ms: await spent() - started, wants: refreshed };
}

/** Makes the cards of the wants with the most authors anew; milliseconds a want. */
async function remakeLargest(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < BATCHES; i++) {
    await database.sql`
      update wants set dirty = true where id in (
        select id from wants where value <> '' order by authors desc, id limit ${LARGEST})`;
    times.push((await refresh()).ms / LARGEST);
  }
  return median(times);
}

const costs: {
  size: number;
  storing: number;
  cards: number;
  perWant: number;
  perLargest: number;
}[] = [];
for (const size of SIZES) {
  while (stored < size) {
    await store(Math.min(FILL, size - stored));
    if (stored % 50_000 === 0) await database.sql`analyze`;
  }
  await refresh();
  await database.sql`vacuum analyze`;
  const storing: number[] = [];
  const cards: number[] = [];
  const each: number[] = [];
  for (let i = 0; i < BATCHES; i++) {
    storing.push(await store(BATCH) / BATCH);
    const { ms, wants } = await refresh();
    cards.push(ms / BATCH);
    each.push(ms / wants);
  }
  const cost = {
    size,
    storing: median(storing),
    cards: median(cards),
    perWant: median(each),
    perLargest: await remakeLargest(),
  };
  costs.push(cost);
  console.log(
    `${size} signals stored: ${
      cost.storing.toFixed(3)
    } ms a signal to store it and count what it ` +
      `states, ${cost.cards.toFixed(3)} ms to make the cards it changes ` +
      `(${cost.perWant.toFixed(3)} ms a want; ${cost.perLargest.toFixed(3)} ms one of the ` +
      `${LARGEST} largest)`,
  );
}
const [small, middle, large] = costs;
if (small !== undefined && middle !== undefined && large !== undefined) {
  const ratio = (a: number, b: number): string => (b / a).toFixed(2);
  for (const part of ["storing", "cards", "perWant", "perLargest"] as const) {
    console.log(
      `${part}, ${large.size} against ${small.size}: ${ratio(small[part], large[part])}; ` +
        `against ${middle.size}: ${ratio(middle[part], large[part])} (wanted: at most 1.5)`,
    );
  }
}
await database.close();
await own.drop();
