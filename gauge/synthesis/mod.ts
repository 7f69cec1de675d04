/**
 * The model's part in a verdict, and everything that keeps it in bounds: a deadline over all attempts,
 * a number of calls at a time, a daily budget, a circuit breaker, and a check of every word it answers.
 */
import type { Clock } from "../../core/clock.ts";
import { ServiceError } from "../../core/errors.ts";
import { once } from "../../core/once.ts";
import type { Log } from "../../core/log.ts";
import { reserveSpend, settleSpend } from "../../db/model_spend.ts";
import type { Sql } from "../../db/sql.ts";
import { DeadlineError, pause, withDeadline } from "../deadline.ts";
import type { Fetch } from "./bounded_fetch.ts";
import { Breaker } from "./breaker.ts";
import type { ModelReply } from "./client.ts";
import { ModelFailure } from "./failure.ts";
import { buildPrompt, correction, type Message } from "./prompt.ts";
import { checkRationale } from "./rationale.ts";
import { parseReply } from "./reply.ts";
import { Slots } from "./slots.ts";
import {
  MAX_REPLY_TOKENS,
  type ModelSettings,
  type Synthesis,
  type SynthesisRequest,
  type Synthesize,
} from "./types.ts";

export interface SynthesisOptions {
  readonly sql: Sql;
  readonly settings: ModelSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: Fetch;
  /** So many random bytes as hex. */
  readonly random: (bytes: number) => string;
}

/** The model had its time. */
class ModelDeadlineError extends DeadlineError {}

const AT_ONCE = 8;
const WAITING = 64;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 250;
const NONCE_BYTES = 12;
/** Characters a token has at least, so that a reservation is never too small by much. */
const CHARACTERS_PER_TOKEN = 2.5;
const DEFAULT_RETRY_SECONDS = 15;
const REJECTED_RETRY_SECONDS = 300;

/** Whether these settings name a model that can be asked. */
export function isModelConfigured(settings: ModelSettings | null): settings is ModelSettings {
  return settings !== null && settings.name !== null &&
    (settings.apiKey !== null || settings.baseUrl !== null);
}

function unavailable(seconds: number, cause?: unknown): ServiceError {
  return new ServiceError("model_unavailable", "the language model is unavailable; try again", {
    retryAfterSeconds: seconds,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Its own deadline is the model's fault; a caller's, which comes as another reason, is not. */
function isModelsFault(error: unknown): error is ModelFailure | ModelDeadlineError {
  return error instanceof ModelFailure || error instanceof ModelDeadlineError;
}

const secondsToMidnight = (now: Date): number => 86_400 - Math.floor(now.getTime() / 1000) % 86_400;

/** The synthesis by the configured model. */
export function createSynthesis(options: SynthesisOptions): Synthesize {
  const { sql, settings, clock, log } = options;
  // The client's library is large, and a start need not wait for it.
  const client = once(async () =>
    (await import("./client.ts")).createModelClient(settings, options.fetch)
  );
  const breaker = new Breaker(clock);
  const slots = new Slots(AT_ONCE, WAITING);

  /** One call within the budget. A call whose cost is unknown keeps what was set aside for it. */
  const paidCall = async (
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<ModelReply> => {
    const { priceInUsdPerM, priceOutUsdPerM, dailyBudgetUsd } = settings;
    const cost = (tokensIn: number, tokensOut: number) =>
      (tokensIn * priceInUsdPerM + tokensOut * priceOutUsdPerM) / 1e6;
    const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
    const most = cost(characters / CHARACTERS_PER_TOKEN, MAX_REPLY_TOKENS);
    const now = clock.now();
    if (!await reserveSpend(sql, now, most, dailyBudgetUsd)) {
      log.warn("model_budget_spent", { dailyBudgetUsd });
      throw unavailable(secondsToMidnight(now));
    }
    const reply = await (await client()).ask(messages, signal).catch(async (error) => {
      const free = error instanceof ModelFailure && !error.billed;
      if (free) await settleSpend(sql, now, most, { usd: 0, tokensIn: 0, tokensOut: 0 });
      throw error;
    });
    const { tokensIn, tokensOut } = reply;
    // A server that does not count is charged what was set aside.
    const usd = tokensIn + tokensOut === 0 ? most : cost(tokensIn, tokensOut);
    await settleSpend(sql, now, most, { usd, tokensIn, tokensOut });
    return reply;
  };

  const attempt = async (
    request: SynthesisRequest,
    signal: AbortSignal,
  ): Promise<Synthesis> => {
    let messages = buildPrompt(request, options.random(NONCE_BYTES));
    for (let left = ATTEMPTS - 1;; left--) {
      try {
        const reply = await paidCall(messages, signal);
        const parsed = parseReply(reply.text, request.evidence.length);
        if (typeof parsed !== "string") {
          const { rationale, dropped } = checkRationale(parsed.rationale, request);
          if (dropped > 0) log.info("model_rationale_trimmed", { dropped });
          return { ...parsed, rationale };
        }
        if (left === 0) throw new ModelFailure("useless", `the model's reply: ${parsed}`);
        messages = [...messages.slice(0, 2), ...correction(reply.text, parsed)];
      } catch (error) {
        if (!(error instanceof ModelFailure) || error.kind !== "outage" || left === 0) throw error;
        const waitMs = (error.retryAfterSeconds ?? 0) * 1000;
        if (waitMs > settings.timeoutMs) throw error;
        await pause(Math.max(waitMs, FIRST_PAUSE_MS * 2 ** (ATTEMPTS - 1 - left)), signal);
      }
    }
  };

  const guarded = async (request: SynthesisRequest, signal: AbortSignal): Promise<Synthesis> => {
    const release = await slots.enter(signal);
    if (release === null) {
      throw new ServiceError("overloaded", "too many verdicts are being written; try again", {
        retryAfterSeconds: 5,
      });
    }
    try {
      const closedFor = breaker.enter();
      if (closedFor > 0) throw unavailable(closedFor);
      const synthesis = await attempt(request, signal).catch((error) => {
        if (isModelsFault(error)) breaker.failed();
        else breaker.abandoned();
        throw error;
      });
      breaker.succeeded();
      return synthesis;
    } finally {
      release();
    }
  };

  return async (request, signal) => {
    try {
      return await withDeadline(
        settings.timeoutMs,
        signal,
        (inner) => guarded(request, inner),
        ModelDeadlineError,
      );
    } catch (error) {
      if (!isModelsFault(error)) throw error;
      const rejected = error instanceof ModelFailure && error.kind === "rejected";
      const asked = error instanceof ModelFailure ? error.retryAfterSeconds : undefined;
      log.warn("model_failed", { error });
      throw unavailable(
        rejected ? REJECTED_RETRY_SECONDS : Math.max(1, asked ?? DEFAULT_RETRY_SECONDS),
        error,
      );
    }
  };
}
