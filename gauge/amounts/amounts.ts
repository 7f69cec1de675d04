/** Measures and sums of money in a query: "6.5 inch", "two-person", "under $400". */
import { allUnitForms, unitForms } from "../../mining/extract/values.ts";
import { withDecimals, withoutCommas, WRITTEN_NUMBER, writtenNumber } from "./numbers.ts";
import { type Price, withDigits, withoutSums } from "./sums.ts";

/** A measure that is asked for. */
interface Measure {
  /** As it was written, with its unit in letters. */
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
  /** Sums behind the first, of which nobody knows what they are for. */
  readonly otherSums: readonly Price[];
}

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
const HEIGHT = String
  .raw`(?<![\w.$£€/'’])(\d{1,2})['’](?:\s(?=\d\d?(?:["”]|'')))?\d{1,2}(?:["”]|''|\b)`;
const MEASURE = new RegExp(
  String
    .raw`(?:\brated\s+(?:to|for|at)\s+)?(?<![\w.$£€/'’])(?:(?:under|over|below|less than|more than|at least)\s+)?(\d+\/\d+|\d+(?:\.\d+)?|${WRITTEN_NUMBER})[\s-]*(${UNITS})(?![\w])|` +
    HEIGHT,
  "gi",
);
/** Behind a measure, that it may also be more or less. */
const OR_MORE =
  /(?<=\d[\s-]*[a-z"”]+\s+)or\s+(?:above|below|bigger|fewer|greater|higher|larger|less|longer|lower|more|over|shorter|smaller|up|wider)\b/gi;

/** A bound behind what it bounds: "20 hours of battery life at least". */
const MEASURE_BOUND = /\bat (?:the very )?(?:least|most)\b(?!\s*[$£€\d])/gi;

/** How many are sold together, as shops write it: "2 pcs", "1x" at the end. */
const PACKED = /(?<![\w.-])\d+\s?(?:pcs?\b|x\s*$)/gi;

function unitOf(written: string): string {
  if (/^(?:["”]|''|in)$/i.test(written)) return "inch";
  return written.toLowerCase();
}

/** The name of a measure with words for its marks, which would stand in quotes: 15", 6'2". */
const measureName = (written: string): string =>
  written.trim().replace(/(\d)['’]\s?(\d+)(?:["”]|''|$)/, "$1 ft $2 inch")
    .replace(/\s?(?:["”]|'')$/, " inch");

/**
 * Takes measures and sums out of a query. "Two people" is a measure, and "for work" none. A query that says nothing
 * besides is left whole, and has none.
 */
export function amountsIn(typed: string): Amounts {
  const query = withDigits(withDecimals(typed.replace(PACKED, " ")));
  const { rest: unpriced, prices: [price = null, ...otherSums] } = withoutSums(query);
  const measures: Measure[] = [];
  const rest = withoutCommas(unpriced.replace(OR_MORE, " ").replace(MEASURE_BOUND, " ")).replace(
    MEASURE,
    (name, amount: string | undefined, measuredIn: string | undefined, feet: string) => {
      const [number, unit] = [amount ?? feet, measuredIn ?? "ft"];
      const written = writtenNumber(number);
      measures.push({
        name: measureName(name),
        // The index has the words on either side of a slash.
        number: written === null ? number.replace("/", " ") : String(written),
        units: unitForms(unitOf(unit)),
      });
      return ` ${MEASURED} `;
    },
  );
  return /[\p{L}]{2}/u.test(rest.replaceAll(` ${MEASURED} `, " "))
    ? { rest, measures, price, otherSums }
    : { rest: query, measures: [], price: null, otherSums: [] };
}
