/**
 * A large corpus that is shaped like a real one: signals of real posts, many times over by other authors at
 * other times.
 */
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { insertPosts } from "../../db/corpus/posts.ts";
import { insertSignals, mergeWaitingWords } from "../../db/corpus/signals.ts";
import type { Database } from "../../db/sql.ts";
import { authorHash } from "../../mining/authors.ts";
import { builtInRegistry } from "../../mining/communities/registry.ts";
import { type Judged, readPost } from "../../mining/judge.ts";
import type { PseudonymousPost } from "../../mining/types.ts";

/** So many posts are read at once, and so many signals stored. */
const BATCH = 2_000;

/** A deterministic generator of numbers in [0, 1) (a linear congruential one, modulus 2^32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

interface ArchivedPost {
  readonly id: string;
  readonly subreddit: string;
  readonly title: string;
  readonly selftext: string;
  readonly author: string | null;
  readonly created_utc: number;
  readonly score: number;
  readonly num_comments: number;
  readonly permalink: string;
}

function asPost(archived: ArchivedPost): PseudonymousPost {
  return {
    id: archived.id,
    community: archived.subreddit,
    title: archived.title,
    body: archived.selftext,
    authorHash: archived.author === null ? null : authorHash(archived.author, "00"),
    createdAt: new Date(archived.created_utc * 1000),
    upvotes: archived.score,
    comments: archived.num_comments,
    permalink: `https://example.com${archived.permalink}`,
  };
}

/** The posts of a gzipped NDJSON file. */
async function* readPostFile(path: string): AsyncGenerator<PseudonymousPost> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of createReadStream(path).pipe(createGunzip())) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield asPost(JSON.parse(line));
  }
}

/** What the posts of a file say of demand. */
export async function judgeFile(path: string): Promise<Judged[]> {
  const context = {
    registry: builtInRegistry(),
    origin: "archive",
    checkedAt: null,
  } as const;
  const judged: Judged[] = [];
  for await (const post of readPostFile(path)) {
    const found = readPost(post, context);
    if (found.judged !== null) judged.push(found.judged);
  }
  return judged;
}

/** Stores judged posts as they are, without counting wants. */
export async function store(
  { sql }: Database,
  rows: readonly Judged[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    await sql.begin(async (tx) => {
      await insertPosts(tx, batch.map(({ post }) => post));
      await insertSignals(tx, batch.map(({ signal }) => signal));
    });
  }
}

/** Copies are up to so many steps of 540 hours older than the originals. */
const STEPS = 48;

/**
 * Copies the signals that are stored, with their index rows, under other ids, authors and times. A step is an
 * eighth of a half-life, so that the copies' slices are those of the originals, moved by whole eighths.
 */
async function copy({ sql }: Database, number: number): Promise<void> {
  const steps = number % STEPS;
  const name = `c${number}x`;
  const older = sql`${steps}::int * interval '540 hours'`;
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into posts (id, community, title, body, upvotes, comments, permalink, created_at, origin)
      select ${name}::text || id, community, title, body, upvotes, comments, permalink,
        created_at - ${older}, origin from posts where id !~ '^c[0-9]+x'`;
    await tx`
      insert into signals (post_id, pattern, also, category, product, kind, facts, intensity, wtp,
        confidence, quote, voice, text_key, upvotes, created_at, versions)
      select ${name}::text || post_id, pattern, also, category, product, kind, facts, intensity, wtp,
        confidence, quote, decode(md5(${name}::text || encode(voice, 'hex')), 'hex'),
        decode(md5(${name}::text || encode(text_key, 'hex')), 'hex'), upvotes, created_at - ${older},
        versions from signals where post_id !~ '^c[0-9]+x'`;
    await tx`
      insert into signal_index (post_id, heat, voice, words, body, slices)
      select ${name}::text || post_id, heat - ${steps}::int / 8.0::float8,
        decode(md5(${name}::text || encode(voice, 'hex')), 'hex'),
        ts_delete(words, 'h/' || floor(heat * 8)) ||
          array_to_tsvector(array['h/' || (floor(heat * 8) - ${steps}::int)]),
        body, array(select slice - ${steps}::int from unnest(slices) as slice)
      from signal_index where post_id !~ '^c[0-9]+x'`;
  });
}

/** Gives the signals the slices that they would have had, were all copies stored before them. */
async function slice({ sql }: Database, copies: number): Promise<void> {
  await sql`
    update signal_index i set slices = array(
      select t.id * 65536 + floor(i.heat * 8)::bigint from search_terms t
      where t.term = any(tsvector_to_array(i.words)) and t.term !~ '^[chr]/'
        and t.signals * ${copies + 1} >= 100)`;
}

/** Fills an empty database up to about `count` signals; says how fast a few more are stored. */
export async function fill(database: Database, path: string, count: number): Promise<void> {
  const { sql } = database;
  const base = await judgeFile(path);
  const copies = Math.max(0, Math.round(count / base.length) - 1);
  const more = base.slice(0, BATCH).map((judged): Judged => ({
    ...judged,
    post: { ...judged.post, id: `more${judged.post.id}` },
    signal: { ...judged.signal, postId: `more${judged.post.id}` },
  }));
  console.log(`${base.length} signals of posts, and ${copies} copies of each`);
  await store(database, base);
  // The bulk goes in without the large indexes, which are then made at once.
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'signal_index' and indexname in
      ('signal_index_words', 'signal_index_slices', 'signal_index_texts')`;
  for (const { name } of indexes) await sql`drop index ${sql(name)}`;
  await slice(database, copies);
  for (let number = 1; number <= copies; number++) await copy(database, number);
  await sql`set maintenance_work_mem = '512MB'`;
  for (const { definition } of indexes) await sql.unsafe(definition);
  await sql`update search_terms set signals = signals * ${copies + 1} where term !~ '^h/'`;
  await sql`delete from search_terms where term ~ '^h/'`;
  await sql`
    insert into search_terms (term, signals)
    select 'h/' || floor(heat * 8), count(*) from signal_index group by 1`;
  await sql`vacuum analyze`;
  const began = performance.now();
  await store(database, more);
  const seconds = (performance.now() - began) / 1000;
  // As the job does when it ends.
  await mergeWaitingWords(sql);
  console.log(`${more.length} more signals were stored at ${Math.round(more.length / seconds)}/s`);
}
