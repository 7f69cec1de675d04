/** What is counted of a want and of its kind, as cards and scores read it. */
import { sumIn } from "../extract/price.ts";
import type { CountRow } from "../../db/corpus/want_counts.ts";

/** A value and how many authors state it. */
export interface Count {
  readonly value: string;
  readonly authors: number;
}

/**
 * How many distinct authors state each value, by its type: of one want, or of a kind's market. It
 * holds what it was given, which is the most stated values of each type and not all of them. Of a
 * value that is given twice the first row counts; rows without authors are left out.
 */
export class Counts {
  readonly #types = new Map<string, Count[]>();
  readonly #values = new Map<string, number>();

  constructor(rows: readonly CountRow[]) {
    for (const { type, value, authors } of rows) {
      if (authors <= 0 || this.#values.has(`${type}\n${value}`)) continue;
      this.#values.set(`${type}\n${value}`, authors);
      const list = this.#types.get(type) ?? [];
      list.push({ value, authors });
      this.#types.set(type, list);
    }
    for (const list of this.#types.values()) {
      list.sort((a, b) => b.authors - a.authors || (a.value < b.value ? -1 : 1));
    }
  }

  /** The values of a type, most authors first, then alphabetically. */
  of(type: string): readonly Count[] {
    return this.#types.get(type) ?? [];
  }

  /** How many authors state this value; 0 where it is not among those read. */
  authors(type: string, value: string): number {
    return this.#values.get(`${type}\n${value}`) ?? 0;
  }

  /** How many authors are counted at all: each has exactly one pattern. */
  get total(): number {
    return this.of("pattern").reduce((sum, { authors }) => sum + authors, 0);
  }
}

/** How one sum of money is meant. */
type PriceForm = "ceiling" | "about" | "range";

/** A sum that somebody would spend. */
interface Sum {
  readonly form: PriceForm;
  /** Equal where the form is not a range. */
  readonly low: number;
  readonly high: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly authors: number;
}

/**
 * The sums of money among counted canonical values of the type price (`priceOf` in
 * `mining/extract/price.ts`): "<=50 usd" is a ceiling, "100-200 gbp" a range, "~300 usd" and ">=300
 * usd" are about that sum. Values that are words ("cheap", "more") are left out.
 */
export function sumsOf(prices: readonly Count[]): Sum[] {
  return prices.flatMap(({ value, authors }) => {
    const sum = sumIn(value);
    if (sum === null) return [];
    const { sign, low, high, currency } = sum;
    const form = low < high ? "range" : sign === "<=" ? "ceiling" : "about";
    return [{ form, low, high, currency, authors }];
  });
}

/** What a number of people would spend, in units of one currency. */
export interface Budgets {
  readonly currency: string;
  readonly authors: number;
  /** The middle half, and the median. */
  readonly low: number;
  readonly median: number;
  readonly high: number;
  /** Of the authors, those who name a sum that they will not go over. */
  readonly ceilings: number;
}

/**
 * The budgets in each currency, of counted canonical prices: those that most authors name first,
 * then by the currency's code. Each end of a range counts for half of its authors. Empty where
 * nobody names a sum.
 */
export function budgetsOf(prices: readonly Count[]): Budgets[] {
  const byCurrency = Map.groupBy(sumsOf(prices), ({ currency }) => currency);
  return [...byCurrency].map(([currency, sums]): Budgets => {
    const points = sums.flatMap(({ low, high, authors }) =>
      [low, high].map((value) => ({ value, authors: authors / 2 }))
    ).sort((a, b) => a.value - b.value);
    return {
      currency,
      authors: sums.reduce((n, { authors }) => n + authors, 0),
      low: quantile(points, 0.25),
      median: quantile(points, 0.5),
      high: quantile(points, 0.75),
      ceilings: sums.reduce((n, { form, authors }) => n + (form === "ceiling" ? authors : 0), 0),
    };
  }).sort((a, b) => b.authors - a.authors || (a.currency < b.currency ? -1 : 1));
}

/** Authors who must name a sum before a median or quartiles are given: fewer are no market's price. */
export const ENOUGH_SUMS = 5;

/**
 * The quantile of sorted numbers, each with the number of its authors, by the nearest rank (Hyndman and Fan, 1996,
 * type 1): one of the numbers, so that no sum is given that nobody named. Of fewer than enough, the quartiles are the
 * least and the most.
 */
function quantile(
  sorted: readonly { readonly value: number; readonly authors: number }[],
  share: number,
): number {
  const total = sorted.reduce((n, { authors }) => n + authors, 0);
  const rank = total * (total >= ENOUGH_SUMS || share === 0.5 ? share : Math.round(share));
  let below = 0;
  for (const { value, authors } of sorted) {
    below += authors;
    if (below >= rank) return value;
  }
  return 0;
}
