/** The needs of needs.txt, and which words speak of them. */
import needsText from "./needs.txt" with { type: "text" };
import { once } from "../../core/once.ts";
import { bandPhrase } from "./price.ts";
import { type Found, PhraseBook } from "./phrases.ts";
import { singular } from "./grammar.ts";
import { phraseWords } from "./tokens.ts";

/** A specific need: what is asked of a product beyond its being one. */
export interface Need {
  readonly id: string;
  /** What a title says: after the product, or before it where it begins with `^`. */
  readonly phrase: string;
  /** Categories and kinds it makes sense for; null: all. */
  readonly categories: readonly string[] | null;
  /** Kinds it goes without saying for, or makes no sense for. */
  readonly not: ReadonlySet<string>;
  /** How telling its cues are: 1, less for what many posts say in passing. */
  readonly weight: number;
  /** The telling words of its id, and those of its phrase: a product called by all of either says it. */
  readonly said: readonly (readonly string[])[];
  /** Phrases that speak of it. */
  readonly cues: readonly (readonly string[])[];
}

/** `~` before an id: said in passing by many; `-`: broad. */
const MARKS: Readonly<Record<string, number>> = { "~": 0.45, "-": 0.7 };

interface Needs {
  readonly byId: ReadonlyMap<string, Need>;
  readonly cues: PhraseBook<readonly Need[]>;
}

function load(): Needs {
  const byId = new Map<string, Need>();
  const cues = new PhraseBook<readonly Need[]>();
  const byCue = new Map<string, Need[]>();
  for (const line of needsText.split("\n")) {
    const [left = "", phrase = "", told = ""] = line.split(" | ").map((part) => part.trim());
    if (left === "" || left.startsWith("#") || phrase === "") continue;
    const [front = "", except = ""] = left.split(/\s+!/);
    const [name = "", scope] = front.split(/\s+@/);
    const mark = MARKS[name.slice(0, 1)];
    const need: Need = {
      id: mark === undefined ? name : name.slice(1),
      phrase,
      categories: scope === undefined ? null : scope.split(",").map((part) => part.trim()),
      not: new Set(except.split(",").map((kind) => kind.trim())),
      weight: mark ?? 1,
      said: [tellingWords(mark === undefined ? name : name.slice(1)), tellingWords(phrase)],
      cues: told.split(",").map(phraseWords).filter((words) => words.length > 0),
    };
    byId.set(need.id, need);
    // A set: two spellings of one cue are one cue.
    for (const key of new Set(need.cues.map((cue) => cue.join(" ")))) {
      byCue.set(key, [...byCue.get(key) ?? [], need]);
    }
  }
  for (const [cue, meant] of byCue) cues.add(cue.split(" "), meant);
  return { byId, cues };
}

/** All of them, and the phrases that speak of them. */
export const needs = once(load);

/** A need by its id, or undefined; a band of prices is one too. */
export function needById(id: string): Need | undefined {
  const phrase = bandPhrase(id);
  if (phrase === undefined) return needs().byId.get(id);
  return { id, phrase, categories: null, not: new Set(), weight: 1, said: [], cues: [] };
}

/**
 * Where words speak of needs, left to right: of those that make sense for one of these kinds or their
 * categories, of all where there are none.
 */
export function needsSpoken(
  words: readonly string[],
  kinds: readonly { readonly name: string; readonly category: string }[],
): readonly Found<readonly Need[]>[] {
  const fitting = ({ categories }: Need): boolean =>
    categories === null || kinds.length === 0 ||
    kinds.some(({ name, category }) => categories.includes(name) || categories.includes(category));
  return needs().cues.all(words, words.map(() => false)).flatMap((hit) => {
    const value = hit.value.filter(fitting);
    return value.length === 0 ? [] : [{ ...hit, value }];
  });
}

/** Whether a need makes sense for a kind of a category. */
export function fits(need: Need, category: string, kind: string): boolean {
  if (need.not.has(kind) || kind.split(" ").includes(need.id)) return false;
  return need.categories === null || need.categories.includes(category) ||
    need.categories.includes(kind);
}

const LITTLE_WORDS = new Set(
  "a an the that is are do does not for to with from in on and or of it no what there be".split(
    " ",
  ),
);

/** Every telling word of a phrase, singular. */
function tellingWords(phrase: string): readonly string[] {
  return phrase.replace(/\{([^|}]*)\|[^}]*\}/g, "$1").toLowerCase().replace(/'s\b/g, "").split(
    /[^a-z0-9]+/,
  )
    .filter((word) => word !== "" && !LITTLE_WORDS.has(word)).map(singular);
}

/** Whether a product's name says all of a need already: "wireless keyboard", "keychain light". */
export function saysNeed(name: string, { said }: Need): boolean {
  // Hardly a name does: the cheap look comes first.
  if (!said.some((telling) => telling.every((word) => name.includes(word)))) return false;
  const words = new Set(tellingWords(name));
  return said.some((telling) => telling.length > 0 && telling.every((word) => words.has(word)));
}
