/** The ways in which reading a source fails: a closed set, so that callers decide by value. */
import { DAY_MS } from "../../core/clock.ts";

export type SourceFailure =
  /** The source does not answer, or answers that it cannot. */
  | "unavailable"
  /** The source does not accept our credentials or their rights: no call will succeed. */
  | "unauthorized"
  /** This part of the source is closed to us; `reason` says why. */
  | "forbidden"
  /** The community or address does not exist. */
  | "not_found"
  /** Too many requests, or none free within the time the caller has. */
  | "rate_limited"
  /** An answer, or our request in the source's eyes, is not what was agreed. */
  | "malformed"
  /** An answer, or our request in the source's eyes, exceeds a bound. */
  | "too_large"
  /** No whole answer within the deadline. */
  | "timeout";

/**
 * Why something is `forbidden`. All but `blocked` concern one community; `blocked` is a refusal by
 * the source's gate, which says nothing of the community asked for.
 */
export type ForbiddenReason =
  | "private"
  | "banned"
  | "quarantined"
  | "renamed"
  | "legal"
  | "blocked"
  | "closed";

interface SourceErrorDetails {
  readonly reason?: ForbiddenReason;
  /** Seconds after which the same call may succeed. */
  readonly retryAfterSeconds?: number;
  /** The HTTP status of the answer, where there was one. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** One wrong header would otherwise keep a source from being read for good. */
const LONGEST_WAIT_SECONDS = DAY_MS / 1000;

/** A failure to read a source. `message` names no credential and quotes no answer. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly kind: SourceFailure;
  readonly reason: ForbiddenReason | undefined;
  /** As the details say, a day at most. */
  readonly retryAfterSeconds: number | undefined;
  readonly status: number | undefined;

  constructor(kind: SourceFailure, message: string, details: SourceErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.kind = kind;
    this.reason = details.reason;
    const { retryAfterSeconds: asked } = details;
    this.retryAfterSeconds = asked === undefined
      ? undefined
      : Math.min(asked, LONGEST_WAIT_SECONDS);
    this.status = details.status;
  }

  /** Whether the same call may succeed soon without anybody changing anything. */
  get transient(): boolean {
    // A maintenance page or a cut-off body under status 200; a 400 would only repeat itself.
    if (this.kind === "malformed") return this.status === 200;
    return this.kind === "unavailable" || this.kind === "rate_limited" || this.kind === "timeout";
  }
}
