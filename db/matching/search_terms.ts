/** The words of a query as the index knows them: stems, how frequent they are, and what they may mean. */
import { json, type Queryable } from "../sql.ts";
import type { Group, Term } from "./plan.ts";
import { tsquery } from "./sql.ts";

export interface TermCount {
  readonly term: string;
  readonly id: number;
  readonly signals: number;
}

export interface WordTerms {
  /** The stems of each word that was looked up; none of words that say nothing ("the"). */
  readonly stemsOf: ReadonlyMap<string, readonly string[]>;
  /** In how many signals the terms stand, those of products' names and what is ruled out too; terms that stand in none are missing. */
  readonly counts: ReadonlyMap<string, TermCount>;
  /** Terms that were looked for and stand in none. */
  readonly absent: ReadonlySet<string>;
  /** Signals of each heat, in eighths of a half-life, hottest first. */
  readonly heats: readonly { readonly heat: number; readonly signals: number }[];
}

/** Stems words as signals are stemmed, and counts those and `terms`. */
export async function readTerms(
  sql: Queryable,
  words: readonly string[],
  terms: readonly string[],
): Promise<WordTerms> {
  const distinct = [...new Set(words)];
  const rows = await sql<
    { ord: number; term: string; id: number | null; signals: number | null }[]
  >`
    with stemmed as materialized (
      select ord, term from unnest(${distinct}::text[]) with ordinality as w (word, ord),
        unnest(tsvector_to_array(to_tsvector('english', word))) as term
    ), asked as (
      select ord, term from stemmed
      union all select 0, prefix || term from stemmed, unnest(array['p/', 'e/', 'x/']) as prefix
      union all select 0, term from unnest(${[...terms]}::text[]) as term
    )
    select a.ord, a.term, t.id, t.signals
    from asked a left join lateral (
      -- The offset keeps the planner, which expects many words, from reading all terms.
      select id, signals from search_terms where term = a.term offset 0
    ) t on true
    union all
    select -1, term, id, signals from search_terms where term >= 'h/' and term < 'h0'`;
  const stemsOf = new Map<string, string[]>(distinct.map((word) => [word, []]));
  const counts = new Map<string, TermCount>();
  const absent = new Set<string>();
  const heats: { heat: number; signals: number }[] = [];
  for (const { ord, term, id, signals } of rows) {
    if (ord === -1) heats.push({ heat: Number(term.slice(2)), signals: signals ?? 0 });
    else {
      if (ord > 0) stemsOf.get(distinct[ord - 1] ?? "")?.push(term);
      if (id !== null && signals !== null) counts.set(term, { term, id, signals });
      else absent.add(term);
    }
  }
  return { stemsOf, counts, absent, heats: heats.sort((a, b) => b.heat - a.heat) };
}

/** Those of the stems that stand in a text, be it in a body alone. */
export async function stemsInTexts(sql: Queryable, stems: readonly string[]): Promise<Set<string>> {
  if (stems.length === 0) return new Set();
  const rows = await sql<{ stem: string }[]>`
    select stem from unnest(${[...stems]}::text[]) as s (stem) where stands(stem)`;
  return new Set(rows.map(({ stem }) => stem));
}

/** The kinds of the signals with a stem in their words, most signals first, of the first 80 of them. */
export async function kindsNaming(
  sql: Queryable,
  stems: readonly string[],
): Promise<readonly { readonly stem: string; readonly kind: string; readonly signals: number }[]> {
  if (stems.length === 0) return [];
  return await sql<{ stem: string; kind: string; signals: number }[]>`
    select s.stem, k.kind, k.signals
    from unnest(${[...stems]}::text[]) as s (stem) cross join lateral kinds_naming(s.stem, 80) k
    order by 1, 3 desc, 2`;
}

/** Terms that look like the stems, by the trigrams they share; for a closer look at their letters. */
export async function similarTerms(
  sql: Queryable,
  stems: readonly string[],
): Promise<(TermCount & { readonly stem: string })[]> {
  if (stems.length === 0) return [];
  return await sql<(TermCount & { readonly stem: string })[]>`
    select s.stem, t.term, t.id, t.signals
    from unnest(${[...stems]}::text[]) as s (stem)
      cross join lateral similar_terms(s.stem, 12) t`;
}

/** How many signals, 200 at most, have one of `some` and all of `all`, product and facts, quote and title together. */
export async function signalsWith(
  sql: Queryable,
  some: readonly Term[],
  all: Group,
): Promise<number> {
  const ways = [[tsquery(some.map((term) => [term])), tsquery([all])]];
  const [row] = await sql<{ n: number }[]>`
    select signals_counted(${json(sql, ways)}::jsonb, false, 200) as n`;
  return row?.n ?? 0;
}
