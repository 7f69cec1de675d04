/** What a query asks of the product: needs, words that stand together, measures and sums. */
import type { KindSpan } from "./head.ts";
import {
  type Group,
  type PlanLevel,
  RULED_OUT,
  sumEighth,
  sumTerm,
  type WantPlan,
} from "../../db/matching/plan.ts";
import { MEASURED, type Price } from "./amounts.ts";
import { SLIGHT_WEIGHT, statedShare, wordWeight } from "../words/common.ts";
import {
  filled,
  includesAt,
  level,
  overlaps,
  type QueryWord,
  type Range,
  stemsOf,
  wordsText,
} from "./parts.ts";
import {
  ARTICLES,
  countsNext,
  isAmount,
  isAnybody,
  isProper,
  modelParts,
  numbersName,
  onlyAsks,
  OPENING,
  PREPOSITIONS,
  tellsByItself,
  wordSet,
} from "../words/word_classes.ts";

/** Words that speak of needs, each given by the stems of its name. */
export interface NeedSpan extends Range {
  /** The needs' ids, as one word. */
  readonly id: string;
  readonly needs: readonly Group[];
  /** What else people say who have such a need, each as stems. */
  readonly cues: readonly Group[];
  /** What those say who ask for more, of which this is a part. */
  readonly wider: readonly Group[];
  /** Needs that say how much it may cost, and nothing of the product. */
  readonly price: boolean;
  /** Where the query wants none of it: its name, what posts rule out that want the same, and whether it is a fault. */
  readonly none?: {
    readonly name: string;
    readonly denied: readonly Group[];
    readonly fault: boolean;
  };
}

const WANT = {
  stated: 1,
  summary: 0.97,
  text: 0.9,
  /** A word that nine of ten texts with it use in another way: "run" of what is for running. */
  textOtherwise: 0.45,
  cueSummary: 0.85,
  cueText: 0.7,
  slip: 0.8,
  /** All words of three and more but one, or all but those that go without saying for the product. */
  mostSummary: 0.75,
  mostText: 0.6,
  /** One word of several. */
  partSummary: 0.4,
  partText: 0.25,
} as const;

/** The power of a want in the most common words, from which it grows to 1 with their rarity; of a measure; of a price. */
const LEAST_POWER = 0.6;
const AMOUNT_POWER = 0.8;
const PRICE_POWER = 0.7;
/** The power of a word for nearly anybody. */
export const ANYBODY_POWER = 0.15;
/** The power of words that only accompany a want: "this fall" in "college this fall". */
export const BESIDE_POWER = 0.12;

/** A want, and which words of the query it is made of. */
export interface PlacedWant extends Omit<WantPlan, "aside" | "share">, Range {
  /** Whether none of it is wanted. */
  readonly none?: boolean;
}
const NOWHERE: Range = { start: -1, end: -1 };

/** A measure with its stems. */
export interface MeasureTerms {
  readonly name: string;
  readonly number: Group;
  readonly units: readonly Group[];
}

/** A measure, by its number with its unit, or by a number that hardly stands for anything else. */
export function measured({ name, number, units }: MeasureTerms): PlacedWant {
  const both = units.map((unit) => [...number, ...unit]);
  const telling = number.some((term) => term.length > 1);
  return {
    ...NOWHERE,
    name,
    power: AMOUNT_POWER,
    levels: filled([
      level(both, "stated", WANT.stated),
      level(both, "summary", WANT.summary),
      level(telling ? [number] : [], "summary", WANT.cueSummary),
      level(both, "text", WANT.cueText),
      level(telling ? [number] : [], "text", WANT.cueText),
    ]),
  };
}

/** Those who would spend such a sum. */
export function priced({ name, from, to }: Price): PlacedWant {
  const first = sumEighth(from);
  const terms = Array.from({ length: sumEighth(to) - first + 1 }, (_, i) => sumTerm(first + i));
  return {
    ...NOWHERE,
    name,
    power: PRICE_POWER,
    levels: filled([level(terms.map((term) => [term]), "summary", WANT.stated)]),
  };
}

/** Words by which texts hardly ever state anything ("almost") ask for little. */
const STATED = 0.1;
/** Of a single word by which no larger share of texts state anything, its mere mention states little. */
const SAID_OTHERWISE = 0.1;
const UNSTATED_POWER = 0.3;
const isUnstated = ({ word, stems }: QueryWord): boolean =>
  !isProper(word) && stems.every((stem) => (statedShare(stem) ?? 1) < STATED);

/** What a want is called: by its words, but for the place of a measure. */
const namedBy = (words: readonly QueryWord[]): string =>
  wordsText(words.filter(({ word }) => word !== MEASURED));

/** One thing that is asked: by these words, or by the need that they speak of. */
function want(
  words: readonly QueryWord[],
  need: NeedSpan | undefined,
  isInherent: (word: QueryWord) => boolean,
  isDenied: boolean,
): Omit<PlacedWant, "start" | "end"> | null {
  const telling = words.filter(({ word, stems }) =>
    stems.length > 0 && (wordWeight(word) > SLIGHT_WEIGHT || need !== undefined)
  );
  const own = telling.length > 0 ? telling : words.filter(({ stems }) => stems.length > 0);
  const from = words.findIndex(({ stems }) => stems.length > 0);
  // "Of the best" begins with nothing that is asked; "no plastic" is asked as it stands.
  const kept = NEGATING.has(words[from - 1]?.word ?? "") ? from - 1 : from;
  const named = kept > 0 ? words.slice(kept) : words;
  const stems = stemsOf(own);
  if (stems.length === 0 && need === undefined) return null;
  const isSaidOtherwise = own.length === 1 &&
    stems.every((stem) => (statedShare(stem) ?? 1) <= SAID_OTHERWISE);
  const amount = own.every(({ word }) => isAmount(word));
  const said = Math.max(0, ...own.map(({ word }) => wordWeight(word)));
  const power = amount
    ? AMOUNT_POWER
    : own.every(({ word }) => isAnybody(word))
    ? ANYBODY_POWER
    : need === undefined && !isDenied && own.every(isUnstated)
    ? UNSTATED_POWER
    : Math.min(1, LEAST_POWER + (1 - LEAST_POWER) * said);
  // How many there are of something says no more without it.
  const counted = own.filter(({ word }) => !countsNext(word));
  const rarest =
    (counted.length > 0 ? counted : own).toSorted((a, b) =>
      wordWeight(b.word) - wordWeight(a.word)
    )[0];
  const part = stems.length > 1 && rarest !== undefined ? [rarest.stems] : [];
  // "Solo camping" of a tent, "watch a house" of a security camera; "small screen" says how the screen is.
  const last = own.at(-1);
  const saysHow = last !== undefined && isInherent(last) && !last.word.endsWith("ing");
  const restricting = counted.length > 0 && countsNext(own[0]?.word ?? "")
    ? stemsOf(counted)
    : saysHow
    ? []
    : stemsOf(own.filter((word) => !isInherent(word)));
  const most = [
    ...stems.length > 2
      ? own.map(({ word }) => stemsOf(own.filter((other) => other.word !== word)))
      : [],
    ...restricting.length > 0 && restricting.length < stems.length ? [restricting] : [],
  ];
  const models = otherModels(own);
  const similar = own.length === 1 ? own.flatMap((word) => word.similar) : [];
  const ruledOut = need?.none === undefined ? [] : noneOf(need.none.denied);
  // Several words of a wider need stand about in whole texts without saying it: "screen" and "build quality".
  const wider = need?.wider ?? [];
  if (need?.none?.fault === false) {
    return {
      name: need.none.name,
      power,
      levels: filled([
        ...ruledOut,
        level(need.needs, "summary", WANT.cueSummary),
        level(need.needs, "text", WANT.cueText),
      ]),
    };
  }
  return {
    name: need?.none?.name ?? namedBy(named),
    power,
    levels: filled([
      ...ruledOut,
      level([stems, ...models, ...need?.needs ?? []], "stated", WANT.stated),
      level([stems, ...models], "summary", WANT.summary),
      level(need?.needs ?? [], "summary", WANT.cueSummary),
      level([stems, ...models], "text", isSaidOtherwise ? WANT.textOtherwise : WANT.text),
      level(need?.cues ?? [], "summary", WANT.cueSummary),
      level(need?.cues ?? [], "text", WANT.cueText),
      level(similar.map((stem) => [stem]), "text", WANT.slip),
      level([...wider, ...most], "summary", WANT.mostSummary),
      level([...wider.filter(({ length }) => length === 1), ...most], "text", WANT.mostText),
      level(part, "summary", WANT.partSummary),
      level(part, "text", WANT.partText),
    ]),
  };
}

/** Other ways to write the name of a model: "HD598" for "HD 598" or the other way round, "M50s" for "M50". */
function otherModels(words: readonly QueryWord[]): Group[] {
  const names = words.map(({ word }) => word);
  const [first = "", second = ""] = names;
  const model = modelParts(first);
  const apart = model !== null && names.length === 1 ? [model] : [];
  const together = names.length === 2 && modelParts(first + second) !== null
    ? [[first + second]]
    : [];
  const last = names.at(-1) ?? "";
  const before = stemsOf(words.slice(0, -1));
  const several = /^[a-z]+\d+$/.test(last) ? [[...before, `${last}s`]] : [];
  return [...apart, ...together, ...several];
}

/** The levels at which a post rules one of these out: by all of its words, or by the last, which includes the rest. */
function noneOf(denied: readonly Group[]): PlanLevel[] {
  const terms = denied.map((group) => group.map((stem) => RULED_OUT + stem));
  return [
    level(terms, "summary", WANT.stated),
    level(terms.map((group) => group.slice(-1)), "summary", WANT.mostSummary),
  ];
}

/** Words after which the name of a need says what the product should not be. */
const NEGATING = wordSet("not isnt arent non without no");
/** Words that separate one thing asked from the next. */
const PARTING = new Set([...OPENING, ...wordSet(`and or but ${MEASURED}`)]);

/** Whether words before a need's own name take it back: "not wireless", but not "not loud". */
function isNegated(words: readonly QueryWord[], need: NeedSpan): boolean {
  const own = words.slice(need.start, need.end).map(({ word }) => word).join("-");
  return need.none === undefined && own === need.id &&
    NEGATING.has(words[need.start - 1]?.word ?? "");
}

/** So many words at most stand between a denial and what it denies. */
const MOST_DENIED = 3;
const CONTRACTED = /^(are|ca|do|does|is|wo)nt$/;

/** The denial before the word at `at`, as the name of a want begins with it: "doesn't " before "leak". */
function deniedBefore(words: readonly QueryWord[], at: number): string {
  const from = words.slice(0, at).findLastIndex(({ word }) => CONTRACTED.test(word));
  const between = words.slice(from + 1, at);
  // "Doesn't leave a white cast": what is done to it is denied with the verb.
  const goesOn = ({ word }: QueryWord) => !PARTING.has(word) && !PREPOSITIONS.has(word);
  if (from < 0 || between.length > MOST_DENIED || !between.every(goesOn)) return "";
  const denial = words[from]?.word.replace(CONTRACTED, "$1n't") ?? "";
  return [denial, ...between.map(({ word }) => word), ""].join(" ");
}

/** What is asked of the product: one want for the words of each need, and for other words that stand together. */
export function wantsOf(
  words: readonly QueryWord[],
  used: ReadonlySet<number>,
  asks: readonly (readonly number[])[],
  needs: readonly NeedSpan[],
  headEnd: number,
  isInherent: (word: QueryWord) => boolean,
  spans: readonly KindSpan[],
): PlacedWant[] {
  const found: PlacedWant[] = [];
  const spoken: PlacedWant[] = [];
  const seen = new Set([...used].map((i) => stemsOf(words.slice(i, i + 1)).join(" ")));
  const add = (at: readonly number[], need?: NeedSpan) => {
    const own = at.map((i) => words[i]).filter((word) => word !== undefined);
    const name = namedBy(words.slice(at[0], (at.at(-1) ?? 0) + 1));
    const key = need?.id ?? stemsOf(own).join(" ");
    if (key === "" || seen.has(key)) return;
    seen.add(key);
    for (const i of at) seen.add(stemsOf(words.slice(i, i + 1)).join(" "));
    const denial = need?.none === undefined ? deniedBefore(words, at[0] ?? 0) : "";
    const plan = want(own, need, isInherent, denial !== "");
    if (plan !== null) {
      const placed = {
        ...plan,
        name: need?.none === undefined
          ? denial + (need === undefined ? name : plan.name)
          : plan.name,
        start: at[0] ?? 0,
        end: (at.at(-1) ?? 0) + 1,
        none: need?.none !== undefined,
      };
      found.push(placed);
      if (need !== undefined) spoken.push(placed);
    }
  };
  const asked = new Set(asks.flat());
  const open = ({ start, end }: NeedSpan) =>
    words.slice(start, end).every((_, at) => !used.has(start + at));
  const isNeed = (k: number) => needs.some((need) => open(need) && includesAt(k)(need));
  // A number after a name belongs to it: "Nexus 7".
  const numbers = (k: number) => !used.has(k + 1) && numbersName(words[k + 1]?.word);
  // A need of several words that stand in the product's name is one want: "noise cancelling headphones".
  const whole = needs.filter((need) =>
    !need.price && need.end > need.start + 1 &&
    words.slice(need.start, need.end).every((_, k) => asked.has(need.start + k))
  );
  for (const need of whole) {
    add(words.slice(need.start, need.end).map((_, k) => need.start + k), need);
  }
  for (const at of asks) {
    if (whole.some((need) => at.every((i) => includesAt(i)(need)))) continue;
    const last = at.at(-1) ?? 0;
    const end = last + 1;
    if (at.length > 0 && numbers(last)) {
      add([...at, end]);
      continue;
    }
    const need = needs.find((span) => span.start === at[0] && span.end === end && !span.price);
    add(at, need);
  }
  for (let i = 0; i < words.length;) {
    const need = needs.find((span) => span.start === i && open(span));
    if (need !== undefined) {
      const at = words.slice(need.start, need.end).map((_, k) => need.start + k)
        .filter((k) => need.none === undefined || (words[k]?.stems.length ?? 0) > 0);
      if (!need.price && !isNegated(words, need) && !at.every((k) => asked.has(k))) add(at, need);
      i = need.end;
      continue;
    }
    const says = (k: number) =>
      !used.has(k) && !asked.has(k) && (words[k]?.stems.length ?? 0) > 0 &&
      !PARTING.has(words[k]?.word ?? "") && !onlyAsks(words[k]?.word ?? "") &&
      !isNeed(k);
    const isFree = !used.has(i) && !asked.has(i);
    const word = words[i]?.word ?? "";
    if (isFree && countsNext(word) && says(i + 1)) {
      add([i, i + 1]);
      i += 2;
      continue;
    }
    if (isFree && tellsByItself(word)) add([i]);
    if (!says(i)) {
      i++;
      continue;
    }
    // Before the product every word is a want of its own; behind it, words that stand together are one.
    const at = numbers(i) && !asked.has(i + 1) ? [i, i + 1] : [i];
    let end = i + at.length;
    for (; i >= headEnd && end < words.length && at.length < 3; end++) {
      if (says(end) || (numbers(end - 1) && at.includes(end - 1))) at.push(end);
      else if (PARTING.has(words[end]?.word ?? "") || used.has(end) || isNeed(end)) break;
    }
    add(at);
    i = (at.at(-1) ?? i) + 1;
  }
  // Clauses before the product and behind "because" mostly say who asks: "I study law and need a laptop".
  const because = words.findIndex(({ word }, i) => i >= headEnd && word === "because");
  const before = found.filter(({ start, end }) =>
    end <= nameStart(words, headEnd) || (because >= 0 && start > because)
  );
  const [strongest] = before.filter((one) => spoken.includes(one)).toSorted((a, b) =>
    b.power - a.power
  );
  const isContext = (one: PlacedWant) => before.includes(one) && one !== strongest;
  // What those have who ask, and what else is said of them, is not asked of the product.
  const isAsked = (one: PlacedWant): boolean =>
    because < 0 || one.start < because ||
    (one === strongest && !spans.some(overlaps(one)));
  const behind = spoken.filter(({ start, power }) => start >= headEnd && power > ANYBODY_POWER);
  return found.filter(isAsked).map((one) =>
    isContext(one) ||
      (!spoken.includes(one) && one.start >= headEnd && isBeside(words, one, behind))
      ? { ...one, power: Math.min(one.power, BESIDE_POWER) }
      : one
  );
}

/** Words that begin another thing that is asked. */
const RELATING = new Set([...PREPOSITIONS, ...wordSet("of against near")]);

/** Whether a want behind the product only continues the words of a need. */
function isBeside(
  words: readonly QueryWord[],
  one: PlacedWant,
  needs: readonly PlacedWant[],
): boolean {
  // A name says more than what it is a name of: "Nexus 7 tablet".
  if (words.slice(one.start, one.end).some(({ word }) => isProper(word))) return false;
  return needs.some((need) => {
    const [from, to] = need.start < one.start ? [need.end, one.start] : [one.end, need.start];
    return from <= to &&
      words.slice(from, to).every(({ word, stems }) =>
        stems.length === 0 && !PARTING.has(word) && !RELATING.has(word)
      );
  });
}

/** Where the product's name begins: behind the last word before it that only joins or asks. */
function nameStart(words: readonly QueryWord[], headEnd: number): number {
  const joins = ({ word, stems }: QueryWord) => stems.length === 0 || PARTING.has(word);
  return words.slice(0, Math.max(0, headEnd - 1)).findLastIndex(joins) + 1;
}

/** Words between two wants of which either will do: "camping or survival", "a hi-fi receiver or one for the home". */
const EITHER = new Set([...ARTICLES, ...wordSet("or for one ones")]);

/** Whether either of two wants will do; the product may stand between them. */
function isEither(
  words: readonly QueryWord[],
  a: PlacedWant,
  b: PlacedWant,
  headEnd: number,
): boolean {
  const from = a.end < headEnd && headEnd <= b.start ? headEnd : a.end;
  const between = words.slice(from, b.start).map(({ word }) => word);
  return b.start >= a.end && between.length > 0 && between.includes("or") &&
    between.every((word) => EITHER.has(word));
}

/** The wants, with those of which either will do joined into one. */
export function joinedByOr(
  words: readonly QueryWord[],
  wants: readonly PlacedWant[],
  headEnd: number,
): PlacedWant[] {
  const joined: PlacedWant[] = [];
  for (const one of wants.toSorted((a, b) => a.start - b.start)) {
    // Of two things that are ruled out, neither will do.
    const at = joined.findLastIndex((last) =>
      last.none !== true && one.none !== true &&
      isEither(words, last, one, headEnd)
    );
    const last = joined[at];
    if (last === undefined) joined.push(one);
    else {
      joined[at] = {
        ...last,
        name: `${last.name} or ${one.name}`,
        end: one.end,
        power: Math.min(last.power, one.power) === 0 ? 0 : Math.max(last.power, one.power),
        levels: filled([...last.levels, ...one.levels]),
      };
    }
  }
  return joined;
}
