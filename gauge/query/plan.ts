/**
 * From what a query says to what is looked for: the product that it asks for (its head) with the ways in
 * which a signal may be about it, and each thing that is asked of the product. docs/verdicts.md explains
 * the numbers.
 */
import { rounded } from "../../core/numbers.ts";
import {
  endTerm,
  type Frequency,
  type Group,
  kindTerm,
  type Level,
  MOST_WANTS,
  type Place,
  productTerm,
  type QueryPlan,
  type WantPlan,
} from "../../db/matching_plan.ts";
import { singular } from "../../mining/want/grammar.ts";
import { type Amounts, priceBucket } from "./amounts.ts";
import { wordWeight } from "./common.ts";
import type { Head, KindSpan } from "./head.ts";
import { isAnyProduct, namingWords, partsOfKind, wholeNames } from "./same.ts";
import { isAmount, onlyAsks } from "./services.ts";

/** A word of a query: as read, its stems, and the stems it may have been meant to have. */
export interface QueryWord {
  readonly word: string;
  readonly stems: readonly string[];
  readonly similar: readonly string[];
}

/** Words `start` up to, not including, `end` speak of needs, each given by the stems of its name. */
export interface NeedSpan {
  readonly start: number;
  readonly end: number;
  /** The needs' ids, as one word. */
  readonly id: string;
  readonly needs: readonly Group[];
  /** What else people say who have such a need, each as stems. */
  readonly cues: readonly Group[];
  /** Needs that say how much it may cost, and nothing of the product. */
  readonly price: boolean;
}

/** What a query asks for. */
export interface ReadPlan {
  readonly plan: QueryPlan;
  /** The product as the answer calls it; "" where the query asks for none. */
  readonly product: string;
  /** The name that the query has for it, where the answer calls it otherwise. */
  readonly readAs: string | null;
  /** "rental" in "bike rental"; null where a product may be meant. */
  readonly service: string | null;
}

/** Qualities of the ways in which a signal is about the product that is asked for. */
const HEAD = {
  /** The reading's kind. */
  kind: 1,
  /** A kind that is one of this kind, or the product's own words. */
  narrower: 0.95,
  /** All words in the product, and not as its end. */
  inProduct: 0.7,
  /** A product with the same noun, whose facts, quote or title have the other words; and whose body has. */
  nounTold: 0.75,
  nounText: 0.5,
  /** All words one after the other in the quote or the title. */
  adjacent: 0.6,
  /** A slip of the keyboard away from the product's noun. */
  slip: 0.8,
  /** All words in the product and the facts, in the quote or the title, and in the body. */
  stated: 0.4,
  told: 0.3,
  text: 0.2,
  /** Another kind that ends with the same noun. */
  sibling: 0.25,
} as const;

const WANT = {
  stated: 1,
  told: 0.97,
  text: 0.9,
  cueTold: 0.85,
  cueText: 0.7,
  slip: 0.8,
  /** One word of several. */
  partTold: 0.4,
  partText: 0.25,
} as const;

/** What is asked in the most common words, what grows with their rarity, and a number with its unit. */
const LEAST_POWER = 0.6;
const AMOUNT_POWER = 0.8;
const PRICE_POWER = 0.7;
/** Who it is for, where that is most people: "women's", "for kids" is more. */
const ANYBODY = new Set(
  "women woman womens men man mens guys girls ladies people person adult adults home house".split(
    " ",
  ),
);
const ANYBODY_POWER = 0.15;
/** Words of this weight and less say nothing of their own beside weightier ones. */
const SLIGHT = 0.3;
/** What all that is asked weighs at most: a long query lists more than anybody says at once. */
const MOST_ASKED = 1.1;

/** A want with the words that it stands at. */
interface PlacedWant extends WantPlan {
  readonly start: number;
  readonly end: number;
}
const NOWHERE = { start: -1, end: -1, share: 0 } as const;

/** A measure with its stems. */
export interface MeasureTerms {
  readonly name: string;
  readonly number: Group;
  readonly unit: Group;
}

const level = (groups: readonly Group[], place: Place, quality: number): Level => ({
  groups: groups.filter(({ length }) => length > 0),
  place,
  quality,
});
const filled = (levels: readonly Level[]): Level[] =>
  levels.filter(({ groups }) => groups.length > 0).sort((a, b) => b.quality - a.quality);
const stemsOf = (words: readonly QueryWord[]): Group => words.flatMap(({ stems }) => stems);
const textOf = (words: readonly QueryWord[]): string => words.map(({ word }) => word).join(" ");

/** A product that the query names, and what its name asks besides. */
interface Named {
  readonly levels: readonly Level[];
  readonly name: string;
  readonly readAs: string | null;
  /** The words that name it, and those of its name that are a want. */
  readonly used: readonly number[];
  readonly asks: readonly (readonly number[])[];
  /** Words that say nothing besides: "bike" of a bike helmet. */
  readonly own: readonly string[];
}

/** The ways to be about a product that is called by these words, the last of them its noun. */
function called(words: readonly QueryWord[]): Level[] {
  const stems = stemsOf(words);
  const end = words.at(-1)?.stems ?? [];
  const name = textOf(words);
  const many = stems.length > 1;
  const similar = words.length === 1 ? words.flatMap((word) => word.similar) : [];
  return [
    level([[kindTerm(name)], [kindTerm(singular(name))]], "told", HEAD.kind),
    level([[...end.map(endTerm), ...stems.map(productTerm)]], "told", HEAD.narrower),
    level([stems.map(productTerm)], "told", many ? HEAD.inProduct : HEAD.told),
    level(similar.map((stem) => [endTerm(stem)]), "told", HEAD.slip),
    level(many ? [[...end.map(endTerm), ...stems]] : [], "told", HEAD.nounTold),
    level(many ? [[...end.map(endTerm), ...stems]] : [], "text", HEAD.nounText),
    { ...level(many ? [stems] : [], "told", HEAD.adjacent), adjacent: true },
    level([stems], "stated", HEAD.stated),
    level([stems], "told", HEAD.told),
    level(many ? [stems] : [], "text", HEAD.text),
    level(many ? [end.map(endTerm)] : [], "told", HEAD.sibling),
  ];
}

/** A product that the lexicon knows, by one of its names. */
function knownProduct(
  words: readonly QueryWord[],
  { start, end, kinds }: KindSpan,
  frequency: Frequency,
): Named {
  const phrase = words.slice(start, end);
  const typed = phrase.map(({ word }) => word);
  const own = phrase.length > 0 ? called(phrase) : [];
  const isKind = [textOf(phrase), singular(textOf(phrase))].some((name) =>
    frequency(kindTerm(name)) > 0
  );
  const all = phrase.map((_, i) => start + i);
  for (const kind of kinds) {
    const naming = namingWords(typed, kind);
    if (naming.length === 0) continue;
    const short = naming.map((i) => phrase[i]).filter((word) => word !== undefined);
    return {
      levels: [
        level(wholeNames(kind).map((name) => [kindTerm(name)]), "told", HEAD.kind),
        level(partsOfKind(kind).map((part) => [kindTerm(part)]), "told", HEAD.narrower),
        ...called(short),
        ...own,
      ],
      name: textOf(short),
      readAs: null,
      used: all.filter((i) => naming.includes(i - start) || isAnyProduct(typed[i - start] ?? "")),
      asks: all.filter((i) => !naming.includes(i - start) && !isAnyProduct(typed[i - start] ?? ""))
        .map((i) => [i]),
      own: kind.split(/[\s-]+/),
    };
  }
  // Of several meanings of a word those whose names end with it: "holster" is no flashlight.
  const ending = kinds.filter((kind) => kind.endsWith(` ${typed.at(-1)}`));
  const broad = (ending.length > 0 ? ending : kinds).map((kind) => [kindTerm(kind)]);
  if (isKind || kinds.length === 0) {
    return { levels: own, name: textOf(phrase), readAs: null, used: all, asks: [], own: [] };
  }
  // A brand, a model or a part of a kind: those who want the kind and say the name.
  return {
    levels: [level(broad, "told", HEAD.kind), ...own],
    name: (ending.length > 0 ? ending : kinds).join(" or "),
    readAs: textOf(phrase),
    used: [],
    asks: [all],
    own: [],
  };
}

/** A product that no lexicon knows: by the longest end of its name that the corpus knows as a product. */
function unknownProduct(
  words: readonly QueryWord[],
  { phrases, last }: Head,
  frequency: Frequency,
): Named {
  const starts = [...phrases.map(({ start }) => start), last];
  const nameAt = (start: number) => words.slice(start, last + 1);
  const known = starts.find((start) => {
    const name = nameAt(start);
    const text = textOf(name);
    return start < last && [text, singular(text)].some((kind) => frequency(kindTerm(kind)) > 0);
  });
  const from = known ?? last;
  const name = nameAt(from);
  const longest = nameAt(starts[0] ?? last);
  const whole = stemsOf(longest);
  return {
    levels: [
      ...called(name),
      ...(longest.length > name.length
        ? [
          level([whole.map(productTerm)], "told", HEAD.kind),
          { ...level([whole], "told", HEAD.inProduct), adjacent: true },
        ]
        : []),
    ],
    name: textOf(name),
    readAs: null,
    used: name.map((_, i) => from + i),
    asks: [],
    own: [],
  };
}

/** A measure, by its number with its unit, or by a number that hardly stands for anything else. */
function measured({ name, number, unit }: MeasureTerms): PlacedWant {
  const both = [...number, ...unit];
  const telling = number.some((term) => term.length > 1);
  return {
    ...NOWHERE,
    name,
    power: AMOUNT_POWER,
    levels: filled([
      level([both], "stated", WANT.stated),
      level([both], "told", WANT.told),
      level(telling ? [number] : [], "told", WANT.cueTold),
      level([both], "text", WANT.cueText),
      level(telling ? [number] : [], "text", WANT.cueText),
    ]),
  };
}

/** Those who would spend such a sum, and not much less. */
function priced({ name, most }: NonNullable<Amounts["price"]>): PlacedWant {
  const bucket = priceBucket(most);
  const near = [bucket, bucket - 1, bucket - 2].map((one): Group => [`m/${one}`]);
  return {
    ...NOWHERE,
    name,
    power: PRICE_POWER,
    levels: filled([level(near, "told", WANT.stated)]),
  };
}

/** One thing that is asked: by these words, or by the need that they speak of. */
function want(
  words: readonly QueryWord[],
  need: NeedSpan | undefined,
): Omit<PlacedWant, "start" | "end"> | null {
  const telling = words.filter(({ word, stems }) =>
    stems.length > 0 && (wordWeight(word) > SLIGHT || need !== undefined)
  );
  const own = telling.length > 0 ? telling : words.filter(({ stems }) => stems.length > 0);
  const from = words.findIndex(({ stems }) => stems.length > 0);
  const named = from > 0 ? words.slice(from) : words;
  const stems = stemsOf(own);
  if (stems.length === 0 && need === undefined) return null;
  const amount = own.some(({ word }) => isAmount(word));
  const said = Math.max(0, ...own.map(({ word }) => wordWeight(word)));
  const power = amount
    ? AMOUNT_POWER
    : own.every(({ word }) => ANYBODY.has(word))
    ? ANYBODY_POWER
    : Math.min(1, LEAST_POWER + (1 - LEAST_POWER) * said);
  const rarest = own.toSorted((a, b) => wordWeight(b.word) - wordWeight(a.word))[0];
  const part = stems.length > 1 && rarest !== undefined ? [rarest.stems] : [];
  const similar = own.length === 1 ? own.flatMap((word) => word.similar) : [];
  return {
    name: textOf(named),
    share: 0,
    power,
    levels: filled([
      level([stems, ...need?.needs ?? []], "stated", WANT.stated),
      level([stems, ...need?.needs ?? []], "told", WANT.told),
      level([stems], "text", WANT.text),
      level(need?.cues ?? [], "told", WANT.cueTold),
      level(need?.cues ?? [], "text", WANT.cueText),
      level(similar.map((stem) => [stem]), "text", WANT.slip),
      level(part, "told", WANT.partTold),
      level(part, "text", WANT.partText),
    ]),
  };
}

/** Words after which the name of a need says what the product should not be. */
const NEGATING = new Set(["not", "isnt", "arent", "non", "without", "no"]);
/** Words that part what is asked. */
const PARTING = new Set(
  "for with without that which who whose when where while because and or but".split(" "),
);

/** Whether words before a need's own name take it back: "not wireless", but not "not loud". */
function isNegated(words: readonly QueryWord[], need: NeedSpan): boolean {
  const own = words.slice(need.start, need.end).map(({ word }) => word).join("-");
  return own === need.id && NEGATING.has(words[need.start - 1]?.word ?? "");
}

/** A word of the product's name whose posts are mostly of one kind: "cctv" of security cameras. */
export interface Hint {
  readonly at: number;
  readonly kind: string;
}

const lastWord = (name: string): string => singular(name.slice(name.lastIndexOf(" ") + 1));

/** The product as the posts that say a word of its name have it, where they have another name for it. */
function hinted(
  words: readonly QueryWord[],
  head: Head,
  named: Named,
  hints: readonly Hint[],
  frequency: Frequency,
): {
  readonly levels: readonly Level[];
  readonly readAs: string | null;
  readonly said: readonly number[];
} {
  const noun = words[head.last];
  const isKnown = head.spans.length > 0 ||
    (noun?.stems ?? []).some((stem) => frequency(endTerm(stem)) > 0);
  const fitting = hints.filter(({ at, kind }) =>
    isKnown ? at !== head.last && lastWord(kind) === singular(noun?.word ?? "") : at === head.last
  ).filter(({ kind }) => kind !== named.name);
  const levels = fitting.map(({ kind }) =>
    level(
      wholeNames(kind).map((name) => [kindTerm(name)]),
      "told",
      isKnown ? HEAD.narrower : HEAD.kind,
    )
  );
  const [first] = fitting;
  return {
    levels,
    readAs: first === undefined ? null : first.kind,
    said: isKnown ? fitting.map(({ at }) => at) : [],
  };
}

/** What is asked of the product: words that speak of a need together, and others as they stand together. */
function wantsOf(
  words: readonly QueryWord[],
  used: ReadonlySet<number>,
  asks: readonly (readonly number[])[],
  needs: readonly NeedSpan[],
  headEnd: number,
): PlacedWant[] {
  const found: PlacedWant[] = [];
  const seen = new Set([...used].map((i) => stemsOf(words.slice(i, i + 1)).join(" ")));
  const add = (at: readonly number[], need?: NeedSpan) => {
    const own = at.map((i) => words[i]).filter((word) => word !== undefined);
    const name = textOf(words.slice(at[0], (at.at(-1) ?? 0) + 1));
    const key = need?.id ?? stemsOf(own).join(" ");
    if (key === "" || seen.has(key)) return;
    seen.add(key);
    for (const i of at) seen.add(stemsOf(words.slice(i, i + 1)).join(" "));
    const plan = want(own, need);
    if (plan !== null) {
      found.push({
        ...plan,
        name: need === undefined ? name : plan.name,
        start: at[0] ?? 0,
        end: (at.at(-1) ?? 0) + 1,
      });
    }
  };
  const asked = new Set(asks.flat());
  const open = ({ start, end }: NeedSpan) =>
    words.slice(start, end).every((_, at) => !used.has(start + at));
  const isNeed = (k: number) => needs.some((need) => open(need) && need.start <= k && k < need.end);
  for (const at of asks) {
    const end = (at.at(-1) ?? 0) + 1;
    const need = needs.find((span) => span.start === at[0] && span.end === end && !span.price);
    add(at, need);
  }
  for (let i = 0; i < words.length;) {
    const need = needs.find((span) => span.start === i && open(span));
    if (need !== undefined) {
      const at = words.slice(need.start, need.end).map((_, k) => need.start + k);
      if (!need.price && !isNegated(words, need) && !at.every((k) => asked.has(k))) add(at, need);
      i = need.end;
      continue;
    }
    const says = (k: number) =>
      !used.has(k) && !asked.has(k) && (words[k]?.stems.length ?? 0) > 0 &&
      !PARTING.has(words[k]?.word ?? "") && !onlyAsks(words[k]?.word ?? "") &&
      !isNeed(k);
    if (!says(i)) {
      i++;
      continue;
    }
    // What stands before the product is asked word by word, what follows it as it stands together.
    const at = [i];
    let end = i + 1;
    for (; i >= headEnd && end < words.length && at.length < 3; end++) {
      if (says(end)) at.push(end);
      else if (PARTING.has(words[end]?.word ?? "") || used.has(end) || isNeed(end)) break;
    }
    add(at);
    i = (at.at(-1) ?? i) + 1;
  }
  return found;
}

/** Words between two things of which either will do: "camping or survival". */
function isEither(words: readonly QueryWord[], a: PlacedWant, b: PlacedWant): boolean {
  const between = words.slice(a.end, b.start).map(({ word }) => word);
  return b.start >= a.end && between.length > 0 && between.includes("or") &&
    between.every((word) => word === "or" || word === "for" || word === "a" || word === "an");
}

/** Things of which either will do as one want. */
function joinedByOr(words: readonly QueryWord[], wants: readonly PlacedWant[]): PlacedWant[] {
  const joined: PlacedWant[] = [];
  for (const one of wants.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || !isEither(words, last, one)) joined.push(one);
    else {
      joined[joined.length - 1] = {
        ...last,
        name: `${last.name} or ${one.name}`,
        end: one.end,
        power: Math.max(last.power, one.power),
        levels: filled([...last.levels, ...one.levels]),
      };
    }
  }
  return joined;
}

/** Reads what a query asks for. One that asks for no physical product gives a plan without a head. */
export function planQuery(
  words: readonly QueryWord[],
  head: Head | null,
  needs: readonly NeedSpan[],
  amounts: { readonly measures: readonly MeasureTerms[]; readonly price: Amounts["price"] },
  category: string | null,
  frequency: Frequency,
  hints: readonly Hint[] = [],
): ReadPlan {
  if (head === null || head.service !== null) {
    const plan = { head: [], wants: [], category };
    return { plan, product: "", readAs: null, service: head?.service ?? null };
  }
  const products = head.spans.length > 0
    ? head.spans.map((span) => knownProduct(words, span, frequency))
    : [unknownProduct(words, head, frequency)];
  const [first] = products;
  const hint = products.length === 1 && first !== undefined
    ? hinted(words, head, first, hints, frequency)
    : { levels: [], readAs: null, said: [] };
  const isOther = hint.levels.length > 0 && hint.said.length === 0;
  const used = new Set(isOther ? [] : products.flatMap((product) => product.used));
  const own = new Set(products.flatMap((product) => product.own));
  words.forEach(({ word }, i) => own.has(word) && used.add(i));
  const asks = products.length > 1
    ? []
    : isOther
    ? [first?.used ?? []]
    : products.flatMap((product) => product.asks);
  const wants = [
    ...joinedByOr(
      words,
      wantsOf(words, used, asks, needs, head.last + 1).map((one) =>
        hint.said.includes(one.start) ? { ...one, power: ANYBODY_POWER } : one
      ),
    ),
    ...amounts.measures.map(measured),
    ...amounts.price === null ? [] : [priced(amounts.price)],
  ].sort((a, b) => b.power - a.power).slice(0, MOST_WANTS);
  const all = wants.reduce((sum, { power }) => sum + power, 0);
  const scale = Math.min(1, MOST_ASKED / Math.max(all, 0.01));
  const name = products.map((product) => product.name).join(" or ");
  return {
    plan: {
      head: filled([...products.flatMap(({ levels }) => levels), ...hint.levels]),
      wants: wants.map((one) => ({
        name: one.name,
        levels: one.levels,
        share: rounded(one.power / all, 6),
        power: rounded(one.power * scale, 6),
      })),
      category,
    },
    product: hint.readAs ?? name,
    readAs: hint.readAs === null
      ? products.length === 1 ? first?.readAs ?? null : null
      : [...hint.said.map((i) => words[i]?.word ?? ""), name].join(" "),
    service: null,
  };
}
