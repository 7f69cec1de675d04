/**
 * The language model within its limits: a deadline over all attempts, a number of calls at a time, a daily budget
 * and a circuit breaker. Answers are validated by the caller.
 */
import { type Clock, unixSeconds } from "../core/clock.ts";
import { DeadlineError, sleep, withDeadline } from "../core/deadline.ts";
import { ServiceError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { once } from "../core/once.ts";
import { reserveSpend, settleSpend } from "../db/corpus/model_spend.ts";
import type { Sql } from "../db/sql.ts";
import { Breaker, Slots } from "./breaker.ts";
import type { ModelClient, ModelReply } from "./client.ts";
import {
  type LanguageModel,
  type Message,
  ModelFailure,
  type ModelSettings,
  type Question,
} from "./types.ts";

export { isModelConfigured, isUseless } from "./types.ts";
export type { LanguageModel, Message, ModelSettings, Question } from "./types.ts";

export interface ModelOptions {
  readonly sql: Sql;
  readonly settings: ModelSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: typeof fetch;
  /** Random bytes as hex. */
  readonly random: (bytes: number) => string;
}

/** The model's own deadline passed. */
class ModelDeadlineError extends DeadlineError {}

const AT_ONCE = 8;
const WAITING = 64;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 250;
const NONCE_BYTES = 12;
/** A lower bound of characters a token, so that the reserved cost is not far too small. */
const CHARACTERS_PER_TOKEN = 2.5;
const DEFAULT_RETRY_SECONDS = 15;
const REJECTED_RETRY_SECONDS = 300;
const OVERLOADED_RETRY_SECONDS = 5;
/** Characters of an unusable answer that are shown to the model again. */
const SHOWN_AGAIN = 2_000;

function unavailable(seconds: number, cause?: unknown): ServiceError {
  return new ServiceError("model_unavailable", "The language model is unavailable; try again.", {
    retryAfterSeconds: seconds,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The model's own deadline is its failure; an abort by the caller, which has another reason, is not. */
function isModelsFault(error: unknown): error is ModelFailure | ModelDeadlineError {
  return error instanceof ModelFailure || error instanceof ModelDeadlineError;
}

const secondsToMidnight = (now: Date): number => 86_400 - unixSeconds(now) % 86_400;

/** The messages that follow an unusable reply. */
function correction(reply: string, problem: string): readonly Message[] {
  return [
    { role: "assistant", content: reply.slice(0, SHOWN_AGAIN) },
    {
      role: "user",
      content: `That cannot be used: ${problem}. Answer again with the JSON object alone.`,
    },
  ];
}

/** The configured model. Nothing is asked before `ask` is called. */
export function createModel(options: ModelOptions): LanguageModel {
  const { settings, clock, log } = options;
  const parts: ModelParts = {
    ...options,
    // The client's library is large: it is loaded by the first question.
    client: once(async () =>
      (await import("./client.ts")).createModelClient(settings, options.fetch)
    ),
    breaker: new Breaker(clock),
    slots: new Slots(AT_ONCE, WAITING),
  };
  return {
    timeoutMs: settings.timeoutMs,
    async ask(question, signal, onCost = () => {}) {
      try {
        return await withDeadline(
          settings.timeoutMs * (question.patience ?? 1),
          signal,
          (inner) => askInTurn(parts, { question, signal: inner, onCost }),
          ModelDeadlineError,
        );
      } catch (error) {
        if (!isModelsFault(error)) throw error;
        const rejected = error instanceof ModelFailure && error.kind === "rejected";
        const asked = error instanceof ModelFailure ? error.retryAfterSeconds : undefined;
        log.warn("the language model failed", { error });
        throw unavailable(
          rejected ? REJECTED_RETRY_SECONDS : Math.max(1, asked ?? DEFAULT_RETRY_SECONDS),
          error,
        );
      }
    },
  };
}

interface ModelParts extends ModelOptions {
  readonly client: () => Promise<ModelClient>;
  readonly breaker: Breaker;
  readonly slots: Slots;
}

interface Asking<T> {
  readonly question: Question<T>;
  readonly signal: AbortSignal;
  readonly onCost: (usd: number) => void;
}

/** Asks when fewer than `AT_ONCE` are being asked, and the breaker lets it. */
async function askInTurn<T>(parts: ModelParts, asking: Asking<T>): Promise<Exclude<T, string>> {
  const { slots, breaker } = parts;
  const release = await slots.enter(asking.signal);
  if (release === null) {
    throw new ServiceError("overloaded", "The language model is busy; try again.", {
      retryAfterSeconds: OVERLOADED_RETRY_SECONDS,
    });
  }
  try {
    const closedFor = breaker.enter();
    if (closedFor > 0) throw unavailable(closedFor);
    const answer = await askUntilUsable(parts, asking).catch((error) => {
      if (isModelsFault(error)) breaker.failed();
      else breaker.abandoned();
      throw error;
    });
    breaker.succeeded();
    return answer;
  } finally {
    release();
  }
}

/** Asks again after an outage, and with what is wrong after a reply that cannot be used. */
async function askUntilUsable<T>(
  parts: ModelParts,
  asking: Asking<T>,
): Promise<Exclude<T, string>> {
  const { settings, random } = parts;
  const { question, signal } = asking;
  const first = question.messages(random(NONCE_BYTES));
  let messages = first;
  for (let left = ATTEMPTS - 1;; left--) {
    try {
      const reply = await paidCall(parts, asking, messages);
      const answer = question.read(reply.text);
      if (typeof answer !== "string") return answer;
      if (left === 0) throw new ModelFailure("useless", `the model's reply: ${answer}`);
      messages = [...first, ...correction(reply.text, answer)];
    } catch (error) {
      if (!(error instanceof ModelFailure) || error.kind !== "outage" || left === 0) throw error;
      const waitMs = (error.retryAfterSeconds ?? 0) * 1000;
      if (waitMs > settings.timeoutMs * (question.patience ?? 1)) throw error;
      await sleep(Math.max(waitMs, FIRST_PAUSE_MS * 2 ** (ATTEMPTS - 1 - left)), signal);
    }
  }
}

/** One call within the budget. Where its cost is unknown, the reserved cost stands. */
async function paidCall<T>(
  { sql, settings, clock, log, client }: ModelParts,
  { question, signal, onCost }: Asking<T>,
  messages: readonly Message[],
): Promise<ModelReply> {
  const { priceInUsdPerM, priceOutUsdPerM, dailyBudgetUsd } = settings;
  const cost = (tokensIn: number, tokensOut: number) =>
    (tokensIn * priceInUsdPerM + tokensOut * priceOutUsdPerM) / 1e6;
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  const most = cost(characters / CHARACTERS_PER_TOKEN, question.maxTokens);
  const now = clock.now();
  if (!await reserveSpend(sql, now, most, dailyBudgetUsd)) {
    log.warn("the day's budget for the language model is spent", { dailyBudgetUsd });
    throw unavailable(secondsToMidnight(now));
  }
  const reply = await (await client()).ask(question, messages, signal).catch(async (error) => {
    const free = error instanceof ModelFailure && !error.billed;
    if (free) await settleSpend(sql, now, most, { usd: 0, tokensIn: 0, tokensOut: 0 });
    else onCost(most);
    throw error;
  });
  const { tokensIn, tokensOut } = reply;
  // Where the server reports no usage, the reserved cost stands.
  const usd = tokensIn + tokensOut === 0 ? most : cost(tokensIn, tokensOut);
  await settleSpend(sql, now, most, { usd, tokensIn, tokensOut });
  onCost(usd);
  return reply;
}
