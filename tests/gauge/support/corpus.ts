/** A small corpus, and what queries find in it. */
import { DAY_MS } from "../../../core/clock.ts";
import { BOUNDS } from "../../../db/matching/mod.ts";
import { type Database, json, type Sql } from "../../../db/sql.ts";
import { matchCorpus } from "../../../gauge/match/corpus.ts";
import type { FindKinds } from "../../../gauge/query/head.ts";
import { findKinds as findListedKinds } from "../../../gauge/query/kinds.ts";
import { type ReadQuery, readQuery } from "../../../gauge/query/read.ts";
import type { Match } from "../../../gauge/types.ts";
import type { Level } from "../../../mining/types.ts";

export const AS_OF = new Date("2030-06-01T00:00:00.000Z");

export const NOW = new Date("2030-06-01T12:00:00.000Z");

export interface Seed {
  readonly id: string;
  readonly title: string;
  readonly quote: string;
  readonly kind: string;
  readonly product?: string;
  readonly category?: string;
  readonly card?: string;
  readonly intensity?: Level;
  readonly wtp?: Level;
  readonly upvotes?: number;
  readonly ageDays?: number;
  readonly authorKey?: string;
  readonly text?: string;
  /** What it states: type and value. */
  readonly facts?: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly community?: string;
  /** Stems of what it rules out. */
  readonly ruledOut?: readonly string[];
  /** Stems of what is not its author's. */
  readonly unsaid?: readonly string[];
}

/** A small corpus of several kinds. */
export const POSTS: readonly Seed[] = [
  { id: "l1", kind: "laptop", title: "Laptop for college", quote: "I need one that is light." },
  { id: "l2", kind: "laptop", title: "My laptop is slow", quote: "It takes minutes to start." },
  { id: "m1", kind: "laptop", title: "A new MacBook?", quote: "The hinge of my macbook broke." },
  { id: "g1", kind: "electric guitar", title: "First guitar", quote: "Which guitar for 200?" },
  {
    id: "u1",
    kind: "electric guitar",
    product: "ukulele",
    title: "Ukulele that stays in tune",
    quote: "Mine never does.",
  },
  { id: "c1", kind: "phone case", title: "Phone case", quote: "Every phone case cracks." },
  { id: "p1", kind: "phone", title: "Phone with big keys", quote: "For my father." },
  { id: "t1", kind: "toaster", title: "A toaster to keep", quote: "I want one built to last." },
  { id: "t2", kind: "toaster", title: "Toaster for bagels", quote: "The slots are narrow." },
  { id: "s1", kind: "couch", title: "Couch for two", quote: "Where do I find one?" },
  { id: "k1", kind: "mechanical keyboard", title: "Silent switches", quote: "Mine is too loud." },
  { id: "k2", kind: "keyboard", title: "Keyboard for a tv", quote: "It must be wireless." },
  {
    id: "b1",
    kind: "backpack",
    title: "Backpack for college",
    quote: "It should be waterproof and durable.",
  },
];

/** The bytes of a text as hex. */
export const bytesAsHex = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Stores signals and their posts, one of each a seed. */
export async function seed({ sql }: Database, seeds: readonly Seed[]): Promise<void> {
  for (const s of seeds) {
    const created = new Date(AS_OF.getTime() - (s.ageDays ?? 10) * DAY_MS);
    const want = s.card ?? `opp_${s.kind.replaceAll(" ", "")}`;
    const facts = (s.facts ?? []).map(([t, v]) => ({ t, v, s: 0, e: 1, c: 0.9 }));
    await sql`insert into posts (id, community, title, body, upvotes, comments, permalink, created_at,
        origin)
      values (${s.id}, ${s.community ?? "things"}, ${s.title}, ${s.body ?? s.quote}, ${
      s.upvotes ?? 5
    }, 1,
        ${`https://example.com/${s.id}`}, ${created}, 'archive')`;
    await sql`insert into signals (post_id, pattern, category, product, kind, facts, intensity, wtp,
        confidence, quote, voice, text_key, upvotes, created_at, versions, ruled_out, unsaid)
      values (${s.id}, 'frustration', ${s.category ?? "kitchen"},
        ${s.product ?? s.kind}, ${s.kind}, ${json(sql, facts)}, ${s.intensity ?? 2}, ${
      s.wtp ?? 1
    }, 0.9, ${s.quote},
        decode(${bytesAsHex(s.authorKey ?? s.id)}, 'hex'), decode(${
      bytesAsHex(s.text ?? s.id)
    }, 'hex'),
        ${s.upvotes ?? 5}, ${created}, 'test', ${[...(s.ruledOut ?? [])]},
        ${[...(s.unsaid ?? [])]})`;
    await sql`insert into wants (id, kind, value) values (${want}, ${s.kind}, 'v') on conflict do nothing`;
    await sql`insert into want_statements (want_id, post_id, author, text_key, created_at)
      values (${want}, ${s.id}, decode(${bytesAsHex(s.authorKey ?? s.id)}, 'hex'),
        decode(${bytesAsHex(s.text ?? s.id)}, 'hex'), ${created})`;
  }
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["headphones", "headphones"],
  ["earbuds", "earphones"],
  ["earphones", "earphones"],
  ["iem", "earphones"],
  ["kettle", "kettle"],
  ["kettles", "kettle"],
  ["boots", "boots"],
  ["mouse", "computer mouse"],
  ["router", "router"],
]);

/** A lexicon of a few words. */
export const findKinds: FindKinds = (words) =>
  words.flatMap((word, i) => {
    const kind = KINDS.get(word);
    return kind === undefined ? [] : [{ start: i, end: i + 1, kinds: [kind] }];
  });

/** A query as it is read, and what matches it. */
export async function lookFor(
  { sql }: Database,
  query: string,
  kinds: FindKinds,
  category: string | null = null,
  bounds = BOUNDS,
): Promise<{ readonly read: ReadQuery; readonly matches: readonly Match[] }> {
  const read = await readQuery(sql, { query, category }, kinds);
  return { read, matches: (await matchCorpus(sql, read, null, bounds)).matches };
}

/** Ids of matches, in order. */
export const idsOf = (matches: readonly Match[]): string[] =>
  matches.map(({ postId }) => postId).sort();

/** A match with the given parts; the rest is ordinary. */
export function match(parts: Partial<Match> & { readonly postId: string }): Match {
  return {
    wantIds: [],
    also: null,
    pattern: "frustration",
    category: "kitchen",
    product: "kettle",
    kind: "kettle",
    intensity: 2,
    wtp: 1,
    confidence: 0.9,
    quote: `Why do kettles leak, says ${parts.postId}`,
    title: "Kettles that leak",
    permalink: `https://example.com/${parts.postId}`,
    community: "things",
    upvotes: 5,
    createdAt: new Date(AS_OF.getTime() - 10 * DAY_MS),
    authorKey: `author of ${parts.postId}`,
    textKey: parts.postId,
    relevance: 1,
    head: 1,
    covered: 1,
    met: 1,
    ...parts,
  };
}

/** What matches a query, by the real lexicon. */
export const matchesOn = async (database: Database, query: string): Promise<readonly Match[]> =>
  (await lookFor(database, query, findListedKinds)).matches;

/** A query as it is read, by the real lexicon. */
export const readOn = (sql: Sql, query: string): Promise<ReadQuery> =>
  readQuery(sql, { query, category: null }, findListedKinds);

/** What a query asks of its product, by name. */
export const wantsOn = async (sql: Sql, query: string): Promise<string[]> =>
  (await readOn(sql, query)).plan.wants.map(({ name }) => name);

/** Those who want it as asked, or near. */
export const idsAsked = async (database: Database, query: string): Promise<string[]> =>
  idsOf(
    (await matchesOn(database, query))
      .filter(({ relevance, head }) => head >= 0.5 && relevance >= 0.5),
  );
