/** Wants that go without saying for the product: "rechargeable" of an electric shaver restricts nothing. */
import { inherentWords } from "../../mining/lexicon/inherent.ts";
import { isParticle } from "../words/spelling.ts";
import { doneBy, praises } from "../words/word_classes.ts";
import type { KindSpan } from "./head.ts";
import { type QueryWord, stemsOf } from "./parts.ts";
import type { NamedProduct } from "./product.ts";
import type { SpokenNames } from "./product_levels.ts";
import { ANYBODY_POWER, isForAnybody, type PlacedWant } from "./want_levels.ts";

/** What is left of the power of a want that goes without saying by one writer alone. */
const PROBABLY = 0.4;

/** Whether a word names people by what one of the stems says: "campers" by camping. */
export function areDoing(word: string, stems: ReadonlySet<string>): boolean {
  const done = doneBy(word);
  return done !== null && (stems.has(done) || stems.has(`${done}e`) || stems.has(`${done}i`));
}

type IsSaid = (word: QueryWord) => boolean;

/** Whether a word goes without saying, by two writers, and by at least one. */
interface Inherent {
  readonly surely: IsSaid;
  readonly probably: IsSaid;
}

/** What goes without saying of all these kinds. */
export function inherentTo(kinds: readonly (string | null)[], spoken: SpokenNames): Inherent {
  const stems = (words: readonly string[]) =>
    new Set(words.flatMap((word) => stemsOf(spoken(word))));
  const inherent = kinds.map((kind) => {
    const { agreed, all } = kind === null ? { agreed: [], all: [] } : inherentWords(kind);
    return { surely: stems(agreed), probably: stems(all) };
  });
  const isIn = (said: ReadonlySet<string>, word: QueryWord) =>
    word.stems.every((stem) => said.has(stem)) || areDoing(word.word, said);
  return {
    surely: (word) => inherent.every(({ surely }) => isIn(surely, word)),
    probably: (word) => inherent.every(({ probably }) => isIn(probably, word)),
  };
}

/**
 * Whether all words of a want, which neither denies nor stands behind "non" or before "free", are such words. A value
 * that ends or begins with a particle says more than its verb or noun: "hold up", "over-ear".
 */
function saysOnly(
  words: readonly QueryWord[],
  { name, start, end, none, isValue }: PlacedWant,
  isSaid: IsSaid,
): boolean {
  const own = words.slice(start, end);
  const telling = own.filter(({ stems }) => stems.length > 0);
  const denies = none === true || /n't\b|^never\b/.test(name) || words[start - 1]?.word === "non" ||
    words[end]?.word === "free";
  const isPhrasal = isValue === true &&
    (own.at(-1)?.stems.length === 0 || isParticle(own[0]?.word ?? ""));
  return !denies && !isPhrasal && telling.length > 0 && telling.every(isSaid);
}

/** What is known of the product whose wants may go without saying. */
interface ImplyingProduct {
  readonly words: readonly QueryWord[];
  readonly products: readonly NamedProduct[];
  /** Where the product's name ends. */
  readonly headEnd: number;
  readonly spans: readonly KindSpan[];
  readonly inherent: Inherent;
  /** Whether a word only repeats the product's name. */
  readonly isOwn: IsSaid;
}

/**
 * The wants with the power that is left to them: none to those that go without saying. A narrower name of the product is
 * asked, and so is what continues a phrase ("front pocket", but not "a man's face") or is to be good ("best keyboard laptop").
 */
export function withoutImplied(
  wants: readonly PlacedWant[],
  { words, products, headEnd, spans, inherent, isOwn }: ImplyingProduct,
): PlacedWant[] {
  const [product] = products;
  const narrower = product === undefined || product.readAs === null
    ? undefined
    : product.asks[0]?.[0];
  const isAsked = (asked: PlacedWant): boolean => {
    const { start } = asked;
    const isBehind = start >= headEnd;
    const isPraised = praises(words[start - 1]?.word ?? "") &&
      (isBehind || spans.some((span) => span.start === start));
    const continues = start > headEnd && !isForAnybody(words, asked) &&
      wants.some((one) =>
        one.end === start && !isForAnybody(words, one) && !saysOnly(words, one, inherent.surely)
      );
    return start === narrower || isPraised || continues;
  };
  return wants.map((one) => {
    if (isAsked(one)) return one;
    const goesWithoutSaying = (isSaid: IsSaid): boolean =>
      saysOnly(words, one, (word) => isOwn(word) || isSaid(word));
    if (goesWithoutSaying(inherent.surely)) return { ...one, power: 0 };
    const most = isForAnybody(words, one) ? ANYBODY_POWER : 1;
    return goesWithoutSaying(inherent.probably)
      ? { ...one, power: Math.min(most, PROBABLY * one.power) }
      : one;
  });
}
