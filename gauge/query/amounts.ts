/** Measures and sums of money in a query: "6.5 inch", "two-person", "under $400". */
import { priceOf, sumIn } from "../../mining/extract/price.ts";
import { allUnitForms, unitForms } from "../../mining/extract/values.ts";

/** A measure that is asked for. */
interface Measure {
  /** As it was written. */
  readonly name: string;
  /** Its number, and its unit in all ways in which posts write it. */
  readonly number: string;
  readonly units: readonly string[];
}

/** Stands where a measure was taken out, so that the words beside it are no name together; it is searched for nowhere. */
export const MEASURED = "such";

export interface Amounts {
  /** The query without them. */
  readonly rest: string;
  readonly measures: readonly Measure[];
  /** What is to be spent; null where the query does not say. */
  readonly price: Price | null;
}

/** A sum as it was written, and between which sums lies what those would spend who want it so. */
export interface Price {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Numbers that are written out. */
const WRITTEN: ReadonlyMap<string, number> = new Map([
  ...("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
    "seventeen eighteen nineteen").split(" ").map((word, i) => [word, i + 1] as const),
  ...("twenty thirty forty fifty sixty seventy eighty ninety".split(" "))
    .map((word, i) => [word, 10 * i + 20] as const),
]);
const PART = ["hundred", "thousand", ...WRITTEN.keys()].join("|");
/** "Six", "fifty", "fifty-five", "a hundred and fifty". */
const WRITTEN_NUMBER = String
  .raw`(?:\ban?[\s-]+(?=hundred|thousand))?(?:${PART})(?:[\s-]+(?:and[\s-]+)?(?:${PART}))*`;
/**
 * Ways to write units of posts that measure nothing in a query, or not by themselves: times after which something is
 * needed, "4g phone", "3m tape".
 */
const NO_UNITS: ReadonlySet<string> = new Set(
  'in " m g day days week weeks month months'.split(" "),
);
const UNITS = [
  // Behind digits and before no other number: "2-in-1" and "one in green" measure nothing.
  String.raw`(?<=\d[\s-]*)in(?![\s-]*(?:\d|one\b|an?\b|the\b))|["”]|''`,
  // "0.1 g", but no "4g phone".
  String.raw`(?<=\.\d+\s?)g`,
  "gallons?|quarts?|qt|cups?|men|khz",
  ...allUnitForms().filter((form) => !NO_UNITS.has(form)),
].join("|");
/** Feet with inches, of which people mostly name the feet alone: 6'2". */
const HEIGHT = String.raw`(?<![\w.$£€/'’])(\d{1,2})['’]\d{1,2}(?:["”]|''|\b)`;
const MEASURE = new RegExp(
  String
    .raw`(?:\brated\s+(?:to|for|at)\s+)?(?<![\w.$£€/'’])(?:(?:under|over|below|less than|more than|at least)\s+)?(\d+\/\d+|\d+(?:\.\d+)?|${WRITTEN_NUMBER})[\s-]*(${UNITS})(?![\w])|` +
    HEIGHT,
  "gi",
);
/** A clause that says no more than that a sum follows: "my budget tops out at", "that costs no more than". */
const COSTING = String.raw`(?:\b(?:(?:i|we|it|that|which)\s+)?` +
  String
    .raw`(?:(?:can|could|will|would|do|does|should|must)(?:\s+not|n['’]?t)?\s+|(?:my|our|a|the)\s+)?` +
  String.raw`(?:budgets?|cost(?:s|ing)?|pric(?:e|es|ed|ing)|spend(?:s|ing)?|pay(?:s|ing)?)\b` +
  String
    .raw`(?:\s+(?:is|be|me|us|of|at|to|up|out|tops?|max(?:es|imum)?|limit(?:ed)?|goes?|capped|not?|more|less|than|` +
  String.raw`only|just))*\s+)?`;
const SUM = new RegExp(
  COSTING +
    String
      .raw`((?:(?:no more than|under|below|less than|around|about|for|max(?:imum)?|up to|between|at most|at least|(?:not\s+)?(?:more than|over)|within)\s+)?` +
    String.raw`(?:[$£€]\s?\d[\d,.]*k?(?:\s?(?:-|to|and)\s?[$£€]?\d[\d,.]*k?)?|` +
    // Behind a word that limits, a number at the end of what is said is a sum: "turntable under 200".
    String
      .raw`(?<=\b(?:under|below|less than|up to|max|budget(?:\s+(?:of|is|around|about)|:)?)\s)(?:\d{1,3},\d{3}|\d{2,5})(?=\s*(?:$|[.,;!?]|\s(?:for|with|that)\b))|` +
    String
      .raw`\d[\d,.]*k?(?:\s?(?:-|to|and)\s?\d[\d,.]*k?)?\s?(?:dollars?|bucks|usd|euros?|eur|quid|gbp)\b)` +
    String
      .raw`(?:\s?(?:(?:or|and) (?:less|under|below|more|over|above|up)(?!\s+(?:to\s+)?[$£€]?\d)|max(?:imum)?|budget)\b)?)`,
  "gi",
);

/** Behind a measure, that it may also be more or less. */
const OR_MORE =
  /(?<=\d[\s-]*[a-z"”]+\s+)or\s+(?:above|below|bigger|fewer|greater|higher|larger|less|longer|lower|more|over|shorter|smaller|up|wider)\b/gi;

/** What is left of a limit where something else stands between the sum and it: "a $50 budget or less". */
const LEFT_OVER = /\bor\s+(?:less|more|under|below)\b/gi;

/** A bound behind what it bounds: "20 hours of battery life at least". */
const BOUND_BEHIND = /\bat (?:the very )?(?:least|most)\b(?!\s*[$£€\d])/gi;

/** How many are sold together, as shops write it: "2 pcs", "1x" at the end. */
const PACKED = /(?<![\w.-])\d+\s?(?:pcs?\b|x\s*$)/gi;

/** Thousands as they are said: "under a grand"; not of a piano. */
const GRAND =
  /(?<=\b(?:under|below|than|to|over|about|around|of)\s+)(an?|\d+|one|two|three|four|five)\s+grand\b(?!\s+piano)/gi;

/** Signs of parts, as they are also written. */
const SPELLED: Readonly<Record<string, string>> = { "½": " 1/2", "¼": " 1/4", "¾": " 3/4" };
const DECIMALS: Readonly<Record<string, string>> = { "1/2": ".5", "1/4": ".25", "3/4": ".75" };
/** A whole number with a part: "6 1/2"; of "3/8 1/2" neither is. */
const MIXED = /(?<![\d./])(\d+)[\s-]*(1\/2|1\/4|3\/4)(?!\d)/g;

/** A number with commas between its thousands: "10,000". */
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g;

const WRITTEN_SUM = new RegExp(
  String.raw`\b((?:(?:an?|and|${PART})[\s-]+)+)` +
    String.raw`(?=(?:dollars?|bucks|usd|euros?|eur|quid|gbp)\b)`,
  "gi",
);

/** "Five hundred" as 500; null where no number is written. */
function writtenNumber(words: string): number | null {
  let [whole, part] = [0, 0];
  for (const word of words.toLowerCase().split(/[\s-]+/)) {
    if (word === "hundred") part = Math.max(1, part) * 100;
    else if (word === "thousand") [whole, part] = [whole + Math.max(1, part) * 1000, 0];
    else part += WRITTEN.get(word) ?? 0;
  }
  return whole + part === 0 ? null : whole + part;
}

/** Who would spend "about 500" names a sum between these parts of it; who would spend at most so much, at least half. */
const ABOUT = [0.7, 1.2] as const;
const LEAST = 0.5;
/** Who would spend "50 to 100" would spend more than 50 at most: one step of the sums that are told apart. */
const ABOVE = 2 ** (1 / 8);
/** Behind a sum, that it may be more. */
const OR_MORE_OF_IT = /\b(?:or|and) (?:more|over|above|up)$/i;

/** "Must not cost more than" sets a limit; the parser, which reads posts too, knows other ways to say so. */
const DENIED = /(?:\bnot?\b|n['’]?t\b).*\b(?:more than|over)\b/i;

/** A sum with what limits it, which a clause may have before it: "cost more than $300". */
const LIMIT = /\b(?:(?:no |not )?(?:more|less) than|over|under|below|up to)\b.*$/i;

function priceIn(written: string, name: string): Price | null {
  const read = sumIn(priceOf(written) ?? "");
  if (read === null) return null;
  const { sign, low: sum, high } = read;
  if (sum < high) return { name, from: ABOVE * sum, to: high };
  if (sign === "<=" || DENIED.test(written)) return { name, from: LEAST * sum, to: sum };
  if (sign === ">=" || OR_MORE_OF_IT.test(written)) return { name, from: sum, to: sum / LEAST };
  return { name, from: ABOUT[0] * sum, to: ABOUT[1] * sum };
}

function unitOf(written: string): string {
  if (/^(?:["”]|''|in)$/i.test(written)) return "inch";
  return written.toLowerCase();
}

/**
 * Takes measures and sums out of a query. "Two people" is a measure, and "for work" none. A query that says nothing
 * besides is left whole, and has none.
 */
export function amountsIn(typed: string): Amounts {
  const query = typed.replace(PACKED, " ").replace(
    GRAND,
    (_, many: string) => `$${(writtenNumber(many) ?? Number(many)) || 1}000`,
  ).replace(/[½¼¾]/g, (sign) => SPELLED[sign] ?? sign).replace(
    MIXED,
    (_, whole: string, part: string) => whole + (DECIMALS[part] ?? ""),
  ).replace(WRITTEN_SUM, (words) => `${writtenNumber(words) ?? words.trim()} `);
  const measures: Measure[] = [];
  let price: Price | null = null;
  const unpriced = query.replace(SUM, (all, name: string) => {
    const read = priceIn(all, (LIMIT.exec(all)?.[0] ?? name).trim());
    if (read === null) return all;
    price ??= read;
    return " ";
  });
  const bounded = price === null ? unpriced : unpriced.replace(LEFT_OVER, " ");
  const rest = bounded.replace(OR_MORE, " ").replace(BOUND_BEHIND, " ").replace(
    THOUSANDS,
    (number) => number.replaceAll(",", ""),
  ).replace(
    MEASURE,
    (name, amount: string | undefined, measuredIn: string | undefined, feet: string) => {
      const [number, unit] = [amount ?? feet, measuredIn ?? "ft"];
      const written = writtenNumber(number);
      measures.push({
        name: name.trim(),
        // The index has the words on either side of a slash.
        number: written === null ? number.replace("/", " ") : String(written),
        units: unitForms(unitOf(unit)),
      });
      return ` ${MEASURED} `;
    },
  );
  return /[\p{L}]{2}/u.test(rest.replaceAll(` ${MEASURED} `, " "))
    ? { rest, measures, price }
    : { rest: query, measures: [], price: null };
}
