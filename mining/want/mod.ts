/** What a post wants: the kind of product, the need, the brands, and how sure that is. */
import type { CategoryPrior, Demand, Pattern, PostText, Want } from "../types.ts";
import { suits } from "./brands.ts";
import { chooseKind, type Chosen, titleWeight } from "./choose.ts";
import type { Brand, Kind } from "./lexicon.ts";
import { findNamed, markQuote, type Mention, type Named } from "./mentions.ts";
import { findNeeds } from "./find_need.ts";
import { bandOf, plannedSum, type Sum } from "./price.ts";
import { productPhrase } from "./product.ts";
import type { Places } from "./quote.ts";
import { typeOf } from "./types_of.ts";
import { BODY_LIMIT, splitWords, type Words } from "./tokens.ts";

/** Names the word lists and rules below; a want is comparable only with wants of the same version. */
export const WANT_VERSION = "4";

const MOST_BRANDS = 8;
/** The need that a sum says better. */
const CHEAP = "budget";

/** Kinds with needs that are a kind of their own. */
const OWN_KINDS: Readonly<Record<string, string>> = {
  "desktop computer/gaming": "gaming pc",
};

/** Kinds that are names for many things: without a need, those who ask for one want different things. */
const UMBRELLAS: ReadonlySet<string> = new Set([
  "art supplies",
  "baby clothes",
  "backpacking gear",
  "building material",
  "car part",
  "cleaning product",
  "climbing gear",
  "clothes",
  "desk accessory",
  "electrical part",
  "furniture",
  "gun accessory",
  "home gym equipment",
  "hunting gear",
  "jewelry",
  "kids toy",
  "makeup",
  "plumbing part",
  "skincare product",
  "supplement",
  "tool set",
  "travel accessory",
  "work clothes",
  "workout clothes",
]);
/** Whether those who state no need want different things: each makeshift stands in for something else. */
function manyWants(kind: Kind, pattern: Pattern): boolean {
  return pattern === "workaround" || UMBRELLAS.has(kind.name);
}

/** How likely two of those want the same, against two who name one product. */
const ANY_OF_MANY = 0.6;

/** What a post wants, how sure that is, and where the post says it. */
export interface WantReading {
  readonly want: Want;
  /** How likely the kind is right where the post is demand at all, 0-1. */
  readonly sureness: number;
  readonly places: Places;
}

/**
 * What the post wants: the product as it calls it, its canonical kind, the specific need, category and
 * brands. Null where no product can be named: then there is no signal. Deterministic; reads the title and
 * the beginning of the body only.
 */
export function readWant(
  text: PostText,
  demand: Demand,
  prior: CategoryPrior,
): WantReading | null {
  const words = splitWords(text.title, text.body);
  const quoted = markQuote(words, demand.quote);
  const named = findNamed(words, text, quoted, titleWeight(demand.pattern), prior);
  const chosen = chooseKind(words, text, named, prior);
  if (chosen === null) return null;
  const { kind, mention, mentions } = chosen;
  const sentences = new Set(mentions.map(({ start }) => words.sentence[start]));
  const { plainest: found, spoken } = findNeeds(words, quoted, {
    category: kind.category,
    kind: kind.name,
    own: new Set([...kind.name.split(/[ -]/), ...ownWords(words, mention)]),
    called: mention === null ? [] : range(Math.max(0, mention.start - 2), mention.end),
    near: (word) => sentences.has(words.sentence[word]),
  });
  const own = found === null ? undefined : OWN_KINDS[`${kind.name}/${found.need.id}`];
  const asked = own === undefined ? found : null;
  const sum = asked === null || asked.need.id === CHEAP
    ? plannedSum(own ?? kind.name, text.title, text.body.slice(0, BODY_LIMIT))
    : null;
  const type = typeOf(words, kind.name, mention);
  const need = sum !== null ? bandOf(sum) : own !== undefined ? null : asked?.need.id ?? type;
  const suiting = askedFor(named, demand.pattern).filter(([brand]) => suits(brand, kind));
  const typed = (): number[] =>
    mentions.filter((place) => typeOf(words, kind.name, place) === type).map(({ start }) => start);
  return {
    want: {
      product: own ?? productPhrase(words, kind, mention),
      kind: own ?? kind.name,
      need,
      category: kind.category,
      brands: suiting.sort(([a, as], [b, bs]) =>
        bs.length - as.length || (a.name < b.name ? -1 : 1)
      )
        .map(([brand]) => brand.name).slice(0, MOST_BRANDS),
      spoken: spoken.filter((id) => id !== need),
    },
    sureness: sureness(chosen) *
      (need === null && manyWants(kind, demand.pattern) ? ANY_OF_MANY : 1),
    places: {
      words,
      mentions,
      brands: suiting.filter(([brand]) => brand.kinds.includes(kind)).flatMap(([, at]) => at),
      needs: need === null ? null : sum !== null ? wordsOf(words, sum) : asked?.at ?? typed(),
    },
  };
}

/**
 * Grows with what speaks for the kind, and shrinks with what speaks for another one. The constants follow
 * the share of right kinds among posts that readers named the product of.
 */
function sureness({ score, next }: Chosen): number {
  const rival = Math.min(1, next / score);
  return Math.round(1000 * Math.min(1, 1.08 - 0.5 * rival) * score / (score + 0.9)) / 1000;
}

function wordsOf({ at, titleWords }: Words, { inTitle, start, end }: Sum): number[] {
  return range(inTitle ? 0 : titleWords, inTitle ? titleWords : at.length).filter((word) => {
    const place = at[word] ?? -1;
    return place >= start && place < end;
  });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function ownWords(words: Words, mention: Mention | null): readonly string[] {
  return mention === null ? [] : words.word.slice(mention.start, mention.end);
}

/** The brands with the places where they are not rejected; to those let down, what they reject is the matter. */
function askedFor(
  { brands, rejected }: Named,
  pattern: Pattern,
): (readonly [Brand, readonly number[]])[] {
  if (LET_DOWN.has(pattern)) return [...brands];
  return [...brands].flatMap(([brand, at]) => {
    // Whoever rejects a brand in one place does not want it in another.
    return at.some((place) => rejected.has(place)) ? [] : [[brand, at] as const];
  });
}

/** Patterns of people who have the thing and are let down by it; all others look for one. */
const LET_DOWN: ReadonlySet<Pattern> = new Set<Pattern>([
  "repeat_failure",
  "frustration",
  "workaround",
]);

/**
 * The key of the cluster a signal belongs to: `kind/need`. Where no need was found, those who are let down by
 * what they have (`kind/failing`) stand apart from those who look for one (`kind/general`). The same text always
 * has the same key, whatever else was read before it.
 */
export function wantKey(want: Want, demand: Demand): string {
  return `${want.kind}/${want.need ?? (LET_DOWN.has(demand.pattern) ? "failing" : "general")}`;
}

/** The product kinds and the brands that a text names, by the names of the word lists. */
export function namedIn(
  text: string,
): { readonly kinds: ReadonlySet<string>; readonly brands: ReadonlySet<string> } {
  const words = splitWords("", text);
  const post = { title: "", body: text, community: "" };
  const named = findNamed(words, post, markQuote(words, ""), titleWeight(null), {});
  return {
    kinds: new Set(named.mentions.map(({ kind }) => kind.name)),
    brands: new Set([...named.brands.keys()].map(({ name }) => name)),
  };
}
