import typesText from "./types_of.txt" with { type: "text" };
import type { Mention } from "./mentions.ts";
import { plural, singular } from "./grammar.ts";
import { phraseWords, type Words } from "./tokens.ts";

/** Type by kind and phrase: "backpack" and "courier bag" make "messenger bag". */
const TYPES = new Map<string, ReadonlyMap<string, string>>();
const NAMES = new Map<string, string>();

function load(): void {
  for (const line of typesText.split("\n")) {
    const [kind = "", right = ""] = line.split(" = ");
    if (kind === "" || kind.startsWith("#")) continue;
    const byPhrase = new Map<string, string>();
    for (const part of right.split("|")) {
      const [name = "", others = ""] = part.split(":").map((piece) => piece.trim());
      for (const phrase of [name, ...others.split(",")]) {
        const words = phraseWords(phrase).join(" ");
        for (const form of [words, plural(words), singular(words)]) byPhrase.set(form, name);
      }
      NAMES.set(slug(name), name);
    }
    TYPES.set(kind, byPhrase);
  }
}

function slug(name: string): string {
  return `type-${name.replace(/'/g, "").replace(/ /g, "-")}`;
}
load();

/** The name of a type by its slug ("type-messenger-bag"), or undefined. */
export function typeName(id: string): string | undefined {
  return NAMES.get(id);
}

/** The slug of the type that the heaviest place names, or null where it names the kind at large. */
export function typeOf(words: Words, kind: string, mention: Mention | null): string | null {
  const types = TYPES.get(kind);
  if (types === undefined || mention === null) return null;
  const phrase = words.word.slice(mention.start, mention.end).join(" ");
  const name = types.get(phrase);
  return name === undefined ? null : slug(name);
}
