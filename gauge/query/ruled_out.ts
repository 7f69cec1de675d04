/** What a query rules out: "without a fan", "not for gaming", "kink free", "anything but Beats". */
import { isKnownValue, wordingsOf } from "../../mining/extract/values.ts";
import { type FactType, WANT_TYPES } from "../../mining/extract/types.ts";
import { MEASURED } from "../amounts/amounts.ts";
import { foldedWords } from "../input.ts";
import { SLIGHT_WEIGHT, wordWeight } from "../words/common.ts";
import {
  ARTICLES,
  BEING,
  CONTRACTED,
  isMark,
  isProper,
  type MarkWords,
  numbersName,
  onlyAsks,
  OPENING,
  PREPOSITIONS,
  standsForProduct,
  wordSet,
} from "../words/word_classes.ts";
import { overlaps, type Range } from "./parts.ts";

/** What a query rules out. */
export interface NoneWanted {
  /** "without a camera", for the second part of "without a fan or a camera" too. */
  readonly name: string;
  /** Whether people complain of it, and so want none of it by speaking of it: "not noisy". */
  readonly fault: boolean;
  /** Whether it only sets apart what is asked for, which few posts do: "hardware, not software", "other than Beats". */
  readonly contrast: boolean;
}

/** Words that are ruled out. `start` is the denial, or the first word if they share a denial with what stands before. */
export interface Denied extends Range, NoneWanted {
  /** Phrases that a post denies which rules out the same, the query's own first. */
  readonly denied: readonly (readonly string[])[];
  /** What they are called without a denial: "fanless". */
  readonly names: readonly (readonly string[])[];
}

const DENYING = wordSet("not no without isnt arent dont doesnt wont wouldnt never");
/** Words that except what they name, behind these words where those are given: "other than", "anything but". */
const EXCEPTING: MarkWords = new Map([
  ["than", wordSet("other")],
  ["but", wordSet("any anything everything all")],
  ["except", null],
  ["excluding", null],
]);

/** Whether the word at `at` rules out what follows it. */
const denies = (words: readonly string[], at: number): boolean =>
  DENYING.has(words[at] ?? "") || isMark(EXCEPTING, words[at], words[at - 1]);

/** What is ruled out as the answer names it: "isn't plastic", "not beats" for "other than beats". */
const nameDenied = (denial: string, thing: readonly string[]): string =>
  [
    DENYING.has(denial) ? denial.replace(CONTRACTED, "$1n't") : "not",
    ...denial === "no" && ARTICLES.has(thing[0] ?? "") ? thing.slice(1) : thing,
  ].join(" ");
/** Verbs after which "not" rules a thing out; after others it names a fault ("does not break"). */
const HAVING = wordSet(
  "have having has need needs needing want require requires use uses using come comes contain contains include includes",
);
const AUXILIARY = wordSet(
  "do does did will would can could should must may dont doesnt wont wouldnt never",
);

/** The word that a name of two words denies: "plastic" of "plastic free"; none for other names. */
export function deniedBy([first = "", second = "", ...others]: readonly string[]): string[] {
  if (second === "" || others.length > 0) return [];
  return second === "free" ? [first] : first === "non" || DENYING.has(first) ? [second] : [];
}

/** Words between a denial and what it denies. */
const BEFORE_DENIED = new Set([
  ...ARTICLES,
  ...HAVING,
  ...wordSet(
    `any my his her our your their too very so really overly all much for with about of to be being made meant designed
intended at by from`,
  ),
]);
/** Words after a denial that then rules nothing out: "no more than", "not only". */
const COUNTING = wordSet(
  "only just enough more less later longer necessarily matter sure one idea clue problem issue",
);
/** Verbs of what is lost or paid: "without losing quality" wants the quality. */
const LOSING = wordSet("sacrificing losing compromising giving breaking spending paying costing");
/** Words that begin another thing. */
const AFTER_DENIED = new Set([
  ...OPENING,
  ...PREPOSITIONS,
  ...wordSet(`and but if as since not no ${MEASURED}`),
]);
/** Words between two things that share a denial. */
const NEITHER = wordSet("or nor");
/** Words of the longest thing that is denied. */
const MAX_WORDS_DENIED = 3;

/** Types of facts that are wanted as they are stated: of a problem it is wanted that there is none. */
const WANTED_TYPES = WANT_TYPES.filter((type) => type !== "problem");

/** Whether the words name a fault, which nobody wants of a product; with "too" what may be wanted is one as well. */
function isFault(words: readonly string[], isTooMuch: boolean): boolean {
  const said = words.join(" ");
  return isTooMuch
    ? isKnownValue("problem", `too ${said}`)
    : isKnownValue("problem", said) && !WANTED_TYPES.some((type) => isKnownValue(type, said));
}

const SAYING_HOW: readonly FactType[] = ["attribute", "problem"];
/** Words of how much something is. */
const DEGREES = wordSet("too very so really overly");

/** Whether a denial of these words says how the product should be, and not only which is meant: "not too soft", "not heavy". */
const saysHow = (own: readonly string[], passed: readonly string[]): boolean =>
  passed.some((word) => DEGREES.has(word)) ||
  (!passed.includes("for") &&
    SAYING_HOW.some((type) => isKnownValue(type, own.join(" "))));

/** All known wordings for a product without it ("fanless"). */
function waysToLack(words: readonly string[]): readonly (readonly string[])[] {
  const said = words.join(" ");
  return [
    ...["no", "without", "not"].flatMap((word) => wordingsOf(WANTED_TYPES, `${word} ${said}`))
      .map(foldedWords),
    ...words.length === 1 ? [[`${said}less`], [said, "free"]] : [],
  ];
}

/** The words that a denial at `at` rules out, each with what follows it by "or". `products` are the words that name them. */
function ruledOutAfter(
  words: readonly string[],
  at: number,
  products: readonly Range[],
): number[][] {
  const denial = words[at] ?? "";
  const isVerbal = !BEING.has(words[at - 1] ?? "") &&
    (AUXILIARY.has(denial) || AUXILIARY.has(words[at - 1] ?? "")) &&
    !HAVING.has(words[at + 1] ?? "");
  let from = at + 1;
  while (BEFORE_DENIED.has(words[from] ?? "")) from++;
  const first = words[from] ?? "";
  if (isVerbal || COUNTING.has(words[at + 1] ?? "") || LOSING.has(first)) return [];
  // "No subscription camera" asks for a camera.
  const isBehind = products.some(({ end }) => end <= at);
  // "Not in ear" rules out what is called so.
  let end = products.find(({ start }) => start === from)?.end ?? from;
  while (end < words.length && !AFTER_DENIED.has(words[end] ?? "")) end++;
  const product = isBehind
    ? undefined
    : products.findLast((span) => span.start > from && span.end <= end);
  const things: number[][] = [[]];
  for (let i = from; i < (product?.start ?? end); i++) {
    const word = words[i] ?? "";
    const last = things.at(-1);
    if (NEITHER.has(word)) things.push([]);
    else if (
      last !== undefined && last.length < MAX_WORDS_DENIED && !BEFORE_DENIED.has(word) &&
      (!onlyAsks(word) || (last.length > 0 && numbersName(word)))
    ) {
      last.push(i);
    }
  }
  return things.filter(({ length }) => length > 0);
}

/**
 * What a word rules out with the one beside it: "kink free" and "non plastic" are without them. What readers know as one
 * value ("non stick") is wanted as that.
 */
function ruledOutBeside(
  words: readonly string[],
  at: number,
  products: readonly Range[],
  phrases: readonly Range[],
): Denied[] {
  const word = words[at] ?? "";
  const [own, start] = word === "free"
    ? [words[at - 1] ?? "", at - 1]
    : word === "non"
    ? [words[at + 1] ?? "", at]
    : ["", at];
  const range = { start, end: start + 2 };
  const isNon = word === "non";
  // "Nike free" is a name.
  const isName = !isNon && (isProper(own) || isProper(words[start - 1] ?? ""));
  // A product that is asked for is free of nothing by that: "free laptop"; a "non-mechanical keyboard" is a keyboard.
  const isOfProduct = products.some(overlaps(range)) &&
    !products.some((span) => isNon ? span.end > range.end : span.start >= range.end);
  if (
    own === "" || isName || isOfProduct || onlyAsks(own) || wordWeight(own) <= SLIGHT_WEIGHT ||
    phrases.some(overlaps(range))
  ) return [];
  const ways = waysToLack([own]);
  return [{
    ...range,
    name: words.slice(start, start + 2).join(" "),
    denied: [[own]],
    names: [["non", own], ...ways.filter(([first = ""]) => !DENYING.has(first))],
    fault: false,
    contrast: false,
  }];
}

/** What a query rules out, left to right. */
export function deniedIn(
  words: readonly string[],
  products: readonly Range[],
  phrases: readonly Range[],
): readonly Denied[] {
  return words.flatMap((denial, at) => {
    const isFreeOf = denial === "free" && words[at + 1] === "of";
    // "We never have mugs" wants some.
    const before = words[at - 1] ?? "";
    if (denial === "never" && !standsForProduct(before) && !BEING.has(before)) return [];
    if (!denies(words, at) && !isFreeOf) return ruledOutBeside(words, at, products, phrases);
    return ruledOutAfter(words, at, products).map((thing, i): Denied => {
      const own = thing.map((k) => words[k] ?? "");
      const [from = at, last = at] = [thing[0], thing.at(-1)];
      const ways = waysToLack(own);
      const isDenial = ([first = ""]: readonly string[]) => DENYING.has(first);
      return {
        start: i === 0 ? at : from,
        end: last + 1,
        name: isFreeOf
          ? words.slice(at, last + 1).join(" ")
          : nameDenied(denial, words.slice(i === 0 ? at + 1 : from, last + 1)),
        denied: [own, ...ways.filter(isDenial).map(([, ...rest]) => rest)],
        names: ways.filter((way) => !isDenial(way)),
        fault: isFault(own, words.slice(at, from).includes("too")),
        contrast: EXCEPTING.has(denial) ||
          (denial === "not" && !BEING.has(before) && products.some(({ end }) => end <= at) &&
            !saysHow(own, words.slice(at + 1, from))),
      };
    });
  });
}
