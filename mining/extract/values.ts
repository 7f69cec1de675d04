/** Canonical values: the same words give the same value, and words that mean the same do as far as is known. */
import { once } from "../../core/once.ts";
import { remembered } from "../../core/recent.ts";
import { cutText } from "../../core/cut_text.ts";
import { listLines } from "../lexicon/word_lists.ts";
import aliasText from "./aliases.txt" with { type: "text" };
import { type PriceContext, priceOf } from "./price.ts";
import { stem } from "./tokens.ts";
import { FACT_TYPES, type FactType } from "./types.ts";

const MAX_WORDS = 5;
const MAX_LENGTH = 60;

/** Words that a value neither begins nor ends with, and that no comparison counts. */
const EMPTY = new Set(
  `a an the i im ive id you we they he she it its my your our their his her me us them this that these those is are was were be been being am
do does did have has had having get gets getting got will would could should can may might must not to of for in on at by as with from into
and or but so if then than just really very quite pretty fairly too also only some any all more most much many bit little lot lots something
anything thing things kind sort like want wanted wants wanting need needs needed needing looking look prefer preferably ideally must hopefully
please there here about around up out over am isnt arent dont doesnt wont cant use used using be able one ones which who what when where how
both either other another such still even actually basically mostly mainly currently`.split(/\s+/),
);
/** Of the empty words those that turn a meaning round or set a measure: kept inside a value. */
const TURNING = new Set(
  "not too no without dont doesnt wont cant isnt arent over under more".split(" "),
);

/** Units by the ways they are written. */
const UNITS: ReadonlyMap<string, string> = new Map(
  `inch in inches "|cm centimeter centimeters centimetre|mm millimeter millimeters|ft foot feet|m meter meters metre metres|km kilometers kilometres
|mile miles mi|gb gig gigs gigabyte gigabytes gbs|tb terabyte terabytes tbs|mb megabyte megabytes mbs|ghz gigahertz|mhz|hz hertz
|lb lbs pound pounds|kg kilo kilos kilogram kilograms kgs|g gram grams|oz ounce ounces|l liter liters litre litres|ml milliliter milliliters
|w watt watts|v volt volts|mah|lumen lumens lm|hour hours hr hrs|minute minutes min mins|year years yr yrs|month months|day days|week weeks
|mp megapixel megapixels|ohm ohms|person man people persons|degrees degree|dpi|fps|rpm|mbps|core cores|key keys|port ports`
    .split("|").flatMap((line) => {
      const [name = "", ...names] = line.trim().split(/\s+/);
      return [name, ...names].map((form): [string, string] => [form, name]);
    }),
);

/** All ways to write all units of measure, in lower case. */
export const allUnitForms = (): readonly string[] => [...UNITS.keys()];

/** All ways to write the unit that a form of it names; the form alone where none is known. */
export function unitForms(unit: string): readonly string[] {
  const name = UNITS.get(unit);
  return name === undefined
    ? [unit]
    : [...UNITS].flatMap(([form, of]) => of === name ? [form] : []);
}

/** Turns every writing of a measure into one: `13" - 14in` is `13-14 inch`. */
export function measures(text: string): string {
  const spaced = text
    .replace(/(\d)\s?(?:”|“|''|"|″)/g, "$1 inch ")
    .replace(/(\d)\s?(?:to|–|—|~)\s?(?=\d)/g, "$1-")
    .replace(/(\d)\s-\s?(?=\d)|(\d)-\s(?=\d)/g, "$1$2-")
    .replace(/(\d)(?:\s|-)?([a-z]+)\b/g, (whole, digit: string, word: string) => {
      const unit = UNITS.get(word);
      return unit === undefined ? whole : `${digit} ${unit}`;
    });
  return spaced.replace(/(\d+(?:\.\d+)?) ([a-z]+)\s?-\s?(\d+(?:\.\d+)?) \2\b/g, "$1-$3 $2")
    .replace(/\s+/g, " ").trim();
}

/** A number, or two with a line between them, and a unit, at a text's end. */
const MEASURED =
  /(?<![\w.,$£€-])(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?:[ \t]?[-–][ \t]?\d+(?:\.\d+)?)?[ \t-]?(?:''|["“”″]|([a-z]+))[ \t-]?$/i;
/** No measure that is looked for is longer. */
const LONGEST_MEASURE = 30;
/** A mark that opens a quotation, and no inches. */
const OPENS = /(?<![\d"])"(?=[^"]*$)/;

/**
 * Where the measure begins that stands right before `start`, or `start` where none does: `15"` of `15" screen`. Labels
 * never separate the two. The word "in" is more often no inch.
 */
export function measureBefore(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - LONGEST_MEASURE), start);
  const found = MEASURED.exec(before);
  const unit = found?.[1]?.toLowerCase();
  if (
    found === null || (found.index === 0 && start > LONGEST_MEASURE) || unit === "in" ||
    (unit !== undefined && !UNITS.has(unit)) ||
    (found[0].includes('"') && OPENS.test(before.slice(0, found.index)))
  ) return start;
  return start - found[0].length;
}

/**
 * A span in lower case, without marks, entities, addresses and emphasis; white space is one space
 * each.
 */
export function plainText(span: string): string {
  return span.replace(/&amp;/g, "&").replace(/&(?:lt|gt|quot|nbsp|#\w{1,6});/g, " ")
    .replace(/\]\([^)]*\)/g, " ").replace(/https?:\/\/\S+/g, " ")
    .toLowerCase().replace(/[’‘`]/g, "'").replace(/(?<=[a-z])'(?!s\b)(?=[a-z])/g, "")
    .replace(/'s\b/g, "s").replace(/[*_\[\](){}|~^#<>=!?;:]+/g, " ").replace(
      /(?<!\d),|,(?!\d)/g,
      " ",
    )
    .replace(/\.(?!\d)/g, " ").replace(/\s[-–—/]+\s|^[-–—/]+|[-–—/]+$/g, " ")
    .replace(/\s+/g, " ").trim();
}

/** The words of a value without what says nothing at its ends. */
function trimmed(text: string): string[] {
  const words = text.split(" ");
  while (words.length > 1 && EMPTY.has(words[0]!) && !TURNING.has(words[0]!)) words.shift();
  while (words.length > 1 && EMPTY.has(words[words.length - 1]!)) words.pop();
  return words;
}

const wordsOf = (text: string): string[] =>
  measures(plainText(text)).split(/[\s/-]+/).filter((word) => word !== "");

const isTelling = (word: string): boolean => !EMPTY.has(word) || TURNING.has(word);

/** What words are compared by. */
interface Wording {
  readonly words: readonly string[];
  readonly stems: readonly string[];
  /** The telling stems, sorted; what is empty words alone ("us") stands as it is, and is never inside another. */
  readonly key: string;
  /** All stems, as they stand. */
  readonly phrase: string;
}

const wordingOf = remembered(5_000, (text: string): Wording => {
  const words = wordsOf(text);
  const stems = words.map((word) => stem(word));
  const telling = stems.filter((_, i) => isTelling(words[i]!));
  return {
    words,
    stems,
    key: telling.length === 0 ? `"${words.join(" ")}"` : [...new Set(telling)].sort().join(" "),
    phrase: phraseOf(stems),
  };
});

const phraseOf = (stems: readonly string[]): string => `"${stems.join(" ")}"`;

/** A key that two texts share if they say the same in the same words, in any order. */
export const keyOf = (text: string): string => wordingOf(text).key;

/**
 * What a wording of the reviewed file is found by. One that is told from others by words that no comparison counts
 * ("good looking", "all day", "out of stock": one word is left, which says something else by itself) is found as it
 * stands, by the stems of all its words.
 */
function wordingKey(wording: string): string {
  const { words, key, phrase } = wordingOf(wording);
  return words.length > 1 && words.filter(isTelling).length === 1 ? phrase : key;
}

interface Aliases {
  /** Of each type by key. */
  readonly byKey: ReadonlyMap<FactType, ReadonlyMap<string, string>>;
  /** By type and value: the value and its variants. */
  readonly wordings: ReadonlyMap<string, readonly string[]>;
}

/** The reviewed file: `[type]`, then `value = variant, variant` lines. */
const aliases = once((): Aliases => {
  const byKey = new Map(FACT_TYPES.map((type) => [type, new Map<string, string>()]));
  const wordings = new Map<string, string[]>();
  let types: FactType[] = [];
  const known: readonly string[] = FACT_TYPES;
  for (const line of listLines(aliasText)) {
    if (line.startsWith("[")) {
      types = line.slice(1, -1).split(" ").filter((type): type is FactType => known.includes(type));
      continue;
    }
    const [name = "", variants = ""] = line.split(" = ");
    for (const type of types) {
      const ofType = byKey.get(type)!;
      // A value that an earlier line calls otherwise is that one.
      const value = ofType.get(wordingKey(name)) ?? name;
      for (const variant of [name, ...variants.split(", ")]) {
        const key = wordingKey(variant);
        if (variant === "" || ofType.has(key)) continue;
        ofType.set(key, value);
        const said = `${type}:${value}`;
        wordings.set(said, [
          ...wordings.get(said) ?? [value],
          ...variant === value ? [] : [variant],
        ]);
      }
    }
  }
  return { byKey, wordings };
});

/** The value that the words have as one of the type, as they stand or by those that tell. */
function aliasOf(type: FactType, words: string): string | undefined {
  const ofType = aliases().byKey.get(type);
  const { phrase, key } = wordingOf(words);
  return ofType?.get(phrase) ?? ofType?.get(key);
}

/** Whether a value, or its words, is one of the type in the reviewed list (aliases.txt). */
export function isKnownValue(type: FactType, value: string): boolean {
  return aliasOf(type, value) !== undefined;
}

/**
 * All known ways to say what these words say as a value of the first of the types that has several, the value
 * first; none where no type has.
 */
export function wordingsOf(types: readonly FactType[], words: string): readonly string[] {
  const { wordings } = aliases();
  for (const type of types) {
    const value = aliasOf(type, words);
    const said = value === undefined ? [] : wordings.get(`${type}:${value}`) ?? [];
    if (said.length > 1) return said;
  }
  return [];
}

/** Removes "my old", "a pair of" and the like from a product that is named. */
function named(text: string): string {
  return text.replace(
    /^(?:(?:a|an|the|my|our|old|new|current|previous|pair|set|of|some|i|im|ive|have|had|own|using|bought|got|with|used|been|got|was|to)\s+)+/,
    "",
  );
}

/** Types whose spans say more than their value does: "a really quiet keyboard" is "quiet". */
const LOOSE_TYPES: ReadonlySet<FactType> = new Set<FactType>([
  "use",
  "user",
  "attribute",
  "problem",
  "compat",
  "place",
]);
const MOST_STEMS = 5;

/**
 * The value that most of a span's words mean, half of them at least, where only one does. Words that turn a meaning
 * round, and numbers, may not be left over.
 */
function withinSpan(type: FactType, span: string): string | undefined {
  if (!LOOSE_TYPES.has(type)) return undefined;
  const wording = wordingOf(span);
  return phraseWithin(type, wording) ?? tellingWithin(type, wording.key.split(" "));
}

/** The value of a wording inside a span that is found as it stands: the longest that the span has. */
function phraseWithin(type: FactType, { words, stems }: Wording): string | undefined {
  const ofType = aliases().byKey.get(type);
  const most = Math.min(words.length - 1, MOST_STEMS);
  if (most < 2 || most * 2 < words.length) return undefined;
  // Words that turn a meaning round stand between the first and the last of them.
  const first = words.findIndex(turns), last = words.findLastIndex(turns);
  for (let size = most; size > 1 && size * 2 >= words.length; size--) {
    for (let from = 0; from + size <= words.length; from++) {
      if (first >= 0 && (first < from || last >= from + size)) continue;
      const value = ofType?.get(phraseOf(stems.slice(from, from + size)));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

const turns = (word: string): boolean => TURNING.has(word) || /\d/.test(word);

function tellingWithin(type: FactType, stems: readonly string[]): string | undefined {
  if (stems.length < 2 || stems.length > MOST_STEMS) return undefined;
  const ofType = aliases().byKey.get(type);
  const kept = stems.reduce((mask, word, i) => turns(word) ? mask | 1 << i : mask, 0);
  for (let size = stems.length - 1; size * 2 >= stems.length; size--) {
    const found = new Set<string>();
    for (let mask = 1; mask < 1 << stems.length; mask++) {
      if ((mask & kept) !== kept) continue;
      const inside = stems.filter((_, i) => (mask & 1 << i) !== 0);
      if (inside.length !== size) continue;
      const value = ofType?.get(inside.join(" "));
      if (value !== undefined) found.add(value);
    }
    const [only] = found;
    if (found.size > 0) return found.size === 1 ? only : undefined;
  }
  return undefined;
}

/** The value that the reviewed list has for a wording of this type, or the wording itself. */
export function knownValue(type: FactType, value: string): string {
  return aliasOf(type, value) ?? value;
}

const FIRST = /\bfirst\s+$/i;

/**
 * The canonical value of a fact: of `claimed`, a reader's own wording, or else of its span. Lower case, one to five
 * words; for prices see `priceOf`.
 */
export function valueOf(
  type: FactType,
  span: string,
  context?: PriceContext,
  claimed = "",
): string {
  if (type === "price") {
    const stated = priceOf(span, context);
    return stated ?? (claimed === "" ? "cheap" : priceOf(claimed) ?? "cheap");
  }
  // "My first mechanical keyboard" tells a beginner by the word before the thing.
  if (type === "user" && claimed === "" && FIRST.test(context?.before ?? "")) {
    return knownValue("user", "first");
  }
  const known = aliasOf(type, claimed === "" ? span : claimed) ??
    (claimed === "" ? withinSpan(type, span) : undefined);
  if (known !== undefined) return known;
  const text = measures(plainText(claimed === "" ? span : claimed));
  const isThing = type === "considered" || type === "owned" || type === "rejected";
  const words = trimmed(isThing ? named(text) : text).slice(0, MAX_WORDS);
  while (words.length > 1 && EMPTY.has(words[words.length - 1]!)) words.pop();
  const value = cutText(words.join(" "), MAX_LENGTH).trim();
  return value === ""
    ? cutText(plainText(span), MAX_LENGTH) || cutText(span.toLowerCase(), MAX_LENGTH)
    : value;
}
