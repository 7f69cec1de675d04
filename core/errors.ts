/**
 * The closed set of failures a caller can meet. The domain throws them as values of one class;
 * routes/pipeline/errors.ts alone maps them to HTTP.
 */
export const ERROR_CODES = [
  "invalid_category",
  "invalid_parameter",
  "invalid_identifier",
  "invalid_query",
  "invalid_body",
  "payment_required",
  "payment_conflict",
  "not_found",
  "opportunity_not_found",
  "method_not_allowed",
  "answer_removed",
  "body_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal",
  "corpus_warming",
  "model_unavailable",
  "source_unavailable",
  "settlement_pending",
  "overloaded",
  "compute_timeout",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ServiceErrorDetails {
  /** The parameter or field at fault. */
  readonly param?: string;
  /** Seconds after which the same call may succeed. */
  readonly retryAfterSeconds?: number;
  /** For `invalid_category`: the valid slugs. */
  readonly categories?: readonly string[];
  /** What went wrong below; logged, never shown. */
  readonly cause?: unknown;
}

/** A failure a caller may be told about: `message` is safe to show. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly categories: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, details: ServiceErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.param = details.param;
    this.retryAfterSeconds = details.retryAfterSeconds;
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

/** What an error says; anything may be thrown, and then it is told as it is. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** SQLSTATE 53100, or the filesystem's own word for it. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === "53100" || code === "ENOSPC" ||
    (error instanceof Error && /no space left on device/i.test(error.message));
}

/** Codes of what happens to a machine or its network and is no fault of the program's. */
const CIRCUMSTANCES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "EMFILE",
  "ENFILE",
  "ENOSPC",
  "EDQUOT",
  "EROFS",
]);

/** Whether the operator's circumstances made an error: few file descriptors, a network or a disk. Its stack tells nothing. */
export function isCircumstance(error: unknown, left = MAX_CAUSES): boolean {
  if (!(error instanceof Error)) return false;
  return ("isCircumstance" in error && error.isCircumstance === true) ||
    CIRCUMSTANCES.has(errorCode(error) ?? "") || isDiskFull(error) ||
    /too many open files|^fetch failed$|^error sending request/i.test(error.message) ||
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

/** Causes that are told of an error, one behind the other: an error may be its own cause. */
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
