/** Why a model gave no answer. */
import { ServiceError } from "../core/errors.ts";

export type FailureKind =
  /** No answer, an error of the server's, or too many requests: may pass. */
  | "outage"
  /** It answered, and nothing usable, or it refused. */
  | "useless"
  /** Our key, address, model name or request is wrong: an operator must act. */
  | "rejected";

/** A model's failure; `message` holds nothing that it was asked. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly kind: FailureKind;
  /** Seconds the server asked to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** False where the server said an error: those cost nothing. */
  readonly billed: boolean;

  constructor(
    kind: FailureKind,
    message: string,
    options: {
      readonly retryAfterSeconds?: number | undefined;
      readonly billed?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.billed = options.billed ?? true;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Whether a question failed by what was asked, not by an outage: a smaller one may do. */
export function isUseless(error: unknown): boolean {
  return error instanceof ServiceError && error.cause instanceof ModelFailure &&
    error.cause.kind === "useless";
}
