/** The failures that a caller can meet, in one table, and what is read of an error that was thrown. */

/** What callers read of a kind of failure, whatever its cause. */
interface ErrorKind {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** Where the same call may succeed later: after how many seconds, if the failure itself says nothing else. */
  readonly retryAfterSeconds?: number;
  /** Whether money moved: no failed call is charged, unless it says otherwise; null where it is not known yet. */
  readonly charged?: true | null;
  /** What it means, in a few words. */
  readonly means: string;
}

/**
 * The closed set of failures a caller can meet. The domain throws them as values of one class;
 * routes/pipeline/errors.ts alone makes HTTP answers of them, and every public list is made of this table.
 */
const TABLE = {
  invalid_category: {
    status: 400,
    means: "the category is missing or unknown; the body lists the valid ones",
  },
  invalid_parameter: {
    status: 400,
    means:
      "a parameter is unknown, out of its range or no number, or the payment-identifier or the Host header is malformed",
  },
  invalid_identifier: {
    status: 400,
    means: "neither or both of id and slug were given, or one that none can be",
  },
  invalid_query: {
    status: 400,
    means:
      "the query is missing, not 3 to 200 characters long, or no text with a letter or a digit in it",
  },
  invalid_body: {
    status: 400,
    means: "the body is not a JSON object in UTF-8, or did not arrive in time",
  },
  payment_required: { status: 402, means: "the call needs a payment" },
  not_found: { status: 404, means: "there is nothing at this address" },
  opportunity_not_found: { status: 404, means: "no active opportunity has this id or slug" },
  method_not_allowed: { status: 405, means: "the address does not answer this method" },
  payment_conflict: { status: 409, means: "the payment identifier was used for another request" },
  answer_removed: {
    status: 410,
    charged: true,
    means:
      "the answer was paid for, by the transaction of the receipt alone, and its evidence has since been " +
      "removed at the source; Cache-Control: no-cache and a new payment buy the answer that is there now",
  },
  body_too_large: { status: 413, means: "the body is larger than 16 KB, or 64 KB for tools" },
  unsupported_media_type: {
    status: 415,
    means: "the body is not JSON (application/json, or a type ending in +json)",
  },
  rate_limited: {
    status: 429,
    retryAfterSeconds: 60,
    means: "too many calls in a minute, or too many payments of one payer at once",
  },
  internal: { status: 500, retryAfterSeconds: 30, means: "something failed on our side" },
  corpus_warming: {
    status: 503,
    retryAfterSeconds: 60,
    means: "no opportunity is active: nothing was mined yet, or no want has enough people of late",
  },
  model_unavailable: {
    status: 503,
    retryAfterSeconds: 30,
    means: "the language model does not answer, or none is configured",
  },
  source_unavailable: {
    status: 503,
    retryAfterSeconds: 30,
    means:
      "the community site does not answer, did not confirm the posts lately, or none is configured",
  },
  settlement_pending: {
    status: 503,
    retryAfterSeconds: 5,
    charged: null,
    means: "the payment's outcome is not known yet; send the same payment again, never a new one",
  },
  overloaded: { status: 503, retryAfterSeconds: 2, means: "too much is going on; ask again soon" },
  compute_timeout: {
    status: 504,
    retryAfterSeconds: 10,
    means: "the answer was not ready in time",
  },
} satisfies Record<string, ErrorKind>;

/** The code of a failure that a caller can meet. */
export type ErrorCode = keyof typeof TABLE;

/**
 * Of every code its HTTP status, when a retry may succeed, whether the call was charged, and what
 * it means.
 */
export const ERRORS: Readonly<Record<ErrorCode, ErrorKind>> = TABLE;

/** Every code, in the order of the table. */
export const ERROR_CODES = Object.keys(TABLE) as ErrorCode[];

/** Whether the same call may succeed later: the answer then says when. */
export const isRetryable = (code: ErrorCode): boolean =>
  ERRORS[code].retryAfterSeconds !== undefined;

/** What a failure says beside its code. */
export interface ServiceErrorDetails {
  /** The parameter, header or field at fault, or that would change the answer. */
  readonly param?: string;
  /** Seconds after which the same call may succeed. */
  readonly retryAfterSeconds?: number;
  /** Set where the settings are why: the same call fails until an operator changes them. */
  readonly isLasting?: true;
  /** For `invalid_category`: the valid slugs; for a category without cards those that have some. */
  readonly categories?: readonly string[];
  /** What went wrong below; logged, never shown. */
  readonly cause?: unknown;
}

/** A failure that a caller may read about: `message` is safe to show. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly isLasting: boolean;
  readonly categories: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, details: ServiceErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.param = details.param;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.isLasting = details.isLasting ?? false;
    this.categories = details.categories;
  }
}

/** A setting, a file or an argument of the operator's that is wrong: one line, named, no stack. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/** The code that the system, a driver or the database gives an error (`ENOENT`, SQLSTATE `57P01`), or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The message of an error; any other value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether a disk is full, by SQLSTATE 53100 or the filesystem's own word for it: it decides what an operator is
 * told to do. Whether sales stop is decided by `cannotWrite`, for more causes than this one.
 */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === "53100" || code === "ENOSPC" ||
    (error instanceof Error && /no space left on device/i.test(error.message));
}

/**
 * What keeps a database from writing at all: a disk that is full or fails, other resources that ran out, a
 * standby, a right that was taken away, damaged files.
 */
const UNWRITABLE = /^(?:53...|58...|25006|42501|XX00[12]|ENOSPC|EDQUOT|EROFS|EIO)$/;

/**
 * Whether a statement failed because nothing can be written now, whatever it was to write: it decides that the
 * ledger is unavailable (payment/sell/ledger_availability.ts).
 */
export function cannotWrite(error: unknown): boolean {
  return UNWRITABLE.test(errorCode(error) ?? "");
}

/** Codes of connections, to a database or another machine, that were lost or could not be made. */
export const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  // The database exists and takes no connections (`allow_connections false`).
  "55000",
  "57P01",
  "57P02",
  "57P03",
  "08000",
  "08003",
  "08006",
]);

/** Codes of what happens to a machine or its network, which the program did not cause. */
const CIRCUMSTANCES: ReadonlySet<string> = new Set([
  ...CONNECTION_CODES,
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EMFILE",
  "ENFILE",
  "EACCES",
  "EPERM",
]);

/** Under Deno the system's errors carry no code where they come from a worker. */
const CIRCUMSTANCE_TEXT =
  /too many open files|permission denied|read-only file system|^fetch failed$|^error sending request/i;

/**
 * Whether an error comes from the machine or its network (file descriptors, permissions, connections, disk). Its stack
 * is then not logged.
 */
export function isCircumstance(error: unknown, left = MAX_CAUSES): boolean {
  if (!(error instanceof Error)) return false;
  return ("isCircumstance" in error && error.isCircumstance === true) ||
    CIRCUMSTANCES.has(errorCode(error) ?? "") || isDiskFull(error) || cannotWrite(error) ||
    CIRCUMSTANCE_TEXT.test(error.message) ||
    (left > 0 && isCircumstance(error.cause, left - 1));
}

/** What went wrong by the cause of an error, where it has one: fetch says only that it failed. */
export function causeMessage(error: unknown): string {
  return messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}

/** What went wrong with a call to `url`, without the address: it may hold a key or what a caller asked. */
export function withoutAddress(error: unknown, url: string): string {
  const { origin } = new URL(url);
  return causeMessage(error).replaceAll(/https?:\/\/[^\s)]+/g, origin).replaceAll(url, origin);
}

/** How many causes of an error are printed, one behind the other: an error may be its own cause. */
export const MAX_CAUSES = 5;

/** An error's stack, and those of what caused it: a stack does not tell them. None of a circumstance. */
export function stackWithCauses(error: Error, left = MAX_CAUSES, noStack = false): string {
  const { cause, stack, message, name } = error;
  const quiet = noStack || isCircumstance(error);
  const own = quiet ? `${name}: ${message}` : stack ?? message;
  if (cause === undefined || left === 0) return own;
  const why = cause instanceof Error ? stackWithCauses(cause, left - 1, quiet) : String(cause);
  return `${own}\ncaused by: ${why}`;
}
