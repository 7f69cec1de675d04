/** The one place where a failure becomes an HTTP answer. */
import { isConnectionError } from "../../db/sql.ts";
import { type ErrorCode, ServiceError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

/** Status of each code of the closed set. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  invalid_category: 400,
  invalid_parameter: 400,
  invalid_identifier: 400,
  invalid_query: 400,
  invalid_body: 400,
  payment_required: 402,
  not_found: 404,
  opportunity_not_found: 404,
  method_not_allowed: 405,
  payment_conflict: 409,
  answer_removed: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  corpus_warming: 503,
  model_unavailable: 503,
  source_unavailable: 503,
  settlement_pending: 503,
  overloaded: 503,
  compute_timeout: 504,
};

/** Codes after which the same call may succeed later, with the seconds to wait where none were said. */
const RETRY_AFTER: Readonly<Partial<Record<ErrorCode, number>>> = {
  rate_limited: 60,
  internal: 30,
  corpus_warming: 60,
  model_unavailable: 30,
  source_unavailable: 30,
  settlement_pending: 5,
  overloaded: 2,
  compute_timeout: 10,
};

/** Whether the same call may succeed later: the answer then says when. */
export const isRetryable = (code: ErrorCode): boolean => RETRY_AFTER[code] !== undefined;

/** Whether money moved, of the codes after which that is not simply no. */
const CHARGED: Readonly<Partial<Record<ErrorCode, true | null>>> = {
  answer_removed: true,
  settlement_pending: null,
};

/** The body of every answer that is an error, payment challenges apart. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly param?: string;
    readonly retryable: boolean;
    readonly retryAfterSeconds?: number;
    readonly requestId: string;
  };
  /** Null where a settlement's outcome is not known yet; true of an answer that was removed since. */
  readonly charged: boolean | null;
  readonly categories?: readonly string[];
}

/** An error as it goes out: status, body and the headers that belong to it. */
export interface RenderedError {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

/** What rendering needs to know of the request. */
export interface ErrorContext {
  readonly requestId: string;
  readonly log: Log;
}

function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (isConnectionError(thrown)) {
    const message = "The database cannot be reached now; nothing was charged.";
    return new ServiceError("overloaded", message, { cause: thrown });
  }
  const message = "Something failed on our side; nothing was charged.";
  return new ServiceError("internal", message, { cause: thrown });
}

/**
 * Turns anything thrown into an answer. What is no ServiceError becomes a 500 that says nothing of
 * its cause; the log gets all of it under the same request id.
 */
export function renderError(context: ErrorContext, thrown: unknown): RenderedError {
  const error = toServiceError(thrown);
  const status = STATUS_OF[error.code];
  // A refusal without a cause is all in the request's own line.
  if (status >= 500 && error.cause !== undefined) {
    const fields = { requestId: context.requestId, code: error.code, cause: error.cause };
    if (error.code === "internal") context.log.error("request failed", fields);
    else context.log.warn("request refused", fields);
  }
  const wait = RETRY_AFTER[error.code];
  const moved = CHARGED[error.code];
  const after = wait === undefined
    ? undefined
    : Math.max(1, Math.ceil(error.retryAfterSeconds ?? wait));
  return {
    status,
    body: {
      error: {
        code: error.code,
        message: error.message,
        ...(error.param === undefined ? {} : { param: error.param }),
        retryable: after !== undefined,
        ...(after === undefined ? {} : { retryAfterSeconds: after }),
        requestId: context.requestId,
      },
      charged: moved === undefined ? false : moved,
      ...(error.categories === undefined ? {} : { categories: error.categories }),
    },
    headers: after === undefined ? {} : { "retry-after": String(after) },
  };
}
