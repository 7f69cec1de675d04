/** Where a text names kinds of products, and how much each place weighs. */
import type { CategoryPrior, PostText } from "../types.ts";
import { cueEnd, FUNCTION_WORDS, PLACES } from "./cues.ts";
import { type Kind, lexicon, type Sense } from "./lexicon.ts";
import type { FoundPhrase } from "./phrases.ts";
import type { Words } from "./tokens.ts";
import { isVerb } from "./verbs.ts";

/** A place where the post names a kind of product. */
export interface Mention {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly score: number;
  /** The word had several meanings and the context chose. */
  readonly chosen: boolean;
  /** 1 where the words around it say that it is wanted or failed, -1 where it is circumstance. */
  readonly role: -1 | 0 | 1;
}

/** What a text names. */
export interface Named {
  readonly mentions: readonly Mention[];
}

/** Words after a product that make another one of it ("phone case", "guitar strap"). */
const ACCESSORIES: ReadonlyMap<string, string> = new Map(
  "case cover strap mount stand holder charger battery cable cord adapter rack bag cleaner filter lens part accessory sleeve remote cartridge bulb storage hanger lock"
    .split(" ").map((word) => [word, word] as const),
).set("parts", "part").set("accessories", "accessory");

/** Finds kinds in the words of a text and weighs every place. `quoted` marks the quote's words. */
export function findNamed(
  words: Words,
  text: PostText,
  quoted: readonly boolean[],
  titleWeight: number,
  prior: CategoryPrior,
): Named {
  const found = lexicon().terms.all(words.word, words.breakAfter);
  const around: Surroundings = {
    text: new Set(words.word),
    title: new Set(words.word.slice(0, words.titleWords)),
    community: text.community.toLowerCase(),
    prior,
  };
  const mentions: Mention[] = [];
  const roles = cueRoles(words);
  const scene: Scene = { words, quoted, roles, titleWeight };
  for (const hit of found) {
    const term = hit.value;
    if (term.type === "brand") continue;
    if (hit.end - hit.start === 1 && isVerb(words, hit.start)) continue;
    if (words.breakAfter[hit.end - 1] !== true && PLACES.has(words.word[hit.end] ?? "")) continue;
    const chosen = term.type === "kind"
      ? { kind: term.kind, weight: 1 }
      : choose(term.senses, around, hit.start < words.titleWords);
    if (chosen === null) continue;
    const { kind, weight } = chosen;
    const compound = compoundOf(kind, hit, words);
    const end = compound === null ? hit.end : hit.end + 1;
    const failed = failsAfter(words, end);
    const place = { start: hit.start, end, weak: kind.weak && compound === null, failed };
    mentions.push({
      kind: compound ?? kind,
      start: hit.start,
      end,
      score: weight * weigh(place, scene),
      chosen: term.type === "senses",
      role: failed ? 1 : Math.sign(roles[hit.start] ?? 0) as -1 | 0 | 1,
    });
  }
  return { mentions };
}

/** What the words around an ambiguous word have to say. */
interface Surroundings {
  readonly text: ReadonlySet<string>;
  readonly title: ReadonlySet<string>;
  readonly community: string;
  readonly prior: CategoryPrior;
}

/**
 * The meaning with the most support: a context word in the title or in the community's name weighs most, one
 * in the body less, the community's leaning to the meaning's category least. Of equals the first listed.
 */
function choose(
  senses: readonly Sense[],
  around: Surroundings,
  inTitle: boolean,
): Chosen | null {
  let best: Chosen | null = null;
  let bestScore = 0;
  for (const { kind, context, strict } of senses) {
    let score = context.length === 0 && (inTitle || !strict) ? 0.5 : 0;
    let inBody = 0;
    for (const word of context) {
      if (around.title.has(word) || (word.length > 3 && around.community.includes(word))) {
        score += 3;
      } else if (!strict && around.text.has(word)) inBody += 1;
    }
    if (score < 3) score += Math.min(2, inBody) * 1.2;
    // Without any word for it a meaning is not taken, however well it would suit the community.
    if (score > 0 && kind !== null) score += 2 * (around.prior[kind.category] ?? 0);
    score = Math.round(score * 1e6);
    if (score > bestScore) {
      bestScore = score;
      best = kind === null ? null : { kind, weight: strict && context.length === 0 ? 0.7 : 1 };
    }
  }
  return best;
}

/** A meaning taken, and what its mention is worth: less where nothing but the word itself speaks for it. */
interface Chosen {
  readonly kind: Kind;
  readonly weight: number;
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
    weak: false,
    member: false,
  };
}

/** For every word: 1 where a cue says it is wanted, -1 where it is circumstance ("for my …"), else 0. */
function cueRoles(words: Words): Int8Array {
  const { word, breakAfter } = words;
  const roles = new Int8Array(word.length + 8);
  let inside = 0;
  for (let i = 0; i < word.length; i += 1) {
    const wanted = cueEnd("wanted", word, breakAfter, i);
    // The "for a" of "looking for a" is no circumstance.
    const context = i < inside ? -1 : cueEnd("context", word, breakAfter, i);
    if (wanted < 0 && context < 0) continue;
    const role = wanted >= context ? 1 : -1;
    const end = Math.max(wanted, context);
    if (role === 1) inside = Math.max(inside, end);
    // The cue reaches over articles and adjectives, up to the end of the noun phrase.
    for (let at = end; at < Math.min(end + 5, word.length); at += 1) {
      if (at > end && (breakAfter[at - 1] === true || STOPS.has(word[at - 1] ?? ""))) break;
      roles[at] = role;
    }
  }
  return roles;
}

/** A title names what it is about among its first words. */
const FRONT = 4;

/** Prepositions and conjunctions end what a cue governs. */
const STOPS = new Set(
  "for with in on to from that which who and or but of at by because so if when while as is are was than without using"
    .split(" "),
);

/** What a mention's weight depends on besides the mention itself. */
interface Scene {
  readonly words: Words;
  /** The words of the quote. */
  readonly quoted: readonly boolean[];
  readonly roles: Int8Array;
  readonly titleWeight: number;
}

/** A place that names a kind: `weak` where that is often circumstance, `failed` as `failsAfter` says. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly weak: boolean;
  readonly failed: boolean;
}

function weigh(
  { start, end, weak, failed }: Place,
  { words, quoted, roles, titleWeight }: Scene,
): number {
  const { word, breakAfter } = words;
  let score = weak ? 0.5 : 1;
  const inTitle = start < words.titleWords;
  if (inTitle) score *= start < FRONT ? titleWeight * 1.15 : titleWeight;
  else if ((words.sentence[start] ?? 0) > 6) score *= 0.6;
  if (quoted[start] === true) score *= inTitle ? 1.3 : 1.8;
  const role = roles[start] ?? 0;
  if (role > 0) score *= 1.8;
  else if (role < 0) score *= weak ? 0.35 : 0.6;
  const next = word[end] ?? "";
  const closed = breakAfter[end - 1] === true || end >= word.length;
  if (failed) score *= 1.25;
  else if (!closed && !FUNCTION_WORDS.has(next)) score *= 0.7;
  if (end - start > 1) score *= 1.15;
  return score;
}

/** Whether what follows says that it failed, or that it is what is asked for ("… recommendations"). */
function failsAfter({ word, breakAfter }: Words, end: number): boolean {
  return breakAfter[end - 1] !== true && end < word.length &&
    cueEnd("failed", word, breakAfter, end) > 0;
}
