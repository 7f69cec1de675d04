/**
 * What clustering costs per signal as the corpus grows: 2,000 new signals into a corpus of 10,000 signals and
 * into one of 1,000,000 on Postgres (STORED sets the larger number). Two parts: finding and marking the
 * cluster of each signal and storing it, and making the cards of the clusters that changed. Clusters are as
 * unequal as real ones (the n-th largest holds a share of 1/n). A card is made of its newest 400 signals and
 * counts all of them, so the second part grows with the common clusters.
 */
import { migrate } from "../db/migrate.ts";
import { touchOpportunities } from "../db/opportunities.ts";
import { insertPosts, type PostRow } from "../db/posts.ts";
import { openPostgres } from "../db/postgres.ts";
import { insertSignals, type SignalRow } from "../db/signals.ts";
import { refreshCards } from "../mining/cards/refresh.ts";
import { opportunityId } from "../mining/judge.ts";
import { median } from "./measure_support.ts";
import { ownDatabase } from "./own_database_support.ts";

const BATCH = 2_000;
const BATCHES = 3;
const CLUSTERS = 30_000;
const SIZES = [10_000, 100_000, Number(Deno.env.get("STORED") ?? "1000000")] as const;
const FILL = 50_000;
/** Between two signals: the older ones still count. */
const SECONDS = 5;
const NOW = new Date("2026-11-01T00:00:00Z");

const own = await ownDatabase("clustering");
const database = await openPostgres({ url: own.url });
await migrate(database.sql);

const keys = Array.from({ length: CLUSTERS }, (_, n) => `kind ${n}/general`);
const ids = keys.map(opportunityId);

/** Where in 0..1 number `n` falls: well spread, and the same each time. */
const spread = (n: number): number => (n * 0.618_033_988_749_895) % 1;

/** Signal `n`, in a cluster drawn so that the n-th largest is 1/n as large as the largest. */
function signalOf(n: number): { post: PostRow; signal: SignalRow; key: string } {
  const cluster = Math.floor(CLUSTERS ** spread(n)) - 1;
  const createdAt = new Date(NOW.getTime() - (SIZES[2] + BATCH * 9 - n) * SECONDS * 1000)
    .toISOString();
  const hex = n.toString(16).padStart(32, "0");
  const id = `b${n}`;
  return {
    key: keys[cluster] ?? "",
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
      opportunityId: ids[cluster] ?? "",
      pattern: "recommendation_request",
      also: null,
      category: "kitchen",
      product: `kind ${cluster}`,
      kind: `kind ${cluster}`,
      need: null,
      brands: [],
      spoken: [],
      intensity: n % 4,
      wtp: n % 3,
      confidence: 0.5 + spread(n * 7) / 2,
      sureness: 0.9,
      shown: spread(n * 3),
      quote: "Which one?",
      voice: hex,
      textKey: hex,
      upvotes: n % 40,
      createdAt,
      versions: "bench",
    },
  };
}

let stored = 0;

/** Stores the next `count` signals as the job does; milliseconds. */
async function store(count: number): Promise<number> {
  const batch = Array.from({ length: count }, (_, i) => signalOf(stored + i));
  stored += count;
  const started = performance.now();
  await database.sql.begin(async (tx) => {
    await insertPosts(tx, batch.map(({ post }) => post));
    await touchOpportunities(tx, new Map(batch.map((b) => [b.signal.opportunityId, b.key])));
    await insertSignals(tx, batch.map(({ signal }) => signal));
  });
  return performance.now() - started;
}

async function refresh(): Promise<number> {
  const started = performance.now();
  await refreshCards(database, { asOf: NOW, now: NOW, within: () => Promise.resolve() });
  return performance.now() - started;
}

const costs: { size: number; storing: number; cards: number }[] = [];
for (const size of SIZES) {
  while (stored < size) await store(Math.min(FILL, size - stored));
  await refresh();
  await database.sql`vacuum analyze`;
  const storing: number[] = [];
  const cards: number[] = [];
  for (let i = 0; i < BATCHES; i++) {
    storing.push(await store(BATCH) / BATCH);
    cards.push(await refresh() / BATCH);
  }
  const cost = { size, storing: median(storing), cards: median(cards) };
  costs.push(cost);
  console.log(
    `${size} signals stored: ${cost.storing.toFixed(3)} ms a signal to cluster and store it, ` +
      `${cost.cards.toFixed(3)} ms to make the cards it changes`,
  );
}
const [small, middle, large] = costs;
if (small !== undefined && middle !== undefined && large !== undefined) {
  const ratio = (a: number, b: number): string => (b / a).toFixed(2);
  console.log(
    `clustering, ${large.size} against ${small.size}: ${ratio(small.storing, large.storing)} ` +
      "(wanted: at most 1.5)",
  );
  console.log(
    `cards, ${large.size} against ${small.size}: ${ratio(small.cards, large.cards)}; ` +
      `against ${middle.size}: ${ratio(middle.cards, large.cards)}`,
  );
}
await database.close();
await own.drop();
