/** The needs that a query speaks of, by the lexicon that also found those of the signals. */
import { type Kind, lexicon } from "../../mining/lexicon/lexicon.ts";
import { isPlural, plural, singular } from "../../mining/lexicon/grammar.ts";
import type { FoundPhrase } from "../../mining/lexicon/phrases.ts";
import { wordingsOf } from "../../mining/extract/values.ts";
import { WANT_TYPES } from "../../mining/extract/types.ts";
import { EMPTY_WEIGHT, SLIGHT_WEIGHT, wordWeight } from "../words/common.ts";
import { JOINING, type KindSpan } from "./head.ts";
import { MEASURED } from "../amounts/amounts.ts";
import { foldedWords } from "../input.ts";
import { overlaps, type Range } from "./parts.ts";
import { type Denied, deniedBy, deniedIn, type NoneWanted } from "./ruled_out.ts";
import { type Need, needsSpoken } from "../words/needs.ts";
import { namingWords, splitName, wholeNames } from "../words/same.ts";
import { isParticle, isPhrasalVerb } from "../words/spelling.ts";
import { onlyAsks, onlyAsksAs, wordSet } from "../words/word_classes.ts";

/** Words that speak of needs, each given by the words of its name. */
export interface SpokenNeeds extends Range {
  readonly names: readonly (readonly string[])[];
  readonly ids: readonly string[];
  /** What else people say who have such a need. */
  readonly cues: readonly (readonly string[])[];
  /** What those say who ask for more, of which this is a part. */
  readonly wider?: readonly (readonly string[])[];
  /** Whether the needs only say how much it may cost. */
  readonly price: boolean;
  /** Set if these words ask alone, and no post says the need by them: "looks good" stands in "looking for a good one". */
  readonly asksAlone?: boolean;
  /** Whether they tell that something no longer works. */
  readonly isBroken?: boolean;
  /** The words by whose denial posts say the same, the query's own first: "plastic" of "plastic free". */
  readonly denied?: readonly (readonly string[])[];
  /** Set if the query rules it out. */
  readonly none?: NoneWanted;
}

/** How many cues of a need are looked for, in the order of the list: each costs a search. */
const MOST_CUES = 16;

const shortest = (cues: Need["cues"]): Need["cues"] =>
  cues.filter(({ length }) => length <= 2).slice(0, MOST_CUES);

const PRICE = new Set(["budget", "premium"]);

/** Whether needs only say how much it may cost. */
const isOfPrice = (needs: readonly Need[]): boolean => needs.every(({ id }) => PRICE.has(id));

const onlyAsking = (words: readonly string[]): boolean =>
  words.every((word) => onlyAsksAs(word) || isParticle(word));

/** Whether words of a need are in posts that ask for anything; not where it is called by one of them: "for work". */
const asksAlone = ({ id }: Need, words: readonly string[]): boolean =>
  onlyAsking(words) && !PRICE.has(id) &&
  !id.split("-").some((part) =>
    words.some((word) => singular(word) === part) && (onlyAsks(part) || !onlyAsksAs(part))
  );

/** The need without the words by which no post says it. */
const saying = (need: Need): Need => ({
  ...need,
  name: need.name !== null && asksAlone(need, need.name) ? null : need.name,
  cues: need.cues.filter((cue) => !asksAlone(need, cue)),
  wider: need.wider.filter((cue) => !asksAlone(need, cue)),
});

/** The longest phrase that is looked up among known values, and how many wordings of a value are looked for. */
const LONGEST_VALUE = 4;
const MOST_WORDINGS = 14;
/** All ways to say what these words ask, by the values that readers share; each in its words. */
function sayings(words: readonly string[]): readonly (readonly string[])[] {
  return wordingsOf(WANT_TYPES, words.join(" ")).slice(0, MOST_WORDINGS)
    .map(foldedWords);
}

/** The value of the problem that something no longer works: "died". */
const BROKEN = "stops working";
const isBroken = (words: readonly string[]): boolean =>
  wordingsOf(["problem"], words.join(" ")).includes(BROKEN);

/** Whether a phrase may be a value by the words at its edges. `isNamed` if it ends inside a product's name: "open back". */
function mayBeValue(own: readonly string[], isNamed: boolean): boolean {
  // Slight words are no value by themselves; empty ones neither begin nor end one but in a product's name.
  const slight = own.length > 1 ? EMPTY_WEIGHT : SLIGHT_WEIGHT;
  const isEdge = (word: string): boolean =>
    // "Made in usa" and "american made" say where it is from.
    (word === "made" && own.length > 1) ||
    (!onlyAsks(word) && (isNamed || wordWeight(word) > slight));
  return !own.includes(MEASURED) && isEdge(own[0] ?? "") && isEdge(own.at(-1) ?? "");
}

/** Phrases of `least` words and more that ask for a value which readers know under several wordings; longest first. */
function valuesIn(
  words: readonly string[],
  taken: readonly Range[],
  least: number,
  named: readonly Range[] = [],
): SpokenNeeds[] {
  const found: SpokenNeeds[] = [];
  for (let size = Math.min(LONGEST_VALUE, words.length); size >= least; size--) {
    for (let start = 0; start + size <= words.length; start++) {
      const end = start + size;
      const own = words.slice(start, end);
      if ([...taken, ...found].some(overlaps({ start, end }))) continue;
      const isNamed = size > 1 && named.some((span) => span.start <= start && end < span.end);
      if (!mayBeValue(own, isNamed)) continue;
      const names = sayings(own);
      // "Wide hips or a big bottom" speaks of no big hips, "the size, full bust" of no full size; "camping and hiking" are one.
      const isWhole = own.every((word) =>
        !JOINING.has(word) || names.some((name) => name.includes(word))
      );
      if (names.length > 0 && isWhole) {
        found.push({ start, end, names, ids: [own.join("-")], cues: [], price: false });
      }
    }
  }
  return found;
}

/** Phrases that readers know as one value: "slip resistant". */
export const valuePhrases = (words: readonly string[]): readonly Range[] => valuesIn(words, [], 2);

/** Products that are named beside the one that is asked for, under all of their names: "for a bicycle". */
function productsIn(
  words: readonly string[],
  spans: readonly KindSpan[],
  taken: readonly SpokenNeeds[],
): SpokenNeeds[] {
  const inside = spans.flatMap(({ start, end }): KindSpan[] =>
    words.slice(start, end - 1).flatMap((word, i) => {
      const term = lexicon().terms.get([word]);
      return term?.type === "kind"
        ? [{ start: start + i, end: start + i + 1, kinds: [term.kind.name] }]
        : [];
    })
  );
  return [...spans, ...inside].flatMap(({ start, end, kinds }): SpokenNeeds[] => {
    const [kind, ...others] = kinds;
    const typed = words.slice(start, end);
    if (kind === undefined || others.length > 0 || namingWords(typed, kind).length < typed.length) {
      return [];
    }
    if (taken.some(overlaps({ start, end }))) return [];
    const names = wholeNames(kind).filter((name) => singular(name) === name || name === kind)
      .map(splitName);
    return [{
      start,
      end,
      names: [typed, ...names],
      ids: [`product-${kind}`],
      cues: [],
      price: false,
    }];
  });
}

const lexiconKinds = (kinds: readonly string[]): Kind[] =>
  kinds.flatMap((name) => lexicon().kinds.get(name) ?? []);

/** Where the words begin that name the kind by themselves: "headphones" of "open back headphones". */
function namingPart(words: readonly string[], { start, end, kinds }: KindSpan): Range {
  const [kind, ...others] = kinds;
  const first = kind === undefined || others.length > 0
    ? undefined
    : namingWords(words.slice(start, end), kind)[0];
  return { start: start + (first ?? 0), end };
}

/** The needs of the word lists that the words speak of in a query for one of the kinds, each word in either number. */
export function needsIn(
  words: readonly string[],
  kinds: readonly string[],
): readonly FoundPhrase<readonly Need[]>[] {
  return needsOf(words, lexiconKinds(kinds));
}

function needsOf(words: readonly string[], kinds: readonly Kind[]): FoundPhrase<readonly Need[]>[] {
  const other = words.map((word) => isPlural(word) ? singular(word) : plural(word));
  return [words, words.map(singular), other].flatMap((forms) => needsSpoken(forms, kinds));
}

/** What luggage is carried on. */
const BOARDED = wordSet("plane planes airplane airplanes aeroplane flight flights board");

/** A name that begins with a particle as one word, as the index has it: "over-ear", which "ear" does not say. */
const hyphenated = (name: readonly string[]): (readonly string[])[] =>
  name.length > 1 && isParticle(name[0] ?? "") ? [[name.join("-")]] : [];

/** What the lists say of one phrase of a query. */
type Hit = FoundPhrase<readonly Need[]>;

const lengthOf = ({ start, end }: Range): number => end - start;

/** Uses that stand right before a product without their "for": "work flashlight" is one for work. */
const usesBefore = (
  words: readonly string[],
  spans: readonly KindSpan[],
  kinds: readonly Kind[],
): Hit[] =>
  words.flatMap((word, i) =>
    spans.some(({ start }) => start === i + 1)
      ? needsSpoken(["for", word], kinds).filter(({ start, end }) => start === 0 && end === 2)
        .map(({ value }) => ({ start: i, end: i + 1, value }))
      : []
  );

/** What is ruled out that is no fault, as a need. */
const ruledOutNeed = ({ start, end, names, denied, ...none }: Denied): SpokenNeeds => ({
  start,
  end,
  names,
  ids: [none.name],
  cues: [],
  denied,
  price: false,
  none,
});

/** Whether words ask for the needs that the lists have for them, and do not mean something else. */
function meansNeed(
  words: readonly string[],
  { start, end, value }: Hit,
  product: KindSpan | undefined,
): boolean {
  // "To carry on hikes" asks for no carry-on, and "to carry on a plane" does.
  const isVerb = end === start + 2 && isPhrasalVerb(words, start) && words[end] !== undefined;
  if (isVerb && !words.slice(end, end + 2).some((word) => BOARDED.has(word))) return false;
  const isSlight = (word: string): boolean => wordWeight(word) <= SLIGHT_WEIGHT;
  const tells = isOfPrice(value) || end > start + 1 || start + 1 === product?.start ||
    !words.slice(start, end).every((word) => onlyAsks(word) || isSlight(word));
  // "That fits a laptop" asks for the laptop.
  return tells || words.slice(end).every(isSlight);
}

/** The needs that words speak of, by the lists. */
function spokenNeed(words: readonly string[], { start, end, value }: Hit): SpokenNeeds {
  const own = words.slice(start, end);
  const needs = value.map(saying);
  const asks = (said: readonly string[]) => value.every((need) => asksAlone(need, said));
  return {
    start,
    end,
    names: [
      ...needs.flatMap(({ name }) => name === null ? [] : [name]),
      ...sayings(own).filter((said) => !asks(said)),
    ],
    ids: needs.map(({ asked }) => asked),
    cues: needs.flatMap(({ cues }) => shortest(cues)),
    wider: needs.flatMap(({ wider }) => shortest(wider)),
    price: isOfPrice(value),
    asksAlone: asks(own),
  };
}

/** The needs, with those of which the query says that they are faults: "not noisy". A price is no fault. */
function withFaults(needs: readonly SpokenNeeds[], faults: readonly Denied[]): SpokenNeeds[] {
  const found = [...needs];
  for (const { start, end, names, denied, ...none } of faults) {
    const at = found.findIndex(overlaps({ start, end }));
    const need = found[at] ?? { names, ids: [none.name], cues: [], price: false };
    if (need.price) continue;
    const span = { ...need, start: Math.min(start, found[at]?.start ?? start), end, denied, none };
    found.splice(at < 0 ? found.length : at, at < 0 ? 0 : 1, span);
  }
  return found;
}

/** A need with the other ways to write its names, and with what posts deny that have it. */
function completed(words: readonly string[], need: SpokenNeeds): SpokenNeeds {
  const { start, end, names, denied = [], none } = need;
  return {
    ...need,
    isBroken: none === undefined && isBroken(words.slice(start, end)),
    names: [...names, ...names.flatMap(hyphenated)],
    denied: [...denied, ...names.flatMap(deniedBy).map((word) => [word])],
  };
}

/**
 * Finds needs in folded words: as they stand, and with each word in its other number, since cues are
 * listed in one form ("breaks" for "does not break"). Left to right, none overlapping another.
 */
export function findNeeds(
  words: readonly string[],
  spans: readonly KindSpan[],
): readonly SpokenNeeds[] {
  const kinds = lexiconKinds(spans.flatMap((span) => span.kinds));
  const hits = needsOf(words, kinds).sort((a, b) => lengthOf(b) - lengthOf(a) || a.start - b.start);
  const products = spans.map((span) => namingPart(words, span));
  const phrases = valuesIn(words, products, 2, spans);
  const denied = deniedIn(words, products, [
    ...phrases,
    ...hits.filter((hit) => lengthOf(hit) > 1),
  ]);
  const [faults, others] = [
    denied.filter(({ fault }) => fault),
    denied.filter((one) => !one.fault),
  ];
  const found = others.map(ruledOutNeed);
  // What readers share in several words says more than a word of it: "police officers" are not all who work.
  found.push(...phrases.filter((phrase) =>
    !found.some(overlaps(phrase)) &&
    hits.filter(overlaps(phrase)).every((hit) => lengthOf(hit) < lengthOf(phrase))
  ));
  for (const hit of [...hits, ...usesBefore(words, spans, kinds)]) {
    if (!found.some(overlaps(hit)) && meansNeed(words, hit, spans[0])) {
      found.push(spokenNeed(words, hit));
    }
  }
  found.push(...valuesIn(words, found, 1));
  found.push(...productsIn(words, spans, found));
  return withFaults(found, faults).map((need) => completed(words, need))
    .sort((a, b) => a.start - b.start);
}
