/** The one place where a failure becomes an HTTP answer. */
import { isConnectionError } from "../../db/sql.ts";
import { type ErrorCode, ERRORS, ServiceError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

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
interface RenderedError {
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
 * Turns anything thrown into an answer. An error of another class becomes a 500 that says nothing of
 * its cause; the log gets all of it under the same request id.
 */
export function renderError(context: ErrorContext, thrown: unknown): RenderedError {
  const error = toServiceError(thrown);
  const { status, retryAfterSeconds: wait, charged = false } = ERRORS[error.code];
  // A refusal without a cause is all in the request's own line.
  if (status >= 500 && error.cause !== undefined) {
    const fields = { requestId: context.requestId, code: error.code, cause: error.cause };
    if (error.code === "internal") context.log.error("request failed", fields);
    else context.log.warn("request refused", fields);
  }
  const after = wait === undefined
    ? undefined
    : Math.max(1, Math.ceil(error.retryAfterSeconds ?? wait));
  const isRetryable = after !== undefined && !error.isLasting;
  return {
    status,
    body: {
      error: {
        code: error.code,
        message: error.message,
        ...(error.param === undefined ? {} : { param: error.param }),
        retryable: isRetryable,
        ...(isRetryable ? { retryAfterSeconds: after } : {}),
        requestId: context.requestId,
      },
      charged,
      ...(error.categories === undefined ? {} : { categories: error.categories }),
    },
    headers: after === undefined ? {} : { "retry-after": String(after) },
  };
}
