/** Words that the corpus lacks, or hardly has, and the words that they were probably meant to be. */
import { editDistance, editsAllowed } from "../../../core/edit_distance.ts";
import { type Group, RULED_OUT } from "../../../db/matching/plan.ts";
import {
  readTerms,
  similarTerms,
  stemsInTexts,
  type TermCount,
  type WordTerms,
} from "../../../db/matching/search_terms.ts";
import type { Sql } from "../../../db/sql.ts";
import { isKnownWord } from "../../words/common.ts";
import { areSwapped, isMistaken, meantWord, withoutMistake } from "../../words/spelling.ts";
import type { ByLists } from "../by_lists.ts";
import { includesAt } from "../parts.ts";
import { HEARD, signalsOf } from "./counts.ts";

/**
 * A word of so many letters is a mistake although posts have it, where one that a single slip parts it from is so many
 * times as frequent: "moniter".
 */
const LONG = 6;
const RARER = 20;

/** The words, with those that the corpus lacks, and plain mistakes, replaced by what was probably meant. */
export async function corrected(
  sql: Sql,
  words: readonly string[],
  { stemsOf, counts }: WordTerms,
): Promise<readonly string[]> {
  const ownStems = (i: number): Group => stemsOf.get(words[i] ?? "") ?? [];
  const meant = words.map((word, i) =>
    signalsOf(ownStems(i), counts) < HEARD ? meantWord(word) : withoutMistake(word, ownStems(i))
  );
  const doubtful = words.flatMap((word, i) => word === meant[i] ? [] : [i]);
  if (doubtful.length === 0) return words;
  const written = await stemsInTexts(sql, doubtful.flatMap(ownStems));
  const isWritten = (i: number): boolean => {
    const [word = "", other = ""] = [words[i], meant[i]];
    const own = ownStems(i);
    return own.some((stem) => written.has(stem) || counts.has(RULED_OUT + stem)) &&
      !isMistaken(word, other, own);
  };
  // A product's name corrects no word that people write as it is, but a slip that some of them make.
  const slips = doubtful.filter((i) => {
    const word = words[i] ?? "";
    const isSlip = editDistance(word, meant[i] ?? "", 1) <= 1 || areSwapped(word, meant[i] ?? "");
    return isWritten(i) && word.length >= LONG && isSlip;
  });
  const others = slips.length === 0
    ? null
    : await readTerms(sql, slips.map((i) => meant[i] ?? ""), []);
  const isRarer = (i: number): boolean =>
    others !== null && signalsOf(others.stemsOf.get(meant[i] ?? ""), others.counts) >=
      RARER * Math.max(1, signalsOf(ownStems(i), counts));
  const mistakes = new Set([...doubtful.filter((i) => !isWritten(i)), ...slips.filter(isRarer)]);
  return words.map((word, i) => mistakes.has(i) ? meant[i] ?? word : word);
}

/** Marks part a word into single letters, by which a tenth of all words would be looked at. */
const MARK = /\p{M}/u;

/** The corpus's words that unknown words, which no list has either, may have been meant to be. */
export async function meantTerms(
  sql: Sql,
  { words, spans }: ByLists,
  { stemsOf, counts }: WordTerms,
): Promise<readonly (TermCount & { readonly stem: string })[]> {
  const isNamed = (i: number) => spans.some(includesAt(i));
  const doubtful = words.flatMap((word, i) =>
    editsAllowed(word) > 0 && !MARK.test(word) && !isKnownWord(word) && !isNamed(i)
      ? (stemsOf.get(word) ?? []).filter((stem) => !counts.has(stem))
      : []
  );
  return (await similarTerms(sql, doubtful)).filter(({ stem, term }) => {
    const limit = editsAllowed(stem);
    return term !== stem && term[0] === stem[0] && editDistance(stem, term, limit) <= limit;
  });
}
