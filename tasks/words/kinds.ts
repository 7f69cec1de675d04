/**
 * Makes gauge/words/described.txt and gauge/words/stated.txt of tasks/train/described.ndjson, of posts, and of a
 * database in which posts were mined:
 * `CORPUS_DATABASE_URL=postgres://… deno run -A tasks/words/kinds.ts [POSTS.ndjson.gz]`. With `--held` it writes
 * nothing, and prints how often a kind is found by what other writers said of it than those who taught it.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { OperatorError } from "../../core/errors.ts";
import { openDatabase } from "../../db/mod.ts";
import type { Sql } from "../../db/sql.ts";
import { KindTable } from "../../gauge/words/kind_table.ts";
import { foldedWords } from "../../gauge/input.ts";
import { queryWords } from "../../gauge/query/said/mod.ts";
import { wholeNames } from "../../gauge/words/same.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { phraseWords } from "../../mining/lexicon/tokens.ts";
import { runTask } from "../run_task.ts";
import { DEV, readLabelledPosts, requireFile } from "../train/data.ts";
import { commonOf, type Described, learnDescribed } from "../train/described.ts";
import { describedRows } from "../train/items.ts";

const TABLE = "gauge/words/described.txt";
const STATED = "gauge/words/stated.txt";
/** Texts that a word stands in at least for its share to be known. */
const FEWEST_TEXTS = 20;
/** Words of a post that are read. */
const MOST_WORDS = 400;

/** A text about a kind in words. */
interface Told extends Omit<Described, "stems"> {
  readonly words: readonly string[];
  readonly writer: number | null;
}

const plain = (stem: string): boolean => /^[a-z0-9]*[a-z][a-z0-9]*$/.test(stem);

/** The kind of the word lists that a name names, or the name. */
function kindOf(name: string): string {
  if (lexicon().kinds.has(name)) return name;
  const term = lexicon().terms.get(phraseWords(name));
  return term?.type === "kind" ? term.kind.name : name;
}

/** What the word lists call the kinds. */
function named(kinds: ReadonlySet<string>): Told[] {
  const { terms, brands, shown } = lexicon();
  const names = new Map([...kinds].map((kind) => [kind, new Set([kind, ...wholeNames(kind)])]));
  for (const phrase of shown) {
    const term = terms.get(phraseWords(phrase));
    if (term?.type === "kind") names.get(term.kind.name)?.add(phrase);
  }
  for (const brand of brands.values()) {
    for (const kind of brand.kinds) names.get(kind.name)?.add(brand.name);
  }
  return [...names].flatMap(([kind, all]) =>
    [...all].map((name): Told => ({ kind, from: "name", words: queryWords(name), writer: null }))
  );
}

/** The posts of the corpus that want one of the kinds. */
async function wanted(sql: Sql, kinds: ReadonlySet<string>): Promise<Described[]> {
  const rows = await sql<{ kind: string; stems: string[] }[]>`
    select s.kind, to_json(tsvector_to_array(i.words || coalesce(i.body, ''))) as stems
    from signals s join signal_index i using (post_id) order by post_id`;
  return rows.map(({ kind, stems }) => ({
    kind: kindOf(kind),
    from: "corpus" as const,
    stems: stems.filter(plain),
  })).filter(({ kind }) => kinds.has(kind));
}

/** The stems of words, as the database stems them. */
async function stemmer(
  sql: Sql,
  words: ReadonlySet<string>,
): Promise<(words: readonly string[]) => string[]> {
  const rows = await sql<{ word: string; stem: string }[]>`
    select word, stem from unnest(${[...words].sort()}::text[]) as w (word),
      unnest(tsvector_to_array(to_tsvector('english', word))) as stem`;
  const stems = new Map<string, string>();
  for (const { word, stem } of rows) if (plain(stem)) stems.set(word, stem);
  return (all) => all.flatMap((word) => stems.get(word) ?? []);
}

/** The share of queries whose kind is the first, among the first three, and claimed wrongly by the certain. */
function figuresOf(table: KindTable, asked: readonly Described[]): string {
  const ranks = asked.map(({ kind, stems }) => {
    const found = table.read(stems);
    return { rank: found.findIndex((one) => one.kind === kind), share: found[0]?.share ?? 0 };
  });
  const part = (test: (one: { rank: number; share: number }) => boolean): string =>
    (ranks.filter(test).length / ranks.length).toFixed(3);
  const claims = [0.5, 0.6, 0.7, 0.8, 0.9].map((least) =>
    `from ${least} ${part(({ rank, share }) => rank === 0 && share >= least)} right and ${
      part(({ rank, share }) => rank !== 0 && share >= least)
    } wrong`
  );
  return `${ranks.length} queries: first ${part(({ rank }) => rank === 0)}, among three ${
    part(({ rank }) => rank >= 0 && rank < 3)
  }; ${claims.join(", ")}`;
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
  for (const { stem, tenths } of rows) {
    if (/^[a-z][a-z0-9]+$/.test(stem)) tiers[tenths]?.push(stem);
  }
  return [
    "# Made by tasks/words/kinds.ts: stems by how many of the texts that hold them state a fact or a product with them,",
    "# in tenths: the first line's less than one.",
    ...tiers.map((stems) => stems.join(" ")),
    "",
  ].join("\n");
}

await runTask(async () => {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: { held: { type: "boolean", default: false } },
  });
  const url = Deno.env.get("CORPUS_DATABASE_URL");
  if (url === undefined) {
    throw new OperatorError("CORPUS_DATABASE_URL names no mined database");
  }
  const written = describedRows();
  const kinds = new Set(written.map(({ kind }) => kindOf(kind)));
  const told: Told[] = [
    ...written.map(({ writer, kind, form, title = "", text }) => ({
      kind: kindOf(kind),
      from: form,
      words: queryWords(`${title} ${text}`, undefined, Infinity),
      writer,
    })),
    ...named(kinds),
  ];
  const posts = readLabelledPosts(requireFile(positionals[0] ?? DEV.posts)).map(({ title, body }) =>
    foldedWords(`${title} ${body}`.replaceAll(/https?:\S+/g, " ")).slice(0, MOST_WORDS)
  );
  const database = await openDatabase({ databaseUrl: url, dataDir: "" }, {
    share: false,
    now: Date.now,
  });
  const { sql } = database;
  const stems = await stemmer(sql, new Set([...told.map(({ words }) => words), ...posts].flat()));
  const corpus = await wanted(sql, kinds);
  const read = told.map(({ words, ...rest }) => ({ ...rest, stems: stems(words) }));
  const common = commonOf(posts.map(stems));
  const learn = (texts: readonly Described[]): string =>
    KindTable.write(learnDescribed([...texts, ...corpus], common));
  if (values.held) {
    for (const taught of [[1, 2], [3, 4]]) {
      const isTaught = ({ writer }: Pick<Told, "writer">) =>
        writer === null || taught.includes(writer);
      const table = new KindTable(learn(read.filter(isTaught)));
      console.log(
        `taught by writers ${taught.join(" and ")}, of the others' `,
        figuresOf(table, read.filter((text) => text.from === "query" && !isTaught(text))),
      );
    }
  } else {
    writeFileSync(TABLE, learn(read));
    writeFileSync(STATED, await stated(sql));
  }
  await database.close();
});
