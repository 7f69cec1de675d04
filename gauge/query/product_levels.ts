/** The ways in which a signal may be about a product, by the names that the product has. docs/verdicts.md lists them. */
import {
  communityTerm,
  endTerm,
  type Frequency,
  type Group,
  kindTerm,
  type PlanLevel,
  productTerm,
} from "../../db/matching/plan.ts";
import { plural, singular } from "../../mining/lexicon/grammar.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { level, type QueryWord, stemsOf, wordsText } from "./parts.ts";
import {
  baseNames,
  kindsWith,
  namesakes,
  nounIn,
  partsOfKind,
  sharedNames,
  splitName,
  wholeNames,
} from "../words/same.ts";
import { communitiesGranting } from "../words/granted.ts";
import { NEGATING } from "../words/word_classes.ts";

/** Qualities of the ways in which a signal is about the product that is asked for. */
export const PRODUCT_QUALITY = {
  /** The reading's kind. */
  kind: 1,
  /** A kind that belongs to this kind, or a product with all words and the same noun. */
  narrower: 0.95,
  /** A kind called by the noun alone, in a community where the rest of the name goes without saying. */
  granted: 0.9,
  /** All words in the product's name, but not at its end. */
  inProduct: 0.7,
  /** A product with the same noun, and the other words in its facts, quote or title; or in its body. */
  nounSummary: 0.75,
  nounText: 0.5,
  /** All words one after the other in the quote or the title. */
  adjacent: 0.6,
  /** A set of many products, and the words in its quote or title, or in its body. */
  setSummary: 0.6,
  setText: 0.5,
  /** A slip of the keyboard away from the product's noun. */
  slip: 0.8,
  /** All words in the product and the facts, in the quote or the title, and in the body. */
  stated: 0.4,
  summary: 0.3,
  text: 0.2,
  /** The kind's noun, by which other kinds are called, too, where more of the name was typed. */
  shared: 0.4,
  /** Another kind that ends with the same noun. */
  sibling: 0.18,
} as const;
/** From this quality on a text has all words of a name of the product. */
export const MENTIONED_FROM = PRODUCT_QUALITY.text;

/** From this quality on a signal is of the kind, or of a narrower one. */
export const NARROWER = PRODUCT_QUALITY.narrower;

/** The words of a name that the word lists have, with their stems. */
export type SpokenNames = (name: string) => readonly QueryWord[];

/** The words of a query, and what is known of names. */
export interface NamingQuery {
  readonly words: readonly QueryWord[];
  readonly frequency: Frequency;
  readonly spoken: SpokenNames;
}

/**
 * The kind of a name's noun in communities where the rest goes without saying: a "printer" in r/3Dprinting, and in those
 * that are called by the name: a "light" in r/flashlight.
 */
export function grantedNames(words: readonly string[]): readonly Group[] {
  const noun = nounIn(words.join(" "));
  if (noun === null) return [];
  const terms = [...new Set([noun, singular(noun)])].map(kindTerm);
  const own = [words, [...words.slice(0, -1), plural(words.at(-1) ?? "")]];
  return [...communitiesGranting(words.slice(0, -1)), ...own.map((name) => name.join(""))]
    .flatMap((name) => terms.map((term) => [term, communityTerm(name)]));
}

/** The ways to be about a product that is called by these words, the last of them its noun. */
export function levelsOfName(words: readonly QueryWord[]): PlanLevel[] {
  const stems = stemsOf(words);
  const end = words.at(-1)?.stems ?? [];
  const name = wordsText(words);
  const byKind = level(
    [[kindTerm(name)], [kindTerm(singular(name))]],
    "summary",
    PRODUCT_QUALITY.kind,
  );
  // "Can" is not searched for, so that an opener does not become a can opener.
  if (words.length > 1 && stems.length === end.length) return [byKind];
  const many = stems.length > 1;
  const withNoun = many ? [[...end.map(endTerm), ...stems]] : [];
  const similar = words.length === 1 ? words.flatMap((word) => word.similar) : [];
  return [
    byKind,
    level([[...end.map(endTerm), ...stems.map(productTerm)]], "summary", PRODUCT_QUALITY.narrower),
    level(
      [stems.map(productTerm)],
      "summary",
      many ? PRODUCT_QUALITY.inProduct : PRODUCT_QUALITY.summary,
    ),
    level(similar.map((stem) => [endTerm(stem)]), "summary", PRODUCT_QUALITY.slip),
    level(withNoun, "summary", PRODUCT_QUALITY.nounSummary),
    level(withNoun, "text", PRODUCT_QUALITY.nounText),
    { ...level(many ? [stems] : [], "summary", PRODUCT_QUALITY.adjacent), adjacent: true },
    level([stems], "stated", PRODUCT_QUALITY.stated),
    level([stems], "summary", PRODUCT_QUALITY.summary),
    level(many ? [stems] : [], "text", PRODUCT_QUALITY.text),
    level(many ? [end.map(endTerm)] : [], "summary", PRODUCT_QUALITY.sibling),
  ];
}

/** Stems that names of whole sets end with: who asks for furniture, and names a rug, wants a rug as well. */
const SETS = ["furnitur", "gear", "equip"] as const;

/** The names of the whole kind that mean nothing else: no "cooker" of a rice cooker. */
const plainNames = (kind: string): readonly string[] =>
  baseNames(kind).filter((name) => lexicon().terms.get(splitName(name))?.type !== "senses");

/**
 * Sets in whose texts the product is named: furniture by any of its names, other sets by the one that was typed, since more
 * of them cost the database a sixth of a query's time and find nobody.
 */
function levelsInSets(
  typed: readonly QueryWord[],
  names: readonly (readonly QueryWord[])[],
): PlanLevel[] {
  const [furniture, ...others] = SETS;
  const within = (set: string, words: readonly QueryWord[]): readonly Group[] =>
    words.every(({ stems }) => stems.length > 0) ? [[endTerm(set), ...stemsOf(words)]] : [];
  const groups = [
    ...[typed, ...names].flatMap((words) => within(furniture, words)),
    ...others.flatMap((set) => within(set, typed)),
  ];
  return [
    level(groups, "summary", PRODUCT_QUALITY.setSummary),
    level(groups, "text", PRODUCT_QUALITY.setText),
  ];
}

/** Levels of several names as one list: those of the same place and quality are one level. */
function merged(levels: readonly PlanLevel[]): PlanLevel[] {
  const found = new Map<string, PlanLevel>();
  for (const one of levels) {
    const key = `${one.place} ${one.quality} ${one.adjacent ?? false}`;
    const before = found.get(key);
    const groups = new Map(
      [...before?.groups ?? [], ...one.groups].map((group) => [group.join(" "), group]),
    );
    found.set(key, { ...one, groups: [...groups.values()] });
  }
  return [...found.values()];
}

/** Whether a level is looked up under every name of a kind; weak levels are looked up under one name alone. */
const isSure = ({ quality, place }: PlanLevel): boolean =>
  quality >= PRODUCT_QUALITY.inProduct && place === "summary";

/** The levels for the other names of the whole kind than the one that was typed, and those that it shares. */
const levelsOfOtherNames = (
  kind: string,
  typed: string,
  shared: ReadonlySet<string>,
  spoken: SpokenNames,
): PlanLevel[] =>
  baseNames(kind).filter((name) => name !== typed && name !== singular(typed) && !shared.has(name))
    .flatMap((name) => {
      const words = spoken(name);
      return words.every(({ stems }) => stems.length > 0) ? levelsOfName(words).filter(isSure) : [];
    });

/**
 * Products called only by the noun of one of the kind's names, or by a kind that is this one with its name, in texts that
 * have another name: a "light" of flashlights, and a "moisturizer" of sunscreen.
 */
function levelsByNoun(kind: string, spoken: SpokenNames): PlanLevel[] {
  const names = baseNames(kind).map(spoken)
    .filter((words) => words.every(({ stems }) => stems.length > 0));
  const ends = baseNames(kind).flatMap((name) => nounIn(name) ?? []).flatMap((noun) =>
    stemsOf(spoken(noun))
  );
  const others = names.map(stemsOf).filter((stems) => !ends.some((end) => stems.at(-1) === end));
  const groups = [...new Set(ends)].flatMap((end) =>
    others.map((stems) => [endTerm(end), ...stems])
  );
  const withName = kindsWith(kind).flatMap((other) =>
    names.map((words) => [kindTerm(other), ...stemsOf(words)])
  );
  return [
    level([...groups, ...withName], "summary", PRODUCT_QUALITY.nounSummary),
    level([...groups, ...withName], "text", PRODUCT_QUALITY.nounText),
  ];
}

/** At most so many words stand from a denial to the word that it denies. */
const MAX_TO_DENIED = 3;

/** Whether a query has a word that it does not deny. */
export function saysName(words: readonly QueryWord[], name: string): boolean {
  const isDenied = (at: number): boolean =>
    words.slice(Math.max(0, at - MAX_TO_DENIED), at).some(({ word }) => NEGATING.has(word));
  return words.some(({ word }, i) => singular(word) === singular(name) && !isDenied(i));
}

/** Whether a name, in either number, is the own name of another kind. */
const isOtherKind = (name: string, kind: string): boolean =>
  singular(name) !== singular(kind) &&
  [name, singular(name)].some((one) => lexicon().kinds.has(one));

/** How words of a query name a kind as a whole. */
export interface WholeName {
  readonly kind: string;
  readonly words: readonly QueryWord[];
  /** Whether the rest of the kind's name stands elsewhere in the query: "amplifier for a car". */
  readonly isApart: boolean;
  /** Whether the words alone would mean another kind. */
  readonly isOther: boolean;
  /** Whether other kinds are called so, too: "a knife for camping" may be a kitchen knife without what is asked. */
  readonly isOpen: boolean;
}

/** Whether products are called by a name: nothing is called a "dog lead" where everybody says leash. */
function isHeard(name: readonly QueryWord[], frequency: Frequency): boolean {
  const noun = name.at(-1)?.stems ?? [];
  return stemsOf(name).some((stem) => frequency(stem) > 0) &&
    (noun.length === 0 || noun.some((stem) => frequency(endTerm(stem)) > 0));
}

/** The ways to be of a kind that is named as a whole, of which `phrase` is the longest name in the query. */
export function wholeLevels(
  { words, frequency, spoken }: NamingQuery,
  phrase: readonly QueryWord[],
  { kind, words: typed, isApart, isOther, isOpen }: WholeName,
): PlanLevel[] {
  const short = isHeard(typed, frequency) && !isOther ? typed : spoken(kind);
  const own = levelsOfName(phrase);
  // What posts were read as by another kind's own name is of that kind: a paper "notebook" is no laptop.
  const others = wholeNames(kind).filter((name) => isOtherKind(name, kind));
  const shared = new Set([...typed.length > 1 || isApart ? sharedNames(kind) : [], ...others]);
  const whole = wholeNames(kind).filter((name) => !shared.has(name));
  // A "subwoofer for a car" may be a car subwoofer.
  const unless = isOpen ? [] : namesakes(kind)
    .filter((other) => !splitName(other).slice(0, -1).every((word) => saysName(words, word)))
    .map(kindTerm);
  return [
    level(whole.map((name) => [kindTerm(name)]), "summary", PRODUCT_QUALITY.kind),
    level([...shared].map((name) => [kindTerm(name)]), "summary", PRODUCT_QUALITY.shared),
    level(partsOfKind(kind).map((part) => [kindTerm(part)]), "summary", PRODUCT_QUALITY.narrower),
    level(
      [...new Set([wordsText(typed), kind])].flatMap((name) => grantedNames(splitName(name))),
      "summary",
      PRODUCT_QUALITY.granted,
    ),
    ...merged([
      ...levelsOfName(short),
      ...isOther
        ? own.map((one) => ({ ...one, quality: Math.min(one.quality, PRODUCT_QUALITY.nounText) }))
        : own,
      ...levelsOfOtherNames(kind, wordsText(short), shared, spoken),
      ...levelsByNoun(kind, spoken),
      ...levelsInSets(short, plainNames(kind).map(spoken)),
    ]),
  ].map((one) => ({ ...one, unless }));
}
