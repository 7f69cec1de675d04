/** What the words of a query say of its kind, by the kinds of the posts that have them. */
import { kindsNaming, type WordTerms } from "../../../db/matching/search_terms.ts";
import type { Sql } from "../../../db/sql.ts";
import { singular } from "../../../mining/lexicon/grammar.ts";
import { wordWeight } from "../../words/common.ts";
import { onlyAsks } from "../../words/word_classes.ts";
import type { ByLists } from "../by_lists.ts";
import type { Head } from "../head.ts";
import { includesAt, type QueryWord } from "../parts.ts";
import type { Hint } from "../product.ts";
import { HEARD } from "./counts.ts";

/** How many words before the noun may tell the kind, how rare they must be, and in how many signals they may stand. */
const MOST_BEFORE = 3;
const RARE = 0.85;
const MOST_HINTING = 400;
/** The share of a word's posts that are of one kind where the word says the kind. */
const MOSTLY = 0.5;

/** For words before the noun, and for a noun that no product has: the kind that most of their posts are of. */
export async function hintsOf(
  sql: Sql,
  words: readonly QueryWord[],
  head: Head | null,
  { spans, needs }: ByLists,
  counts: WordTerms["counts"],
): Promise<readonly Hint[]> {
  if (head === null || head.service !== null) return [];
  const isNamed = (i: number) => [...spans, ...needs].some(includesAt(i));
  const asked = words.flatMap(({ word, stems }, at) => {
    const [stem] = stems;
    const signals = stem === undefined ? 0 : counts.get(stem)?.signals ?? 0;
    const near = at <= head.last && at >= head.last - MOST_BEFORE;
    const tells = near && !isNamed(at) && !onlyAsks(word) && wordWeight(word) >= RARE;
    return tells && stem !== undefined && signals >= HEARD && signals <= MOST_HINTING
      ? [{ at, stem }]
      : [];
  });
  const found = await kindsNaming(sql, asked.map(({ stem }) => stem));
  return asked.flatMap(({ at, stem }): Hint[] => {
    // Those who call it by its noun alone do not say which kind it is.
    const noun = singular(words[head.last]?.word ?? "");
    const kinds = found.filter((one) => one.stem === stem && singular(one.kind) !== noun);
    const all = kinds.reduce((sum, { signals }) => sum + signals, 0);
    const [most] = kinds;
    return most !== undefined && most.signals >= all * MOSTLY ? [{ at, kind: most.kind }] : [];
  });
}
