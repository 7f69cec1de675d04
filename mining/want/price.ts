/** The sum a post means to spend, and the bands of sums that part what people look for. */

/** Kinds for which the sum says most of what is wanted, where nothing else is asked of them. */
const BY_PRICE: ReadonlySet<string> = new Set([
  "gaming pc",
  "desktop computer",
  "laptop",
  "tv",
  "home theater system",
  "car",
]);

/** Upper ends of the bands; a currency is taken for what it is written in, near enough for a band. */
const ENDS = [300, 500, 700, 1000, 1500, 2500, 5000, 10_000] as const;
const LEAST = 100;
const MOST = 20_000;

const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d{1,5}(?:\.\d)?)\s?(k\b)?`;
const MONEY = new RegExp(
  String
    .raw`[$£€]\s?${NUMBER}|\b${NUMBER}\s?(?:[$£€]|(?:usd|cad|aud|gbp|eur|dollars?|bucks|euros?|pounds|quid)\b)`,
  "gi",
);
/** What stands before a sum that is a limit or an aim, within so many characters. */
const BEFORE =
  /(?:budget|under|below|less than|more than|up to|max(?:imum)?|around|about|roughly|approx|spend(?:ing)?|range|limit|cost|between|within|sub|[~<≤])[^.!?\n]{0,18}$|\bfor\s(?:a\s)?$/i;
const AFTER =
  /^[^.!?\n]{0,12}\b(?:budget|max|maximum|or less|or under|or below|range|limit|price|to spend|tops|build|rig)\b/i;
/** The upper end of a range. */
const UPPER = /^\s?(?:-|–|to|and)\s?[$£€]?\s?(\d{1,3}(?:,\d{3})+|\d{2,5}(?:\.\d)?)\s?(k\b)?/i;
/** Sums of what was paid or is sold, not of what is to be spent. */
const NOT_A_LIMIT =
  /(?:paid|bought|sells?|selling|sold|worth|costs? me|off|save[ds]?|saving)[^.!?\n]{0,12}$/i;
const REACH = 40;

export interface Sum {
  readonly amount: number;
  readonly inTitle: boolean;
  /** Where it stands, in characters of the title or of the body. */
  readonly start: number;
  readonly end: number;
}

/** The sum a post means to spend on a kind that is wanted by price: the title's, or the first limit the body states. */
export function plannedSum(kind: string, title: string, body: string): Sum | null {
  if (!BY_PRICE.has(kind)) return null;
  return sumIn(title, true) ?? sumIn(body, false);
}

function sumIn(text: string, inTitle: boolean): Sum | null {
  for (const match of text.matchAll(MONEY)) {
    const start = match.index;
    let end = start + match[0].length;
    const before = text.slice(Math.max(0, start - REACH), start);
    if (NOT_A_LIMIT.test(before)) continue;
    let amount = amountOf(match[1] ?? match[3], match[2] ?? match[4]);
    const upper = UPPER.exec(text.slice(end, end + REACH));
    if (upper !== null) {
      amount = Math.max(amount, amountOf(upper[1], upper[2]));
      end += upper[0].length;
    }
    if (amount < LEAST || amount > MOST) continue;
    if (inTitle || BEFORE.test(before) || AFTER.test(text.slice(end, end + REACH))) {
      return { amount, inTitle, start, end };
    }
  }
  return null;
}

function amountOf(digits = "0", thousands?: string): number {
  return Number(digits.replaceAll(",", "")) * (thousands === undefined ? 1 : 1000);
}

const PREFIX = "price-to-";

/** The need of those who mean to spend such a sum. */
export function bandOf({ amount }: Sum): string {
  return `${PREFIX}${ENDS.find((end) => amount <= end) ?? "more"}`;
}

/** What a title says of a band ("for $500 to $700"), or undefined for another need. */
export function bandPhrase(need: string): string | undefined {
  if (!need.startsWith(PREFIX)) return undefined;
  const place = ENDS.findIndex((end) => `${PREFIX}${end}` === need);
  const money = (sum: number): string => `$${sum.toLocaleString("en-US")}`;
  const from = ENDS[place < 0 ? ENDS.length - 1 : place - 1];
  const to = ENDS[place];
  if (to === undefined) return from === undefined ? undefined : `for more than ${money(from)}`;
  return from === undefined ? `for under ${money(to)}` : `for ${money(from)} to ${money(to)}`;
}
