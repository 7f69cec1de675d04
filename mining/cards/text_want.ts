/** What is wanted of a product, as a phrase: the one need of a card, and what its posts ask for besides. */
import { type Need, needById, saysNeed } from "../want/needs.ts";
import { bandPhrase } from "../want/price.ts";
import { type Noun, withArticle } from "./text_noun.ts";

/** Something that some of a card's posts ask for. */
export interface Asked {
  /** "one with a battery that lasts", "quiet ones". */
  readonly phrase: string;
  /** How many of the newest signals speak of it. */
  readonly count: number;
}

export interface Wanted {
  /** The want that all of a card's posts share, or null where they share the product alone. */
  readonly want: string | null;
  /** What else enough of them ask for, most often asked for first. */
  readonly asked: readonly Asked[];
}

/** "headphones whose cable does not break", "a quiet keyboard". */
export function wantPhrase(noun: Noun, need: Need): string {
  // "a laptop battery that lasts", not one "with a battery that lasts".
  const head = noun.bare.slice(noun.bare.lastIndexOf(" ") + 1).toLowerCase();
  const [, how = "", part = "", rest = ""] =
    /^(with|whose) (?:an? )?([a-z ]*?)(?: ((?:that|does) .*))?$/.exec(need.phrase) ?? [];
  if (part.split(" ").at(-1) === head) {
    const product = withArticle(noun, part.slice(0, -head.length).trim());
    return rest === "" ? product : `${product} ${how === "whose" ? "that " : ""}${rest}`;
  }
  if (need.phrase.startsWith("^")) return withArticle(noun, need.phrase.slice(1));
  const phrase = need.phrase.replace(
    /\{([^|}]*)\|([^}]*)\}/g,
    (_, one: string, more: string) => noun.number === "plural" ? more : one,
  );
  return `${withArticle(noun)} ${phrase}`;
}

/** What fewer than two posts, or than one in twenty, ask for is no part of the demand. */
const ASKED_LEAST = 2;
const ASKED_SHARE = 0.05;
const MOST_ASKED = 3;

/**
 * What else enough of a card's `all` newest signals ask for. `spoken`: ids of needs with how many speak of
 * them, the most spoken of first; `own`: the card's need.
 */
export function alsoAsked(
  spoken: readonly { readonly name: string; readonly count: number }[],
  { noun, own, all }: { readonly noun: Noun; readonly own: string | null; readonly all: number },
): readonly Asked[] {
  // "for under $300" says it better than "affordable".
  const isPriced = own !== null && bandPhrase(own) !== undefined;
  const least = Math.max(ASKED_LEAST, ASKED_SHARE * all);
  return spoken.filter(({ count }) => count >= least).flatMap(({ name, count }) => {
    const need = needById(name);
    if (need === undefined || saysNeed(noun.bare, need)) return [];
    if (isPriced && name === "budget") return [];
    return [{ phrase: onePhrase(noun, need), count }];
  }).slice(0, MOST_ASKED);
}

/** As `wantPhrase`, of "one" or "ones" for the product that was named already. */
function onePhrase(noun: Noun, need: Need): string {
  const phrase = wantPhrase(noun, need);
  if (noun.number === "mass") return phrase;
  return phrase.replace(noun.bare, noun.number === "plural" ? "ones" : "one")
    .replace(/^an? one\b/, "one");
}
