/** A query by the word lists alone: the kinds or brands that it names, and the needs that it speaks of. */
import { editDistance } from "../../core/edit_distance.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { MEASURED } from "../amounts/amounts.ts";
import { isUncommon } from "../words/common.ts";
import { isAnyProduct } from "../words/same.ts";
import { EMPTY_WORDS } from "../words/word_classes.ts";
import { type FindKinds, isInfinitive, type KindSpan, PURPOSE } from "./head.ts";
import { findBrands } from "./kinds.ts";
import { findNeeds, type SpokenNeeds } from "./needs.ts";
import { includesAt } from "./parts.ts";
import { type Description, NAMED } from "./plan.ts";

/** A query by the word lists alone. */
export interface ByLists {
  readonly words: readonly string[];
  readonly spans: readonly KindSpan[];
  readonly needs: readonly SpokenNeeds[];
  readonly description: Description;
}

/**
 * Whether a noun of anything ends a name that no list has: a "fax machine" is none of the machines that people call so. A
 * need or a word that everybody uses before it leaves it what it is alone, and so does a slip: "sowing machine".
 */
function isUnlisted(words: readonly string[], { start, end, kinds }: KindSpan): boolean {
  const before = words[start - 1] ?? "";
  const name = words.slice(start - 1, end).join(" ");
  return start > 0 && kinds.length > 1 && isAnyProduct(words[start] ?? "") &&
    !EMPTY_WORDS.has(before) && !PURPOSE.has(before) && isUncommon(before) &&
    findNeeds([before], []).length === 0 &&
    !kinds.some((kind) => editDistance(name, singular(kind), 1) <= 1);
}

/** Reads words by the lists. */
export function byLists(words: readonly string[], findKinds: FindKinds): ByLists {
  const spansOf = (typed: readonly string[]): readonly KindSpan[] => {
    const kinds = findKinds(typed).filter((span) =>
      span.end - span.start > 1 || !(isInfinitive(typed, span.start) || isUnlisted(typed, span))
    );
    return kinds.length > 0 ? kinds : findBrands(typed);
  };
  const first = spansOf(words);
  const ruledOut = findNeeds(words, first).filter(({ start, none }) =>
    none !== undefined || words[start] === "non"
  );
  // A "keyboard that is not mechanical" is a keyboard, and so is a "non-mechanical keyboard".
  const isRuledOut = (i: number): boolean => {
    const named = first.find(includesAt(i));
    return ruledOut.some((need) =>
      includesAt(i)(need) &&
      (named === undefined || need.start < named.start && need.end < named.end)
    );
  };
  const spans = ruledOut.length === 0
    ? first
    : spansOf(words.map((word, i) => isRuledOut(i) ? MEASURED : word));
  return { words, spans, needs: findNeeds(words, spans), description: NAMED };
}
