/**
 * Makes gauge/query/shelves.txt and gauge/query/stated.txt of a database that was mined:
 * `CORPUS_DATABASE_URL=postgres://… deno run -A tasks/gauge_shelves.ts`
 */
import { writeFileSync } from "node:fs";
import { openDatabase } from "../db/mod.ts";
import type { Sql } from "../db/sql.ts";
import { wholeNames } from "../gauge/query/same.ts";
import { lexicon } from "../mining/lexicon/lexicon.ts";

const SHELVES = "gauge/query/shelves.txt";
const STATED = "gauge/query/stated.txt";

/** A kind has so many posts at least, and a word stands in so many of them, and in so many of all kinds. */
const FEWEST_POSTS = 3;
const FEWEST_WORDS = 2;
const FEWEST_ANYWHERE = 5;
/** So many posts are added to each kind in which words are as frequent as in all. */
const SMOOTHING = 6;
/** Logarithms of how much likelier a word is in a kind's posts than in any: the least that is kept, and the most. */
const LEAST = 0.7;
const MOST = 4;
/** What few posts say may be chance: a word in so many is at most this many times the binary logarithm of them likelier. */
const TRUST = 2;
/** Words of a kind that are kept, those first that tell most of its posts from others. */
const WORDS = 60;
/** Texts that a word stands in at least for its share to be known. */
const FEWEST_TEXTS = 20;

interface WordOfKind {
  readonly kind: string;
  readonly stem: string;
  readonly posts: number;
}

/** The kind of the word lists that a name names, or the name. */
function kindOf(name: string): string {
  const term = lexicon().terms.get(name.split(/[\s-]+/));
  return term?.type === "kind" ? term.kind.name : name;
}

const plain = (stem: string): boolean => /^[a-z][a-z0-9]+$/.test(stem);

/** The stems of the names that the word lists have for each kind, with the words of the shortest name that has them. */
async function namesOf(sql: Sql): Promise<Map<string, Map<string, number>>> {
  const names = [...lexicon().kinds.keys()].flatMap((kind) =>
    wholeNames(kind).map((name) => ({ kind, name }))
  );
  const rows = await sql<{ kind: string; stem: string; words: number }[]>`
    select kind, unnest(tsvector_to_array(to_tsvector('english', name))) as stem,
      length(to_tsvector('english', name)) as words
    from unnest(${names.map(({ kind }) => kind)}::text[], ${names.map(({ name }) => name)}::text[])
      as n (kind, name)`;
  const stems = new Map<string, Map<string, number>>();
  for (const { kind, stem, words } of rows.filter(({ stem }) => plain(stem))) {
    const known = stems.get(kind) ?? new Map<string, number>();
    stems.set(kind, known.set(stem, Math.min(words, known.get(stem) ?? words)));
  }
  return stems;
}

async function shelves(sql: Sql): Promise<string> {
  const rows = await sql<WordOfKind[]>`
    select s.kind, stem, count(*)::int as posts
    from signals s join signal_index i using (post_id),
      unnest(tsvector_to_array(i.words || coalesce(i.body, ''))) as stem
    where stem !~ '/' group by 1, 2`;
  const sizes = await sql<{ kind: string; posts: number }[]>`
    select kind, count(*)::int as posts from signals group by 1`;
  const total = sizes.reduce((sum, { posts }) => sum + posts, 0);
  const kinds = new Map<string, { posts: number; words: Map<string, number> }>();
  const everywhere = new Map<string, number>();
  for (const { kind, posts } of sizes) {
    const name = kindOf(kind);
    const before = kinds.get(name);
    if (before === undefined) kinds.set(name, { posts, words: new Map() });
    else before.posts += posts;
  }
  for (const { kind, stem, posts } of rows) {
    if (!plain(stem)) continue;
    const words = kinds.get(kindOf(kind))?.words;
    words?.set(stem, (words.get(stem) ?? 0) + posts);
    everywhere.set(stem, (everywhere.get(stem) ?? 0) + posts);
  }
  const named = await namesOf(sql);
  for (const name of named.keys()) {
    if (!kinds.has(name)) kinds.set(name, { posts: 0, words: new Map() });
  }
  const isWord = (stem: string): boolean => (everywhere.get(stem) ?? 0) > 0;
  const namedBy = new Map<string, number>();
  for (const stem of [...named.values()].flatMap((stems) => [...stems.keys()])) {
    namedBy.set(stem, (namedBy.get(stem) ?? 0) + 1);
  }
  const lines = [...kinds]
    .filter(([name, { posts }]) => (posts >= FEWEST_POSTS || named.has(name)) && /[a-z]/.test(name))
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, { posts, words }]) => {
      const lifts = new Map<string, { lift: number; worth: number }>();
      for (const [stem, n] of words) {
        if (n < FEWEST_WORDS || (everywhere.get(stem) ?? 0) < FEWEST_ANYWHERE) continue;
        const share = (everywhere.get(stem) ?? 0) / total;
        const all = Math.log((n + SMOOTHING * share) / (posts + SMOOTHING) / share);
        const lift = Math.min(MOST, TRUST * Math.log2(n), all);
        if (lift >= LEAST) lifts.set(stem, { lift, worth: lift * n });
      }
      for (const stem of named.get(name)?.keys() ?? []) {
        const lift = Math.min(MOST, Math.log(named.size / (namedBy.get(stem) ?? 1))) /
          (named.get(name)?.get(stem) ?? 1);
        const before = lifts.get(stem);
        if (before === undefined || before.lift < lift) lifts.set(stem, { lift, worth: Infinity });
      }
      const told = [...lifts].filter(([stem]) => isWord(stem) || named.get(name)?.has(stem))
        .sort(([a, x], [b, y]) => y.worth - x.worth || (a < b ? -1 : 1))
        .slice(0, WORDS);
      return `${name} = ${
        told.map(([stem, { lift }]) => `${stem}:${Math.round(lift * 4)}`).join(" ")
      }`;
    });
  return [
    "# Made by tasks/gauge_shelves.ts: kinds of products with the stems that their posts hold more often than others,",
    "# each with the logarithm of how much more often, in quarters.",
    ...lines,
    "",
  ].join("\n");
}

async function stated(sql: Sql): Promise<string> {
  const rows = await sql<{ stem: string; tenths: number }[]>`
    with stems as (
      select lexeme as stem, 'A' = any(weights) as stated
      from signal_index i, unnest(i.words || coalesce(i.body, '')) where lexeme !~ '/'
    )
    select stem, floor(10.0 * count(*) filter (where stated) / count(*))::int as tenths
    from stems group by 1 having count(*) >= ${FEWEST_TEXTS} order by stem collate "C"`;
  const tiers = Array.from({ length: 11 }, (): string[] => []);
  for (const { stem, tenths } of rows) if (plain(stem)) tiers[tenths]?.push(stem);
  return [
    "# Made by tasks/gauge_shelves.ts: stems by how many of the texts that hold them state a fact or a product with them,",
    "# in tenths: the first line's less than one.",
    ...tiers.map((stems) => stems.join(" ")),
    "",
  ].join("\n");
}

const url = Deno.env.get("CORPUS_DATABASE_URL");
if (url === undefined) {
  console.error("CORPUS_DATABASE_URL names no mined database");
  Deno.exit(1);
}
const database = await openDatabase({ databaseUrl: url, dataDir: "" }, {
  share: false,
  now: Date.now,
});
writeFileSync(SHELVES, await shelves(database.sql));
writeFileSync(STATED, await stated(database.sql));
await database.close();
