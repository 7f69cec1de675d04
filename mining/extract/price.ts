/** The one parser of prices: what a stretch of text says may be spent, in canonical form. */

/** Currencies by sign, word and code. */
const CURRENCY_OF: ReadonlyMap<string, string> = new Map(
  `usd $ us$ us usd dollar dollars bucks buck|gbp £ gbp pound pounds quid|eur € eur euro euros|cad cad cdn cnd c$ ca$
|aud aud a$ au$ au|nzd nzd nz$|inr ₹ inr rs rupee rupees|jpy ¥ jpy yen|chf chf francs|sek sek kr kronor|nok nok|dkk dkk|pln pln zł
|php php pesos|zar zar rand|sgd sgd s$|brl brl reais`
    .split("|").flatMap((line) => {
      const [code = "", ...names] = line.trim().split(/\s+/);
      return names.map((name): [string, string] => [name, code]);
    }),
);

/** All signs, words and codes of currencies, in lower case. */
export const currencyNames = (): readonly string[] => [...CURRENCY_OF.keys()];

/** What a place's name says of a sum in "dollars" or in nothing. */
const BY_PLACE: readonly (readonly [RegExp, string, "any" | "bare"])[] = [
  [/\b(?:canad(?:a|ian)|toronto|vancouver|montreal|ontario|alberta|ncix)\b/i, "cad", "any"],
  [/\b(?:australia|aussie|sydney|melbourne|brisbane|perth)\b|ausfemale/i, "aud", "any"],
  [/\bnew zealand\b|\bauckland\b/i, "nzd", "any"],
  [
    /\b(?:u\.?k\.?|united kingdom|england|scotland|london|britain|british)\b|unitedkingdom|askuk/i,
    "gbp",
    "bare",
  ],
  [
    /\b(?:germany|france|netherlands|holland|spain|italy|ireland|finland|portugal|austria|belgium)\b/i,
    "eur",
    "bare",
  ],
  [/\bindia\b/i, "inr", "bare"],
];

const AMOUNT = String
  .raw`(\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:\.\d{1,2})?)\s?(k\b|grand\b|thousand\b)?`;
const SIGN = String.raw`(?:us|c|ca|a|au|nz|s)?\$|£|€|¥|₹`;
const WORD = String
  .raw`(?:us |canadian |australian |american )?(?:usd|dollars?|bucks?|gbp|pounds?|quid|eur|euros?|cad|cdn|cnd|aud|nzd|inr|rupees?|yen|chf|sek|nok|dkk|pln|zar|sgd|brl)\b`;
const SUM = new RegExp(
  String.raw`(${SIGN}|\b(?:usd|gbp|eur|cad|aud|rs\.?)\s?)?\s?${AMOUNT}\s?(${SIGN}|${WORD})?`,
  "gi",
);
const RANGE_JOIN = /^\s?(?:-|–|—|to|and|or|\/|~)\s?$/i;
const HARD =
  /\b(?:under|below|less than|lower than|up to|upto|at most|no more than|not? (?:to )?(?:go |spend )?(?:more|over|above)(?: than)?|max(?:imum|ed)?|max out|limit|ceiling|cap(?:ped)?|within|sub|cheaper than|doesn.?t cost more|don.?t (?:want|need) to (?:drop|spend|pay|go)|won.?t (?:spend|pay)|isn.?t (?:a|over)|wouldn.?t want to (?:spend|pay)|tops|or (?:less|under|below|cheaper)|and (?:under|below)|not (?:trying|looking|willing|wanting) to spend|hopefully less|can.?t (?:spend|afford|go))\b|[<≤]/i;
const SOFT =
  /\b(?:around|about|approx(?:imately)?|roughly|circa|ish|close to|near|somewhere|loosely|more or less|give or take|or so|like|say|average|spending|between)\b|[~≈]|\dish\b/i;
const BUDGET = /\b(?:budget|price range|spend|afford|have)\b/i;
const FLOOR =
  /\b(?:over|above|more than|at least|minimum|north of|starting at|upwards)\b|\d\s?\+|>/i;
const ANY =
  /\b(?:no (?:budget|limit|object|problem|issue|concern|matter)|not? (?:a |an )?(?:real |huge |big )?(?:issue|problem|concern|object|factor|obstacle|limit)|isn.?t (?:a|an|much of an?|really an?) (?:issue|problem|concern|object|factor|obstacle)|any price|price (?:doesn.?t|does not|is not|isn.?t)|money (?:is|isn.?t|doesn.?t|does not|no)|cost (?:is no|isn.?t|doesn.?t)|regardless of (?:price|cost)|whatever it (?:costs|takes)|budget is (?:open|flexible|unlimited)|unlimited|any(?:where)? (?:price|budget)|do(?:n.?t| not) care (?:about|how much)|none)\b/i;
const MORE =
  /\b(?:pay(?:ing)? (?:a (?:bit|little|lot) )?(?:more|extra|top|good)|spend(?:ing)? (?:a (?:bit|little|lot) )?(?:more|extra|money|the (?:money|extra))|splurg\w*|invest\w*|extra (?:cash|money)|premium|willing to (?:pay|spend)|(?:don.?t|do not|wouldn.?t) mind (?:paying|spending)|worth (?:paying|spending)|go higher|stretch|shell out)\b/i;
const CHEAP =
  /\b(?:cheap(?:er|est|ly|ish|o)?|inexpensive|afford(?:able|ably)?|low(?:er|est)? (?:cost|price|budget|end)|low-cost|budget|bargain|deals?|discount|sale|economical|frugal|break(?:ing)? the bank|wont break|not (?:too |very |super |overly |insanely |that |so )?(?:expensive|pricey|costly)|poor|broke|tight|little money|save (?:some )?money|expensive|price|cost|reasonabl[ey]\w*|thrifty?|student)\b/i;
const VALUE = /\b(?:bang for|value|worth (?:the|it)|for the (?:money|price))\b/i;

interface Sum {
  readonly amount: number;
  readonly currency: string | null;
  readonly from: number;
  readonly to: number;
}

/** Where the text comes from: it may say which money is meant. */
export interface PriceContext {
  readonly community: string;
  /** The whole post, for the places it names. */
  readonly text: string;
  /** What stands right before the span, and right after it. */
  readonly before: string;
  readonly after: string;
}

const NO_CONTEXT: PriceContext = { community: "", text: "", before: "", after: "" };

/** A currency that is named after the sum: "$140 AUD", "$150 Canadian". */
const NAMED_AFTER = /^\s?\(?(us|usd|cad|cdn|cnd|aud|au|nzd|canadian|australian)\b/i;

/** A sum of money in canonical form. */
interface CanonicalSum {
  readonly sign: "<=" | ">=" | "~" | "";
  /** Equal where it is no range. */
  readonly low: number;
  readonly high: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
}

const CANONICAL = /^(<=|~|>=)? ?(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))? ([a-z]{3})$/;

/**
 * The sum of money that a canonical price names; null for words ("cheap", "more"), and for what is
 * no canonical price.
 */
export function sumIn(price: string): CanonicalSum | null {
  const match = CANONICAL.exec(price);
  if (match === null) return null;
  const [, sign = "", first = "", second, currency = ""] = match;
  const [low, high] = [Number(first), Number(second ?? first)];
  return low <= high ? { sign: sign as CanonicalSum["sign"], low, high, currency } : null;
}

/**
 * The canonical price that a span states: a sum and an ISO 4217 code in lower case (`<=50 usd`,
 * `100-200 gbp`, `~300 usd`), or `cheap`, `any`, `more`. The currency that is not said is that of
 * the places of `context`, else US dollars. Null where the span states none.
 */
export function priceOf(span: string, context: PriceContext = NO_CONTEXT): string | null {
  const text = span.replace(/[*_`~]{2,}/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">");
  const sums = sumsIn(text);
  const [first] = sums;
  if (first === undefined) return wordsOnly(text);
  const last = sums.at(-1) ?? first;
  const tail = text.slice(last.to);
  const named = currencyNamed(NAMED_AFTER.exec(tail === "" ? context.after : tail)?.[1]);
  const signs = sums.flatMap(({ currency }) => currency ?? []);
  // Beside a name a bare dollar sign says nothing.
  const code = named ??
    currencyOf(signs.find((sign) => sign !== "usd") ?? signs[0] ?? null, context);
  const second = sums[1];
  if (second !== undefined && RANGE_JOIN.test(text.slice(first.to, second.from))) {
    let low = first.amount;
    const high = second.amount;
    // "1-2k", and "1.5 to 2k".
    if (low < high / 100 && high >= 1000) low *= 1000;
    if (low < high) return `${plain(low)}-${plain(high)} ${code}`;
  }
  const before = `${context.before.slice(-24)} ${text.slice(0, first.from)}`;
  const around = `${before} ${text.slice(first.to)}`;
  const amount = HARD.test(around) ? Math.max(...sums.map((sum) => sum.amount)) : first.amount;
  if (MORE.test(text) && /\b(?:extra|more)\b/i.test(text) && !HARD.test(text)) return "more";
  if (HARD.test(around)) return `<=${plain(amount)} ${code}`;
  if (SOFT.test(around)) return `~${plain(amount)} ${code}`;
  if (FLOOR.test(around)) return `>=${plain(amount)} ${code}`;
  if (BUDGET.test(around)) return `<=${plain(amount)} ${code}`;
  return `~${plain(amount)} ${code}`;
}

/** The sums of a text, left to right; numbers beside units of other things are none. */
function sumsIn(text: string): Sum[] {
  const out: Sum[] = [];
  for (const match of text.matchAll(SUM)) {
    const [whole, before, digits = "", thousands, after] = match;
    const from = match.index;
    const to = from + whole.length;
    if (
      before === undefined && after === undefined &&
      /^\s?(?:%|"|inch|in\b|cm|mm|gb|tb|hours?|years?|months?|lbs?|oz|kg|people)/i.test(
        text.slice(to),
      )
    ) {
      continue;
    }
    const amount = Number(digits.replaceAll(",", "")) * (thousands === undefined ? 1 : 1000);
    if (!Number.isFinite(amount) || amount <= 0 || amount > 10_000_000) continue;
    out.push({ amount, currency: currencyNamed(after) ?? currencyNamed(before), from, to });
  }
  const marked = out.filter((sum) => sum.currency !== null);
  return marked.length > 0 && out.length > 2 ? marked : out;
}

/**
 * The ISO 4217 code, in lower case, of a currency by its sign, word or code; null for none that is
 * known.
 */
export function currencyNamed(sign: string | undefined): string | null {
  if (sign === undefined) return null;
  const lower = sign.trim().toLowerCase().replace(/\.$/, "");
  if (lower.startsWith("canadian")) return "cad";
  if (lower.startsWith("australian")) return "aud";
  return CURRENCY_OF.get(lower) ?? CURRENCY_OF.get(lower.replace(/^(?:us|american) /, "")) ?? null;
}

/** The currency of a sum: its own, where it is no bare dollar; else by the places that are named, else US dollars. */
function currencyOf(currency: string | null, { community, text }: PriceContext): string {
  if (currency !== null && currency !== "usd") return currency;
  for (const [place, code, when] of BY_PLACE) {
    if (when === "bare" && currency !== null) continue;
    if (place.test(community) || place.test(text)) return code;
  }
  return "usd";
}

/** A sum without needless decimals. */
function plain(amount: number): string {
  return String(Math.round(amount * 100) / 100);
}

function wordsOnly(text: string): string | null {
  if (/\b(?:thousand|grand)\b/i.test(text) && HARD.test(text)) return "<=1000 usd";
  if (/\bhundred\b/i.test(text) && HARD.test(text)) return "<=100 usd";
  if (
    /break(?:ing)? the bank|(?:not|n.?t) (?:have|want|too|very|super|overly|insanely|that|so|really|be|made)\b.*(?:money|cash|expensive|pricey|costly|cost|spend|budget)/i
      .test(text)
  ) {
    return "cheap";
  }
  if (ANY.test(text)) return "any";
  if (MORE.test(text)) return "more";
  if (VALUE.test(text)) return "good value";
  if (CHEAP.test(text)) return "cheap";
  return null;
}
