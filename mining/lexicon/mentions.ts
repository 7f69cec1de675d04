/** Where a text names kinds of products. */
import { type Kind, lexicon, type Sense } from "./lexicon.ts";
import type { FoundPhrase } from "./phrases.ts";
import type { Words } from "./tokens.ts";
import { isVerb } from "./verbs.ts";

/** A place where the text names a kind of product: words `start` up to, not including, `end`. */
interface NamedKind {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
}

/** Right after a product they make a place or a program of it: "bike shop", "camera app". */
const PLACES: ReadonlySet<string> = new Set(
  "shop shops store stores dealer dealers dealership app apps software".split(" "),
);

/** Words after a product that make another one of it ("phone case", "guitar strap"). */
const ACCESSORIES: ReadonlyMap<string, string> = new Map(
  "case cover strap mount stand holder charger battery cable cord adapter rack bag cleaner filter lens part accessory sleeve remote cartridge bulb storage hanger lock"
    .split(" ").map((word) => [word, word] as const),
).set("parts", "part").set("accessories", "accessory");

/** Finds kinds in the words of a query or another short text. */
export function findNamedKinds(words: Words): NamedKind[] {
  const around = new Set(words.word);
  const named: NamedKind[] = [];
  for (const hit of lexicon().terms.all(words.word, words.breakAfter)) {
    const term = hit.value;
    if (term.type === "brand") continue;
    if (hit.end - hit.start === 1 && isVerb(words, hit.start)) continue;
    if (words.breakAfter[hit.end - 1] !== true && PLACES.has(words.word[hit.end] ?? "")) continue;
    const kind = term.type === "kind" ? term.kind : chosenSense(term.senses, around);
    if (kind === null) continue;
    const compound = compoundOf(kind, hit, words);
    const end = compound === null ? hit.end : hit.end + 1;
    named.push({ kind: compound ?? kind, start: hit.start, end });
  }
  return named;
}

/** The meaning for which the most context words stand; without any, one that needs none. Of equals the first. */
function chosenSense(senses: readonly Sense[], around: ReadonlySet<string>): Kind | null {
  let best: Kind | null = null;
  let most = 0;
  for (const { kind, context } of senses) {
    const found = context.filter((word) => around.has(word)).length;
    const support = context.length === 0 ? 0.5 : found;
    if (support > most) {
      most = support;
      best = kind;
    }
  }
  return best;
}

function compoundOf(kind: Kind, hit: FoundPhrase<unknown>, words: Words): Kind | null {
  if (words.breakAfter[hit.end - 1] === true || kind.mass) return null;
  const next = ACCESSORIES.get(words.word[hit.end] ?? "");
  if (next === undefined || kind.name.endsWith(next)) return null;
  const nouns = words.word.slice(hit.start, hit.end);
  const noun = nouns.join(" ");
  const known = lexicon().terms.get([...nouns, next]);
  if (known?.type === "kind") return known.kind;
  const base = kind.name.endsWith("s") && kind.plural ? noun : kind.name;
  return {
    name: `${base} ${next}`,
    category: kind.category,
    plural: false,
    mass: false,
    member: false,
  };
}
