/** Types of a kind that stand in the place of a need: messenger bags among backpacks. */
import typesText from "./types_of.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import type { Mention } from "./mentions.ts";
import { plural, singular } from "./grammar.ts";
import { phraseWords, type Words } from "./tokens.ts";

interface Types {
  /** Type by kind and phrase: "backpack" and "courier bag" make "messenger bag". */
  readonly byKind: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly names: ReadonlyMap<string, string>;
}

function load(): Types {
  const byKind = new Map<string, ReadonlyMap<string, string>>();
  const names = new Map<string, string>();
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
      names.set(slug(name), name);
    }
    byKind.set(kind, byPhrase);
  }
  return { byKind, names };
}

const types = once(load);

function slug(name: string): string {
  return `type-${name.replace(/'/g, "").replace(/ /g, "-")}`;
}

/** The name of a type by its slug ("type-messenger-bag"), or undefined. */
export function typeName(id: string): string | undefined {
  return types().names.get(id);
}

/** The slug of the type that a place names, or null where it names the kind at large. */
export function typeOf(words: Words, kind: string, mention: Mention | null): string | null {
  const ofKind = types().byKind.get(kind);
  if (ofKind === undefined || mention === null) return null;
  const phrase = words.word.slice(mention.start, mention.end).join(" ");
  const name = ofKind.get(phrase);
  return name === undefined ? null : slug(name);
}
