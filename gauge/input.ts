/** From what a caller sent to a query that can be matched, and the key it is remembered by. */
import { ServiceError } from "../core/errors.ts";

const MIN_LENGTH = 3;
const MAX_LENGTH = 200;

/** Line breaks and tabs are spaces; every other control character is refused. */
const SPACE_CONTROLS = /[\t\n\v\f\r\u0085\u2028\u2029]/g;
const CONTROLS = /\p{Cc}/u;
/** Marks that only steer how text is shown: direction overrides, zero-width spaces, what follows an emoji. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** ASCII's signs and those of money as wide as ideographs, and the space among these. */
const FULL_WIDTH = /[\u3000\uff01-\uff5e\uffe0\uffe1\uffe5\uffe6]/g;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
/** Apostrophes join: "chef's" and "chefs" are one word. */
const APOSTROPHES = /['\u2018\u2019\u02bc]/g;
/** What parts words; a point between digits does not: "5.1". */
const SEPARATORS = /(?:(?!(?<=\d)\.(?=\d))[^\p{L}\p{M}\p{N}])+/gu;

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_query", message, { param: "query" });
}

function parseQuery(value: unknown): string {
  if (typeof value !== "string") throw invalid('"query" must be a string of 3 to 200 characters.');
  // Invalid UTF-8 in an address arrives as the replacement character.
  if (!value.isWellFormed() || value.includes("\ufffd")) {
    throw invalid('"query" must be well-formed Unicode text.');
  }
  const query = value.replace(FULL_WIDTH, (sign) => sign.normalize("NFKC"))
    .replace(SPACE_CONTROLS, " ").replace(INVISIBLE, "").trim();
  const length = [...query].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    throw invalid(`"query" must be 3 to 200 characters long after trimming, not ${length}.`);
  }
  if (CONTROLS.test(query)) throw invalid('"query" must not contain control characters.');
  if (!WORD_CHARACTER.test(query)) throw invalid('"query" must contain a letter or a digit.');
  return query;
}

/** What a caller asks, checked and cleaned by `parseInput`. */
export interface GaugeInput {
  /** 3-200 code points, trimmed, with at least one letter or digit. */
  readonly query: string;
  /** A category slug that scopes the corpus match, or null. */
  readonly category: string | null;
}

/**
 * Checks and cleans what a caller sent. The query is trimmed, line breaks and tabs become spaces,
 * marks that show nothing are taken out, and full-width signs become the usual ones; then it must hold 3 to
 * 200 code points, a letter or a digit among them, and no control character. A category must be one of `categories`,
 * spelled exactly; undefined and null mean none.
 * @throws ServiceError `invalid_query` or `invalid_category`.
 */
export function parseInput(
  input: { readonly query: unknown; readonly category?: unknown },
  categories: readonly string[],
): GaugeInput {
  const query = parseQuery(input.query);
  const { category = null } = input;
  if (category === null) return { query, category: null };
  const known = categories.find((slug) => slug === category);
  if (known === undefined) {
    throw new ServiceError("invalid_category", '"category" must be one of the listed slugs.', {
      param: "category",
      categories,
    });
  }
  return { query, category: known };
}

/** A query as it is compared: NFKC, lower case, words separated by single spaces. */
export function foldQuery(query: string): string {
  return query.normalize("NFKC").toLowerCase().replace(APOSTROPHES, "").replace(SEPARATORS, " ")
    .trim();
}

/** The words of a text as they are compared; one that is empty for a text without any. */
export const foldedWords = (text: string): string[] => foldQuery(text).split(" ");
