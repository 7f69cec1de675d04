/** What the counts of search terms say of words and kinds. */
import { kindTerm, RULED_OUT } from "../../../db/matching/plan.ts";
import type { WordTerms } from "../../../db/matching/search_terms.ts";
import { wholeNames } from "../../words/same.ts";

/** A word that stands in this many signals is not a typing error. */
export const HEARD = 3;

/** How many signals have, or rule out, that one of the stems which the most do. */
export const signalsOf = (stems: readonly string[] = [], counts: WordTerms["counts"]): number =>
  Math.max(
    0,
    ...stems.flatMap((stem) => [stem, RULED_OUT + stem]).map((term) =>
      counts.get(term)?.signals ?? 0
    ),
  );

/** Whether any signal is of a kind. */
export const isWanted = (kind: string, counts: WordTerms["counts"]): boolean =>
  wholeNames(kind).some((name) => counts.has(kindTerm(name)));
