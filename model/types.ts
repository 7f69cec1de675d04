/** The language model's settings, questions and failures. */
import { ServiceError } from "../core/errors.ts";

/** The default address. */
export const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** Any OpenAI-compatible model; configured where it has a name, and a key or an address of its own. */
export interface ModelSettings {
  readonly apiKey: string | null;
  /** Null for `DEFAULT_BASE_URL`. */
  readonly baseUrl: string | null;
  readonly name: string | null;
  /** Bounds one question with all its attempts, unless it asks for more patience. */
  readonly timeoutMs: number;
  /** Dollars a UTC day over all replicas; null for no bound. */
  readonly dailyBudgetUsd: number | null;
  readonly priceInUsdPerM: number;
  readonly priceOutUsdPerM: number;
}

export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A question whose answer is one JSON object. */
export interface Question<T> {
  /** The name of the answer's schema: letters and underscores. */
  readonly name: string;
  /** JSON Schema of the answer, strict. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The longest answer that is requested and paid for. */
  readonly maxTokens: number;
  /** Multiplies the timeout: 1 unless given, more for background work. */
  readonly patience?: number;
  /** `nonce` delimits untrusted text in the messages (`prompt_delimiter.ts`). */
  readonly messages: (nonce: string) => readonly Message[];
  /** Reads an answer's text; a string says what is wrong with it. */
  readonly read: (text: string) => Exclude<T, string> | string;
}

export interface LanguageModel {
  /** The timeout of one question with all its attempts, at patience 1. */
  readonly timeoutMs: number;
  /**
   * Asks, within the deadline, the number of calls at a time and the day's budget, again where that may help.
   * `onCost` is called with the cost of each call, in dollars.
   * @throws ServiceError `model_unavailable` or `overloaded`; the signal's reason when aborted.
   */
  ask<T>(
    question: Question<T>,
    signal: AbortSignal,
    onCost?: (usd: number) => void,
  ): Promise<Exclude<T, string>>;
}

/** Whether these settings name a model that can be asked. */
export function isModelConfigured(settings: ModelSettings | null): settings is ModelSettings {
  return settings !== null && settings.name !== null &&
    (settings.apiKey !== null || settings.baseUrl !== null);
}

type FailureKind =
  /** No answer, a server error, or too many requests: temporary. */
  | "outage"
  /** An unusable answer, or a refusal. */
  | "useless"
  /** A wrong key, address, model name or request: an operator must act. */
  | "rejected";

/** A model's failure; `message` may quote what the server said, which may repeat a part of the question. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly kind: FailureKind;
  /** Seconds the server asked to wait. */
  readonly retryAfterSeconds: number | undefined;
  /** False where the server answered with an error, which costs nothing. */
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

/** Whether a question failed by its content, not by an outage: a smaller one may succeed. */
export function isUseless(error: unknown): boolean {
  return error instanceof ServiceError && error.cause instanceof ModelFailure &&
    error.cause.kind === "useless";
}
