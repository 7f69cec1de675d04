/** The needs of needs.txt, and which words speak of them. */
import needsText from "./needs.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { type FoundPhrase, PhraseBook } from "./phrases.ts";
import { phraseWords } from "./tokens.ts";

/** A specific need: what is asked of a product beyond its being one. */
export interface Need {
  readonly id: string;
  /** Categories and kinds it makes sense for; null: all. */
  readonly categories: readonly string[] | null;
  /** Kinds that nobody has to ask it of: a tent is for camping. */
  readonly inherent: readonly string[];
  /** Phrases that speak of it. */
  readonly cues: readonly (readonly string[])[];
}

const book = once((): PhraseBook<readonly Need[]> => {
  const cues = new PhraseBook<readonly Need[]>();
  const byCue = new Map<string, Need[]>();
  for (const line of needsText.split("\n")) {
    const [left = "", cueList = ""] = line.split(" | ").map((part) => part.trim());
    if (left === "" || left.startsWith("#")) continue;
    const [own = "", inherent = ""] = left.split(/\s+!/);
    const [name = "", scope] = own.split(/\s+@/);
    const need: Need = {
      id: name,
      categories: scope === undefined ? null : scope.split(",").map((part) => part.trim()),
      inherent: inherent.split(",").map((part) => part.trim()),
      cues: cueList.split(",").map(phraseWords).filter((words) => words.length > 0),
    };
    // A set: two spellings of one cue are one cue.
    for (const key of new Set(need.cues.map((cue) => cue.join(" ")))) {
      byCue.set(key, [...byCue.get(key) ?? [], need]);
    }
  }
  for (const [cue, meant] of byCue) cues.add(cue.split(" "), meant);
  return cues;
});

/**
 * Where words speak of needs, left to right: of those that make sense for one of these kinds or their
 * categories, of all if there are none.
 */
export function needsSpoken(
  words: readonly string[],
  kinds: readonly { readonly name: string; readonly category: string }[],
): readonly FoundPhrase<readonly Need[]>[] {
  const fitting = ({ categories }: Need): boolean =>
    categories === null || kinds.length === 0 ||
    kinds.some(({ name, category }) => categories.includes(name) || categories.includes(category));
  return book().all(words, words.map(() => false)).flatMap((hit) => {
    const value = hit.value.filter(fitting);
    return value.length === 0 ? [] : [{ ...hit, value }];
  });
}
