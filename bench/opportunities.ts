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
import { ALL_KINDS, type StatementRow, stateWants, type WantRow } from "../db/corpus/wants.ts";
import { wantId } from "../mining/opportunities/ids.ts";
import { refreshCards } from "../mining/cards/refresh.ts";
import { cpuOf, median } from "./support/measure.ts";
import { ownDatabase } from "./support/own_database.ts";

const BATCH = 2_000;
const BATCHES = 3;
const MIN_AUTHORS = 5;
const KINDS = 3_000;
const VALUES = 2_000;
const TYPES = ["attribute", "use", "problem", "spec", "user"] as const;
const SIZES = [10_000, 100_000, Number(Deno.env.get("STORED") ?? "1000000")] as const;
/** So many of the largest wants are remade by themselves. */
const LARGEST = 50;
/** So many are stored at once where they only make the corpus large. */
const FILL = 10_000;
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
  const hex = createHash("sha256").update(`author ${n}`).digest("hex").slice(0, 32);
  const id = `b${n}`;
  const values = [...new Set(TYPES.map((_, i) => zipf(VALUES, n, i + 1) * TYPES.length + i))];
  const facts = [
    ...values.map((value) => ({
      type: TYPES[value % TYPES.length] ?? "use",
      value: `value ${value}`,
      start: 0,
      end: 5,
      certainty: 0.8,
    })),
    {
      type: "price",
      value: `~${50 * (1 + zipf(20, n, 9))} usd`,
      start: 0,
      end: 5,
      certainty: 0.9,
    },
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
      readBy: "bench",
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

/** The next `count` signals. */
function take(count: number): Made[] {
  stored += count;
  return Array.from({ length: count }, (_, i) => signalOf(stored - count + i));
}

/** Stores and counts the next `count` signals as the job does; processor milliseconds. */
async function store(count: number): Promise<number> {
  const batch = take(count);
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

/** Forgets all, and the next signal is the first one. */
async function clear(): Promise<void> {
  await database.sql`
    truncate posts, signals, signal_index, search_terms, wants, want_statements, want_facts,
      opportunities, opportunity_slugs cascade`;
  stored = 0;
}

/**
 * Makes an empty corpus one of the next `count` signals, with what the job would have counted of them one by one:
 * each has an author and a text of its own, so that every statement counts. Only wants that may be cards are marked
 * as changed. Indexes of what is counted are made at the end.
 */
async function fill(count: number): Promise<void> {
  const { sql } = database;
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename in ('want_statements', 'want_facts') and indexname not like '%_pkey'`;
  for (const { name } of indexes) await sql`drop index ${sql(name)}`;
  const sizes = new Map<string, WantRow & { authors: number }>();
  for (let left = count; left > 0; left -= FILL) {
    const batch = take(Math.min(FILL, left));
    const statements = batch.flatMap((made) => made.statements);
    for (const want of batch.flatMap(({ wants }) => wants)) {
      sizes.set(want.id, { ...want, authors: (sizes.get(want.id)?.authors ?? 0) + 1 });
    }
    await sql.begin(async (tx) => {
      await insertPosts(tx, batch.map(({ post }) => post));
      await insertSignals(tx, batch.map(({ signal }) => signal));
      await tx`set local session_replication_role = replica`;
      await tx`
        insert into want_statements (want_id, post_id, author, text_key, created_at, shown,
          quote_start, quote_end, counted)
        select want, post, decode(author, 'hex'), decode(author, 'hex'), created::timestamptz,
          nullif(shown, -1), case when shown >= 0 then 0 end, case when shown >= 0 then 10 end, true
        from unnest(${statements.map((s) => s.wantId)}::text[],
          ${statements.map((s) => s.postId)}::text[], ${statements.map((s) => s.author)}::text[],
          ${statements.map((s) => s.createdAt)}::text[],
          ${
        statements.map((s) => s.shown ?? -1)
      }::int[]) as s (want, post, author, created, shown)`;
    });
  }
  const wants = [...sizes.values()];
  for (let at = 0; at < wants.length; at += FILL) {
    const rows = wants.slice(at, at + FILL);
    await sql`
      insert into wants (id, kind, value, authors, kept, dirty)
      select id, kind, value, authors, authors >= 2, authors >= ${MIN_AUTHORS}
      from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ kind }) => kind)}::text[],
        ${rows.map(({ value }) => value)}::text[], ${rows.map(({ authors }) => authors)}::int[])
        as w (id, kind, value, authors)`;
  }
  await sql`
    insert into want_facts (want_id, type, value, authors)
    select s.want_id, f.type, f.value, count(*) from want_statements s
      join wants w on w.id = s.want_id and w.kept join signals g on g.post_id = s.post_id
      cross join lateral counted_facts(g.facts, g.pattern, g.category, g.product, g.intensity,
        g.created_at, g.confidence) f
    group by 1, 2, 3`;
  await sql`
    insert into want_facts (want_id, type, value, authors)
    select ${ALL_KINDS}, f.type, f.value, count(*) from signals g
      cross join lateral counted_facts(g.facts, g.pattern, g.category, g.product, g.intensity,
        g.created_at, g.confidence) f
    where f.type <> 'product' group by 2, 3`;
  for (const { definition } of indexes) await sql.unsafe(definition);
}

/** Makes the cards that changed; processor milliseconds, and how many wants were looked at. */
async function refresh(): Promise<{ ms: number; wants: number }> {
  const started = await spent();
  const { refreshed } = await refreshCards({
    asOf: NOW,
    now: NOW,
    minAuthors: MIN_AUTHORS,
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
  await clear();
  await fill(size);
  await database.sql`vacuum analyze`;
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
