/** Sums of money in a query: "under $400", "50€", "five hundred bucks". */
import { currencyNamed, currencyNames, priceOf, sumIn } from "../../mining/extract/price.ts";
import { allUnitForms } from "../../mining/extract/values.ts";
import { NUMBER_WORD, writtenNumber } from "./numbers.ts";

/** A sum as it was written, and between which sums lies what those would spend who want it so. */
export interface Price {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** ISO 4217, lower case; null for a currency that is not known. */
  readonly currency: string | null;
}

/**
 * Sums of posts are found as they stand, whatever their currency. One of these is worth between half a dollar and two, so
 * that sums in them compare; rupees and dollars do not.
 */
const COMPARED: ReadonlySet<string> = new Set("usd gbp eur cad aud nzd sgd chf".split(" "));

/** Whether the sums that posts name say anything of this one. */
export const isCompared = ({ currency }: Price): boolean =>
  currency !== null && COMPARED.has(currency);

/** Names of currencies that mostly mean something else: weights, places, models ("RS 175"), makers ("110 Buck knife"). */
const OTHERWISE: ReadonlySet<string> = new Set("pound pounds us au rs buck".split(" "));
const NAMES = currencyNames().filter((name) => /^\p{L}{2,}$/u.test(name) && !OTHERWISE.has(name));
/** Whose money it is. */
const WHOSE = String
  .raw`(?:(?:us|american|canadian|australian|swiss)\s)?`;
/** A word or a code; whose dollars they are may stand before them. */
const NAME = String.raw`${WHOSE}(?:${NAMES.join("|")})(?!\w)`;
/** One before a number: no "CAD 3D". */
const CODE =
  String.raw`(?<![\p{L}\d])(?:${WHOSE}(?:${
    NAMES.join("|")
  })|rs\.|(?<=\b(?:under|below|than|to)\s)rs)` +
  String.raw`(?=\s?[\d.,]+k?(?!\w))`;
/** Any sign of money, with the letters that say whose dollars they are: "C$", "US $", "AUD$". */
const SIGN = String.raw`(?:(?<![\p{L}\d])(?:[a-z]{1,2}|(?:us|${NAMES.join("|")})\s?))?\p{Sc}`;
const BEHIND = String.raw`${SIGN}(?!\d)(?:\s${NAME})?|${NAME}`;
const CURRENCY = new RegExp(String.raw`${SIGN}|${CODE}|(?<!\p{L})${NAME}`, "giu");

/** Words and marks before a sum that bound it. */
const BOUND =
  String.raw`(?:(?:\b(?:no more than|under|below|less than|around|about|for|max(?:imum)?|up to|` +
  String
    .raw`between|at most|at least|(?:(?:not|never)\s+)?(?:more than|over)|within|sub)[\s-]*)|[<≤>≥~≈]\s?)`;
/** Behind a sum, that it may be less or more, or that it is a limit. */
const BOUND_BEHIND =
  String.raw`(?:\s?\+|\s?(?:(?:or|and) (?:less|under|below|more|over|above|up)(?!\s+(?:to\s+)?` +
  String.raw`(?:${SIGN}\s?)?\d)|max(?:imum)?|budget)\b)`;
const NUMBER = String.raw`\d+(?:[.,]\d+)*(?:\s?k\b|ish\b)?`;
/** The end of a range: "$500 - 15 inch" names none. */
const LAST = String.raw`${NUMBER}(?![\w.]*\w|[\s-]*(?:${allUnitForms().join("|")})(?!\w))`;
const TO = String.raw`\s?(?:-|–|~|to|(?<=\bbetween\s.{1,12})and|and(?=\s?\p{Sc}))\s?`;
/** "$50", "US$ 50-100", "$50 USD", "EUR 50". */
const NAMED_BEFORE =
  String.raw`(?:(?<!\d)${SIGN}|${CODE})\s?${NUMBER}(?:${TO}(?:${SIGN}\s?)?${LAST})?` +
  String.raw`(?:\s?(?:${BEHIND}|(?:us|au|canadian|australian)(?!\w)))?`;
/** "50$", "50-100 dollars", "50€ to 100€". */
const NAMED_BEHIND = String
  .raw`(?<![\w.,])${NUMBER}(?:(?:${SIGN})?${TO}${NUMBER})?\s?(?:${BEHIND})`;
/** Behind a word that limits, a number at the end of what is said is a sum: "turntable under 200". */
const UNNAMED =
  String.raw`(?<=\b(?:under|below|less than|up to|max|budget(?:\s+(?:of|is|around|about)|:)?)\s)` +
  String.raw`(?:\d{1,3},\d{3}|\d{2,5}|\d+(?:\.\d+)?k)` +
  String.raw`(?=\s*(?:$|[.,;!?](?!\d)|\s(?:for|with|that)\b))`;
/** A clause that says no more than that a sum follows: "my budget tops out at", "that costs no more than". */
const COSTING = String.raw`(?:\b(?:(?:i|we|it|that|which)\s+)?` +
  String
    .raw`(?:(?:(?:can|could|will|would|do|does|should|must)(?:\s*not|n['’]?t)?|can['’]?t|won['’]?t|never)\s+` +
  String.raw`(?:want\s+to\s+)?|(?:my|our|a|the)\s+)?` +
  String.raw`(?:budgets?|cost(?:s|ing)?|pric(?:e|es|ed|ing)|spend(?:s|ing)?|pay(?:s|ing)?)\b` +
  String
    .raw`(?:\s+(?:is|be|me|us|of|at|to|up|out|tops?|max(?:es|imum)?|limit(?:ed)?|goes?|capped|not?|more|less|than|` +
  String.raw`only|just))*\s+)?`;
const SUM = new RegExp(
  `${COSTING}(${BOUND}?(?:${NAMED_BEFORE}|${UNNAMED}|${NAMED_BEHIND})${BOUND_BEHIND}?)`,
  "giu",
);

/** What is left of a limit where something else stands between the sum and it: "a $50 budget or less". */
const LEFT_OVER = /\bor\s+(?:less|more|under|below)\b/gi;

/** Thousands as they are said: "under a grand"; not of a piano. */
const GRAND =
  /(?<=\b(?:under|below|than|to|over|about|around|of)\s+)(an?|\d+|one|two|three|four|five)\s+grand\b(?!\s+piano)/gi;
const WRITTEN_SUM = new RegExp(
  String.raw`\b((?:(?:an?|and|${NUMBER_WORD})[\s-]+)+)(?=${NAME})`,
  "giu",
);

/** Who would spend "about 500" names a sum between these parts of it; who would spend at most so much, at least half. */
const ABOUT = [0.7, 1.2] as const;
const LEAST = 0.5;
/** Who would spend "50 to 100" would spend more than 50 at most: one step of the sums that are told apart. */
const ABOVE = 2 ** (1 / 8);
/** Behind a sum, that it may be more. */
const OR_MORE_OF_IT = /(?:\b(?:or|and) (?:more|over|above|up)|\+)$/i;

/** "Must not cost more than" sets a limit; the parser, which reads posts too, knows other ways to say so. */
const DENIED = /(?:\b(?:not?|never|cannot|cant|wont)\b|n['’]?t\b).*\b(?:more than|over)\b/i;

/** A sum with what limits it, which a clause may have before it: "cost more than $300". */
const LIMIT = /\b(?:(?:no |not )?(?:more|less) than|over|under|below|up to)\b.*$/i;

/** The currency that a sum is written in: beside a name a bare dollar sign says nothing. */
function currencyIn(written: string): string | null {
  const codes = (written.match(CURRENCY) ?? [])
    .map((name) =>
      currencyNamed(name) ?? currencyNamed(name.replace(/\s?\p{Sc}$|^swiss\s/giu, ""))
    );
  const [code = "usd"] = [...codes.filter((code) => code !== "usd"), ...codes];
  return code;
}

/** A sum with a point before its cents alone: "1.500,00" has it the other way round. */
const withPoint = (written: string): string =>
  written.replace(/(?<=\d)\.(?=\d{3}(?!\d))/g, "").replace(/(?<=\d),(?=\d\d?(?!\d))/g, ".");

/** How a sum is named: with what limits it, and with the denial that turns a floor into a limit. */
function nameOf(written: string, sum: string): string {
  const name = (LIMIT.exec(written)?.[0] ?? sum).trim();
  return DENIED.test(written) && !DENIED.test(name) ? `not ${name.replace(/^no\s+/i, "")}` : name;
}

/** A sum with what stands before it; the parser takes some clauses of queries for no sum. */
function priceIn(written: string, alone: string): Price | null {
  const name = nameOf(written, alone);
  const read = sumIn(priceOf(withPoint(written)) ?? "") ?? sumIn(priceOf(withPoint(alone)) ?? "");
  if (read === null) return null;
  const { sign, low: sum, high } = read;
  const price = (from: number, to: number): Price => ({
    name,
    from,
    to,
    currency: currencyIn(written),
  });
  if (sum < high) return price(ABOVE * sum, high);
  if (sign === "<=" || DENIED.test(written)) return price(LEAST * sum, sum);
  if (sign === ">=" || OR_MORE_OF_IT.test(written)) return price(sum, sum / LEAST);
  return price(ABOUT[0] * sum, ABOUT[1] * sum);
}

/** Sums that are written out, in digits. */
export const withDigits = (text: string): string =>
  text.replace(
    GRAND,
    (_, many: string) => `$${(writtenNumber(many) ?? Number(many)) || 1}000`,
  ).replace(WRITTEN_SUM, (words) => `${writtenNumber(words) ?? words.trim()} `);

/** Takes the sums out of a text. */
export function withoutSums(text: string): { readonly rest: string; readonly prices: Price[] } {
  const prices: Price[] = [];
  const rest = text.replace(SUM, (all, name: string) => {
    const price = priceIn(all, name);
    if (price === null) return all;
    prices.push(price);
    return " ";
  });
  return { rest: prices.length === 0 ? rest : rest.replace(LEFT_OVER, " "), prices };
}
