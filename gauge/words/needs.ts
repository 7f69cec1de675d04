/** What people ask of products in many ways, by needs.txt: which words ask for it, and which say the same. */
import needsText from "./needs.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { type FoundPhrase, PhraseBook } from "../../mining/lexicon/phrases.ts";
import { phraseWords } from "../../mining/lexicon/tokens.ts";
import { listLines } from "../../mining/lexicon/word_lists.ts";

/** A need, as one phrase speaks of it. */
export interface Need {
  /** Shared by all phrases of a line. */
  readonly id: string;
  /** The need, or the part of it that the phrase asks for. */
  readonly asked: string;
  /** Its name, where the phrase asks for what the name says. */
  readonly name: readonly string[] | null;
  /** Categories and kinds it makes sense for; null: all. */
  readonly categories: readonly string[] | null;
  /** Kinds that nobody has to ask it of: a tent is for camping. */
  readonly inherent: readonly string[];
  /** Phrases by which people ask for the same, or for a part of what this phrase asks for. */
  readonly cues: readonly (readonly string[])[];
  /** Phrases that ask for what this is a part of. */
  readonly wider: readonly (readonly string[])[];
}

/** What a line says, by the phrases that ask for it: those of the first group ask for any of the others. */
function needsOf(
  line: string,
): { readonly need: Need; readonly phrases: readonly (readonly string[])[] }[] {
  const [left = "", list = ""] = line.split(" | ").map((part) => part.trim());
  const [own = "", inherent = ""] = left.split(/\s+!/);
  const [id = "", scope] = own.split(/\s+@/);
  const common = {
    categories: scope === undefined ? null : scope.split(",").map((part) => part.trim()),
    inherent: inherent.split(",").map((part) => part.trim()),
  };
  const name = phraseWords(id.replaceAll("-", " "));
  const groups = list.split(";").map((group) =>
    group.split(",").map(phraseWords).filter((words) => words.length > 0)
  );
  return groups.map((phrases, i) => {
    const isWhole = i === 0;
    const isNamed = isWhole || phrases.some((cue) => cue.join(" ") === name.join(" "));
    const need = {
      ...common,
      id,
      asked: isNamed ? id : `${id}-${i}`,
      name: isNamed ? name : null,
      cues: isWhole ? groups.flat() : phrases,
      wider: isWhole ? [] : groups[0] ?? [],
    };
    return { need, phrases };
  });
}

const book = once((): PhraseBook<readonly Need[]> => {
  const byCue = new Map<string, Need[]>();
  for (const line of listLines(needsText)) {
    for (const { need, phrases } of needsOf(line)) {
      // A set: two spellings of one cue are one cue.
      for (const cue of new Set(phrases.map((words) => words.join(" ")))) {
        byCue.set(cue, [...byCue.get(cue) ?? [], need]);
      }
    }
  }
  const cues = new PhraseBook<readonly Need[]>();
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
