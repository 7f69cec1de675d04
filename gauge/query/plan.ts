/**
 * From what a query says to what is looked for: the product that it asks for (its head) with the ways in
 * which a signal may be about it, and each thing that is asked of the product. docs/verdicts.md explains
 * the numbers.
 */
import { rounded } from "../../core/numbers.ts";
import {
  type Frequency,
  MOST_WANTS,
  type PlanLevel,
  type QueryPlan,
  type WantPlan,
} from "../../db/matching/plan.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import type { Amounts } from "../amounts/amounts.ts";
import { examplesOf, type Head, type KindSpan } from "./head.ts";
import { areDoing, inherentTo, withoutImplied } from "./implied.ts";
import { filled, type QueryWord, stemsOf } from "./parts.ts";
import {
  type Hint,
  hintedKind,
  knownProduct,
  type NamedProduct,
  unknownProduct,
} from "./product.ts";
import { NARROWER, type SpokenNames } from "./product_levels.ts";
import { isCompared } from "../amounts/sums.ts";
import { isGendered, isPeople, ofSentences } from "../words/word_classes.ts";
import {
  ANYBODY_POWER,
  BESIDE_POWER,
  measured,
  type MeasureTerms,
  type NeedSpan,
  type PlacedWant,
  priced,
} from "./want_levels.ts";
import { unusedIn } from "./unused.ts";
import { joinedByOr, nameStart } from "./placed.ts";
import { isRefused, sayNothingMore } from "./repeated.ts";
import { wantsOf } from "./wants.ts";

/** One thing that a query asks of the product. */
export interface AskedWant extends WantPlan, Pick<PlacedWant, "name" | "granting"> {
  /** Whether people are counted for it: if it only stands beside what is asked, never, or only where nothing else is asked. */
  readonly counted: "always" | "ifNothingElse" | "never";
}

/** What is looked for, and for what of it people are counted. */
interface AskedPlan extends QueryPlan {
  readonly wants: readonly AskedWant[];
}

/** What a query asks for. */
export interface ReadPlan {
  readonly plan: AskedPlan;
  /** The product as the answer calls it; "" where the query asks for none. */
  readonly product: string;
  /** The name that the query has for it, where the answer calls it otherwise. */
  readonly readAs: string | null;
  /** "rental" in "bike rental"; null where a product may be meant. */
  readonly service: string | null;
  /** What the query asks and goes without saying for the product. */
  readonly implied: readonly string[];
  /** What it says besides, by which nothing is looked for. */
  readonly unused: readonly string[];
  /** The sum, where it is in other money than dollars and compared with theirs all the same; null for none. */
  readonly unexchanged: string | null;
  /** The categories of the products, where none of them is the one that is searched. */
  readonly elsewhere: readonly string[];
}

/** What is known of a product that was told by its description. */
export interface Description {
  /** Words that describe it rather than ask something of it, though they do not tell it. */
  readonly describing: ReadonlySet<number>;
  /** How likely it is that something else is meant, 0-1: what they weigh. */
  readonly doubt: number;
}

/** A product that was named. */
export const NAMED: Description = { describing: new Set(), doubt: 0 };

/** The power of all wants together is at most this: a long query lists more than anybody says at once. */
const MAX_POWER = 1;
/** Of a sentence it is less, since that says more than it asks; a sentence has at least so many words. */
const MAX_POWER_OF_SENTENCE = 0.7;
const MIN_SENTENCE_WORDS = 8;

const countedBy = ({ power }: PlacedWant): AskedWant["counted"] =>
  power > ANYBODY_POWER ? "always" : power > BESIDE_POWER ? "ifNothingElse" : "never";

/** Wants as they are looked for, the weightiest first: at most so many, and so heavy together. */
function planned(
  words: readonly QueryWord[],
  amounts: readonly PlacedWant[],
  asked: readonly PlacedWant[],
): AskedWant[] {
  const byPower = (a: PlacedWant, b: PlacedWant): number => b.power - a.power;
  // Of more wants than are looked for, amounts are: nothing else in a query says so plainly what is asked.
  const wants = [...amounts, ...asked.filter(({ power }) => power > 0).sort(byPower)]
    .slice(0, MOST_WANTS).sort(byPower);
  const isAside = (one: PlacedWant): boolean => countedBy(one) !== "always";
  const sum = (some: readonly PlacedWant[]): number =>
    some.reduce((sum, { power }) => sum + power, 0);
  // However many words stand beside what is asked, together they weigh no more than one of them may.
  const beside = Math.min(1, ANYBODY_POWER / Math.max(sum(wants.filter(isAside)), 0.01));
  const weighed = wants.map((one) => ({
    ...one,
    power: isAside(one) ? one.power * beside : one.power,
    counted: countedBy(one),
  }));
  const all = sum(weighed);
  const isSentence = words.length >= MIN_SENTENCE_WORDS &&
    words.some(({ word }) => ofSentences(word));
  const most = isSentence ? MAX_POWER_OF_SENTENCE : MAX_POWER;
  const scale = Math.min(1, most / Math.max(all, 0.01));
  return weighed.map(({ name, levels, granting, counted, power }) => ({
    name,
    levels,
    granting,
    counted,
    share: rounded(power / all, 6),
    power: rounded(power * scale, 6),
  }));
}

/**
 * The words by which names of one kind with other nouns differ, any of which will do: "sectional" in "couch or sectional",
 * but neither "gaming" in "gaming laptop or gaming notebook" nor "road" in "road bike or mountain bike".
 */
function alternatives(words: readonly QueryWord[], products: readonly NamedProduct[]): number[] {
  const wordAt = (i: number): string => words[i]?.word ?? "";
  const nounOf = ({ used, asks }: NamedProduct): string =>
    singular(wordAt(Math.max(...used, ...asks.flat())));
  if (!products.some(({ used }) => used.length > 0)) return [];
  return products.flatMap((product) => {
    const { kind, asks, used } = product;
    if (used.length === 0) return asks.flat();
    const same = products.filter((other) => kind !== null && other.kind === kind);
    if (same.length < 2 || new Set(same.map(nounOf)).size < same.length) return [];
    const isShared = (i: number): boolean =>
      same.every((other) => other.asks.flat().some((at) => wordAt(at) === wordAt(i)));
    return asks.flat().filter((i) => !isShared(i));
  });
}

/**
 * The ways to be about one of the products. Beside one that is named, a brand, a model or a part of a kind stands for
 * itself and not for the kind: "study table or workstation" asks for no computer.
 */
function waysToBeAbout(products: readonly NamedProduct[]): PlanLevel[] {
  const isNamed = products.some(({ used }) => used.length > 0);
  return products.flatMap(({ kindLevels = [], levels, used }) =>
    isNamed && used.length === 0 ? levels : [...kindLevels, ...levels]
  );
}

/** The ways to be of the kinds that are given as examples, which are kinds of the product: sandals of footwear. */
const exampleLevels = (parts: QueryParts, head: Head): PlanLevel[] =>
  examplesOf(parts.words.map(({ word }) => word), head, parts.spans)
    .map((span) => knownProduct(parts, span))
    .flatMap(({ levels, used }) => used.length > 0 ? levels : [])
    .filter(({ quality, place }) => quality >= NARROWER && place === "summary")
    .map((one) => ({ ...one, quality: NARROWER }));

/** The categories of kinds, where none of them is of the one that is searched. */
function otherCategories(spans: readonly KindSpan[], category: string | null): string[] {
  const { kinds } = lexicon();
  const own = spans.flatMap((span) =>
    span.kinds.flatMap((kind) => kinds.get(kind)?.category ?? [])
  );
  return category === null || own.includes(category) ? [] : [...new Set(own)];
}

/** What was read of a query. */
interface QueryParts {
  readonly words: readonly QueryWord[];
  /** Null where no word says anything. */
  readonly head: Head | null;
  readonly needs: readonly NeedSpan[];
  readonly measures: readonly MeasureTerms[];
  readonly price: Amounts["price"];
  readonly otherSums: Amounts["otherSums"];
  readonly category: string | null;
  readonly frequency: Frequency;
  readonly hints: readonly Hint[];
  readonly spoken: SpokenNames;
  readonly description: Description;
  /** All products that it names. */
  readonly spans: readonly KindSpan[];
}

/** The products of a query, and which of its words ask something of them. */
interface ReadProducts {
  readonly products: readonly NamedProduct[];
  /** What the words before the noun say of the kind. */
  readonly hint: ReturnType<typeof hintedKind>;
  /** Words that ask nothing more: the products' names, and what repeats them. */
  readonly used: ReadonlySet<number>;
  /** Words of the names that ask something. */
  readonly asks: readonly (readonly number[])[];
  readonly isOwn: (word: QueryWord) => boolean;
}

function productsOf(parts: QueryParts, head: Head): ReadProducts {
  const { words, frequency, hints, spoken, spans } = parts;
  const products = head.spans.length > 0
    ? head.spans.map((span) => knownProduct(parts, span))
    : [unknownProduct(words, head, frequency)];
  const [first] = products;
  const hint = products.length === 1 && first !== undefined
    ? hintedKind(words, head, first, hints, frequency)
    : { levels: [], readAs: null, said: [] };
  const isOther = hint.levels.length > 0 && hint.said.length === 0;
  const own = new Set(products.flatMap((product) => product.own));
  // "To sleep in" says nothing of a sleeping bag.
  const ownStems = new Set([...own].flatMap((name) => stemsOf(spoken(name))));
  const isOwn = ({ word, stems }: QueryWord): boolean =>
    own.has(word) || areDoing(word, ownStems) ||
    (stems.length > 0 && stems.every((stem) => ownStems.has(stem)));
  const named = isOther
    ? []
    : [...products.flatMap((product) => product.used), ...alternatives(words, products)];
  return {
    products,
    hint,
    used: new Set([...named, ...sayNothingMore(words, head, spans, isOwn)]),
    asks: products.length > 1
      ? []
      : isOther
      ? [first?.used ?? []]
      : products.flatMap((product) => product.asks),
    isOwn,
  };
}

/** What is asked of the products: as placed in the query, and as it weighs, of which what goes without saying weighs nothing. */
function weighedWants(
  { words, needs, spoken, description, spans }: QueryParts,
  { last }: Head,
  { products, hint, used, asks, isOwn }: ReadProducts,
  isPriced: boolean,
): { readonly placed: readonly PlacedWant[]; readonly asked: readonly PlacedWant[] } {
  const headEnd = last + 1;
  const inherent = inherentTo(products.map(({ kind }) => kind), spoken);
  const isInherent = inherent.surely;
  const placed = wantsOf({ words, used, asks, needs, headEnd, isInherent, isPriced, spans });
  // Who asks says it in no post: "do musicians want a synthesizer".
  const because = words.findIndex(({ word }) => word === "because");
  const isWho = ({ start, end }: PlacedWant): boolean =>
    because >= 0 && start > because && end - start === 1 && isPeople(words[start]?.word ?? "") &&
    !isGendered(words[start]?.word ?? "");
  const isDescribing = ({ start, end }: PlacedWant): boolean =>
    words.slice(start, end).every(({ stems }, i) =>
      stems.length === 0 || description.describing.has(start + i)
    );
  const powerOf = (one: PlacedWant): number => {
    if (hint.said.includes(one.start)) return ANYBODY_POWER;
    if (isWho(one)) return Math.min(one.power, ANYBODY_POWER);
    return isDescribing(one)
      ? Math.min(one.power, Math.max(BESIDE_POWER, description.doubt))
      : one.power;
  };
  const left = withoutImplied(placed, { words, products, headEnd, spans, inherent, isOwn });
  const weighed = left.map((one) => ({ ...one, power: powerOf(one) }));
  return { placed, asked: joinedByOr(words, weighed, headEnd) };
}

/** The plan of a query that asks for no physical product, but maybe for this service. */
const planNothing = (category: string | null, service: string | null): ReadPlan => ({
  plan: { head: [], wants: [], category },
  product: "",
  readAs: null,
  service,
  implied: [],
  unused: [],
  unexchanged: null,
  elsewhere: [],
});

/** Plans what to look for. A query that asks for no physical product gives a plan without a head. */
export function planQuery(parts: QueryParts): ReadPlan {
  const { words, head, needs, measures, price, otherSums, category, spans } = parts;
  if (head === null || head.service !== null) return planNothing(category, head?.service ?? null);
  const read = productsOf(parts, head);
  const compared = price !== null && isCompared(price) ? price : null;
  const { placed, asked } = weighedWants(parts, head, read, compared !== null);
  const { products, hint, used } = read;
  const amounts = [...measures.map(measured), ...compared === null ? [] : [priced(compared)]];
  const name = [...new Set(products.map((product) => product.name))].join(" or ");
  const [first, ...others] = products;
  const hinting = hint.said.map((i) => words[i]?.word ?? "");
  return {
    plan: {
      head: filled([...waysToBeAbout(products), ...exampleLevels(parts, head), ...hint.levels]),
      wants: planned(words, amounts, asked),
      category,
    },
    product: hint.readAs ?? name,
    readAs: hint.readAs !== null
      ? [...hinting, name].join(" ")
      : others.length === 0
      ? first?.readAs ?? null
      : null,
    service: null,
    implied: asked.filter(({ power }) => power === 0).map(({ name }) => name),
    unused: [
      ...new Set([
        ...[...price === compared || price === null ? [] : [price], ...otherSums]
          .map(({ name }) => name),
        ...unusedIn({
          words,
          used,
          needs,
          named: spans,
          products: head.spans,
          refused: spans.filter((span) => isRefused(words, head, span)),
          placed,
          nameFrom: nameStart(words, head.last + 1),
          last: head.last,
        }),
      ]),
    ],
    unexchanged: compared === null || compared.currency === "usd" ? null : compared.name,
    elsewhere: otherCategories(head.spans, category),
  };
}
