/** What goes without saying of a kind of product: words that restrict nothing, since all that are sold are so. */
import inherentText from "./inherent.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { listLines } from "./word_lists.ts";

/** Words that add nothing to a kind's name. */
interface InherentWords {
  /** Those that two writers or more named: "rechargeable" of an electric shaver. */
  readonly agreed: readonly string[];
  /** Those, and what one of them named. */
  readonly all: readonly string[];
}

const NONE: InherentWords = { agreed: [], all: [] };
const split = (words: string): readonly string[] =>
  words.split(/[\s-]+/).filter((word) => word !== "");

const inherent = once((): ReadonlyMap<string, InherentWords> =>
  new Map(
    listLines(inherentText).map((line): [string, InherentWords] => {
      const [kind = "", words = ""] = line.split(": ");
      const [agreed = "", doubtful = ""] = words.split("|");
      return [kind, { agreed: split(agreed), all: split(`${agreed} ${doubtful}`) }];
    }),
  )
);

/** The inherent words of a kind, in one form each. */
export const inherentWords = (kind: string): InherentWords => inherent().get(kind) ?? NONE;

/** Whether words say of a kind what all of it are: "portable" of a laptop. */
export const goesWithoutSaying = (kind: string, words: string): boolean =>
  split(words).every((word) => inherentWords(kind).agreed.includes(word));
