/** What goes without saying in a community: who asks for a sleeping bag in "backpacking" wants one for backpacking. */
import grantedText from "./granted.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { phraseWords } from "../../mining/lexicon/tokens.ts";
import { listLines } from "../../mining/lexicon/word_lists.ts";

/** A phrase that nobody has to say in a community. */
interface Granted {
  readonly community: string;
  /** Each in the singular. */
  readonly phrase: readonly string[];
}

/** What goes without saying, by its first word. */
const granted = once((): ReadonlyMap<string, readonly Granted[]> =>
  Map.groupBy(
    listLines(grantedText).flatMap((line) => {
      const [community = "", phrases = ""] = line.split(": ");
      return phrases.split(", ").map((phrase) => ({
        community,
        phrase: phraseWords(phrase).map(singular),
      }));
    }),
    ({ phrase }) => phrase[0] ?? "",
  )
);

/** The communities, in lower case, in which all that these words say goes without saying. */
export function communitiesGranting(words: readonly string[]): readonly string[] {
  const asked = new Set(words.map(singular));
  const said = new Map<string, Set<string>>();
  for (const first of asked) {
    for (const { community, phrase } of granted().get(first) ?? []) {
      if (!phrase.every((word) => asked.has(word))) continue;
      const all = said.get(community) ?? new Set();
      for (const word of phrase) all.add(word);
      said.set(community, all);
    }
  }
  return [...said].filter(([, all]) => all.size === asked.size).map(([community]) => community);
}
