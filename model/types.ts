/** What the language model is asked, how it is set up, and how it fails. */
import { ServiceError } from "../core/errors.ts";

/** Asked where no other address is set. */
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
  /** Of the answer's form, for servers that take a schema: letters and underscores. */
  readonly name: string;
  /** JSON Schema of the answer, strict. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The longest answer that is asked for and paid for. */
  readonly maxTokens: number;
  /** How many times the usual time the answer may take: 1 unless given, more where nobody waits for it. */
  readonly patience?: number;
  /** `nonce` cannot be guessed by those whose words are quoted in the messages (`fence.ts`). */
  readonly messages: (nonce: string) => readonly Message[];
  /** Reads an answer's text; a string says what is wrong with it. */
  readonly read: (text: string) => Exclude<T, string> | string;
}

export interface LanguageModel {
  /** What one question with all its attempts may take, where it asks for no more patience. */
  readonly timeoutMs: number;
  /**
   * Asks, within the deadline, the number of calls at a time and the day's budget, again where that may help.
   * `onCost` hears what each call has cost, in dollars.
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
