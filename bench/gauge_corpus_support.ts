/**
 * A large corpus that is shaped like a real one: signals of real posts, recombined within their kind. A
 * signal keeps its product, need and card; quote, title, votes and levels come from others of its kind.
 */
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { DAY_MS } from "../core/clock.ts";
import { type Database, json } from "../db/sql.ts";
import { builtInRegistry } from "../mining/communities/registry.ts";
import { judge, type Judged } from "../mining/judge.ts";
import type { Post } from "../mining/types.ts";

/** So many posts are read at once, and so many signals stored. */
const BATCH = 2_000;
const YEARS = 3;
const NEWEST = Date.UTC(2013, 9, 1);

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

function asPost(archived: ArchivedPost): Post {
  return {
    id: archived.id,
    community: archived.subreddit,
    title: archived.title,
    body: archived.selftext,
    author: archived.author,
    createdAt: new Date(archived.created_utc * 1000),
    upvotes: archived.score,
    comments: archived.num_comments,
    permalink: `https://example.com${archived.permalink}`,
  };
}

/** The posts of a gzipped NDJSON file. */
export async function* readPosts(path: string): AsyncGenerator<Post> {
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
    authorHashKey: "00",
    origin: "archive",
    checkedAt: null,
  } as const;
  const judged: Judged[] = [];
  for await (const post of readPosts(path)) {
    const result = judge(post, context);
    if (result !== null) judged.push(result);
  }
  return judged;
}

/** Stores judged posts as they are. */
export async function store(
  { sql }: Database,
  rows: readonly Judged[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH);
    const posts = json(sql, batch.map(({ post }) => ({ ...post, body: "" })));
    const signals = json(sql, batch.map(({ signal }) => signal));
    const cards = [...new Set(batch.map(({ signal }) => signal.opportunityId))];
    await sql.begin(async (tx) => {
      await tx`insert into opportunities (id, key, state)
        select id, id, 'active' from unnest(${cards}::text[]) as id on conflict do nothing`;
      await tx`insert into posts (id, community, title, body, upvotes, comments, permalink,
          created_at, origin)
        select id, community, title, body, upvotes, comments, permalink, "createdAt", 'archive'
        from jsonb_to_recordset(${posts}) as p (id text, community text, title text, body text,
          upvotes integer, comments integer, permalink text, "createdAt" timestamptz)`;
      await tx`insert into signals (post_id, opportunity_id, pattern, also, category, product, kind,
          need, brands, spoken, intensity, wtp, confidence, quote, voice, text_key, upvotes, created_at,
          versions)
        select "postId", "opportunityId", pattern, also, category, product, kind, need, brands,
          spoken, intensity, wtp, confidence, quote, decode(voice, 'hex'), decode("textKey", 'hex'), upvotes,
          "createdAt", versions
        from jsonb_to_recordset(${signals}) as s ("postId" text, "opportunityId" text, pattern text,
          also text, category text, product text, kind text, need text, brands text[],
          spoken text[], intensity smallint, wtp smallint, confidence real, quote text, voice text, "textKey" text,
          upvotes integer, "createdAt" timestamptz, versions text)`;
    });
  }
}

/** `count` signals made of `base`, numbered from `from`; the same for the same arguments. */
function recombine(base: readonly Judged[], from: number, count: number): Judged[] {
  const next = generator(from + 1);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(next() * list.length)];
  const kinds = new Map<string, Judged[]>();
  for (const judged of base) {
    const list = kinds.get(judged.signal.kind);
    if (list === undefined) kinds.set(judged.signal.kind, [judged]);
    else list.push(judged);
  }
  const hex = () => Math.floor(next() * 2 ** 32).toString(16).padStart(8, "0");
  return Array.from({ length: count }, (_, i) => {
    const about = pick(base);
    const family = about && kinds.get(about.signal.kind);
    const said = family && pick(family);
    const titled = family && pick(family);
    const liked = pick(base);
    if (!about || !said || !titled || !liked) throw new Error("there are no posts to recombine");
    const id = `r${(from + i).toString(36)}`;
    const createdAt = new Date(NEWEST - next() * YEARS * 365 * DAY_MS).toISOString();
    const { pattern, intensity, wtp, confidence, quote } = said.signal;
    const voice = hex() + hex() + hex() + hex();
    const { upvotes } = liked.post;
    return {
      key: about.key,
      post: { ...titled.post, id, upvotes, createdAt },
      signal: {
        ...about.signal,
        ...{ postId: id, pattern, intensity, wtp, confidence, quote, voice },
        ...{ textKey: voice, upvotes, createdAt },
      },
    };
  });
}

/** Fills an empty database up to `count` signals; says how fast the last of them were stored. */
export async function fill(database: Database, path: string, count: number): Promise<void> {
  const { sql } = database;
  const [{ n } = { n: 0 }] = await sql<{ n: number }[]>`select count(*) as n from signals`;
  if (n >= count) return;
  const base = await judgeFile(path);
  console.log(`${base.length} real signals, recombined to ${count}`);
  const last = Math.max(n, count - 15 * BATCH);
  // The bulk goes in without the two large indexes, which are then made at once.
  await sql`drop index signal_index_words`;
  await sql`drop index signal_index_slices`;
  for (let at = n; at < last; at += BATCH) {
    await store(database, recombine(base, at, Math.min(BATCH, last - at)));
  }
  await sql`set maintenance_work_mem = '512MB'`;
  await sql`create index signal_index_words on signal_index using gin (words)
    with (gin_pending_list_limit = 64)`;
  await sql`create index signal_index_slices on signal_index using gin (slices)
    with (gin_pending_list_limit = 64)`;
  await sql`vacuum analyze`;
  const began = performance.now();
  for (let at = last; at < count; at += BATCH) {
    await store(database, recombine(base, at, Math.min(BATCH, count - at)));
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `the last ${count - last} signals went into ${last}: ${Math.round((count - last) / seconds)}/s`,
  );
}
