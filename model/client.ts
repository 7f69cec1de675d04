/**
 * One question to an OpenAI-compatible server. Servers differ in what they accept: structured output by
 * schema, any JSON object, or plain text; `max_completion_tokens` or `max_tokens`. The richest form
 * that worked is remembered.
 */
import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from "openai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import { DAY_MS } from "../core/clock.ts";
import { withoutAddress } from "../core/errors.ts";
import { bounded } from "../core/http.ts";
import {
  DEFAULT_BASE_URL,
  type Message,
  ModelFailure,
  type ModelSettings,
  type Question,
} from "./types.ts";

/** The parts of a question that determine the request. */
type Form = Pick<Question<unknown>, "name" | "schema" | "maxTokens" | "patience">;

/** Far above a reply of 4,000 tokens. */
const MAX_REPLY_BYTES = 256 * 1024;

const MAX_ERROR_CHARACTERS = 300;

const FORMATS = ["json_schema", "json_object", "text"] as const;
/** Statuses by which servers reject a parameter they do not know. */
const UNACCEPTED = new Set([400, 415, 422, 501]);

export interface ModelReply {
  readonly text: string;
  /** Both 0 where unknown. */
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface ModelClient {
  /** Asks once, in the richest form the server takes. @throws ModelFailure, or the signal's reason. */
  ask(form: Form, messages: readonly Message[], signal: AbortSignal): Promise<ModelReply>;
}

/** A count above this is not believed. */
const MAX_TOKENS = 100_000_000;

interface Dialect {
  format: number;
  limit: "max_completion_tokens" | "max_tokens";
}

function request(
  model: string,
  { name, schema, maxTokens }: Form,
  messages: readonly Message[],
  dialect: Dialect,
): ChatCompletionCreateParamsNonStreaming {
  const format = FORMATS[dialect.format];
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    [dialect.limit]: maxTokens,
    ...(format === "json_schema"
      ? {
        response_format: {
          type: "json_schema",
          json_schema: { name, strict: true, schema },
        },
      }
      : format === "json_object"
      ? { response_format: { type: "json_object" } }
      : {}),
  };
}

/** Falls back to a simpler form; false if there is none left. */
function stepDown(dialect: Dialect, message: string): boolean {
  if (dialect.limit === "max_completion_tokens" && /max_completion_tokens/.test(message)) {
    dialect.limit = "max_tokens";
    return true;
  }
  if (dialect.format >= FORMATS.length - 1) return false;
  dialect.format += 1;
  return true;
}

/** The seconds that a server asks to wait, at most a day. */
function retryAfter(error: APIError): number | undefined {
  const seconds = Number(error.headers?.get("retry-after") ?? NaN);
  return seconds >= 0 ? Math.min(Math.ceil(seconds), DAY_MS / 1000) : undefined;
}

/** A server's error message, which may repeat the request: truncated, and without the key. */
function said(error: APIError, key: string | null): string {
  const words = key === null ? error.message : error.message.replaceAll(key, "[key]");
  return words.slice(0, MAX_ERROR_CHARACTERS);
}

/** A content filter rejects the question, not the caller. */
const isFiltered = (error: APIError): boolean =>
  error.code === "content_filter" || error.code === "content_policy_violation";

function failure(error: unknown, key: string | null, baseURL: string): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const cause = error;
  if (error instanceof APIError && error.status !== undefined) {
    const kind = isFiltered(error)
      ? "useless"
      : error.status === 429 || error.status === 408 || error.status >= 500
      ? "outage"
      : "rejected";
    return new ModelFailure(kind, `the model's server answered ${said(error, key)}`, {
      retryAfterSeconds: retryAfter(error),
      billed: false,
    });
  }
  if (error instanceof APIConnectionError) {
    const why = withoutAddress(error, baseURL);
    return new ModelFailure("outage", `the model's server cannot be reached: ${why}`);
  }
  return new ModelFailure("outage", "the model's server answered with no completion", { cause });
}

function readCompletion(completion: OpenAI.ChatCompletion): ModelReply {
  // The types do not bind the server: anything may be missing.
  const choice = completion.choices?.[0];
  const message = choice?.message;
  if (typeof message?.refusal === "string" && message.refusal !== "") {
    throw new ModelFailure("useless", "the model refused");
  }
  if (choice?.finish_reason === "length") {
    throw new ModelFailure("useless", "the model's reply was cut off");
  }
  if (typeof message?.content !== "string" || message.content.trim() === "") {
    throw new ModelFailure("useless", "the model's reply was empty");
  }
  return { text: message.content, ...counted(completion.usage) };
}

/** The usage of a call; zero where the server reports none, or an impossible one. */
function counted(usage: OpenAI.CompletionUsage | undefined): Omit<ModelReply, "text"> {
  const { prompt_tokens: tokensIn, completion_tokens: tokensOut } = usage ?? {};
  return isCount(tokensIn) && isCount(tokensOut)
    ? { tokensIn, tokensOut }
    : { tokensIn: 0, tokensOut: 0 };
}

const isCount = (tokens: unknown): tokens is number =>
  Number.isInteger(tokens) && Number(tokens) >= 0 && Number(tokens) <= MAX_TOKENS;

/** A client for the configured model; `settings.name` must not be null. */
export function createModelClient(settings: ModelSettings, send: typeof fetch): ModelClient {
  const name = settings.name ?? "";
  const baseURL = settings.baseUrl ?? DEFAULT_BASE_URL;
  const dialect: Dialect = { format: 0, limit: "max_completion_tokens" };
  const openai = new OpenAI({
    // The client requires a key; local servers need none.
    apiKey: settings.apiKey ?? "none",
    baseURL,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: settings.timeoutMs,
    logLevel: "off",
    fetch: async (input, init) => bounded(await send(input, init), MAX_REPLY_BYTES),
  });
  return {
    async ask(form, messages, signal) {
      const tried = { ...dialect };
      for (;;) {
        try {
          const asked = request(name, form, messages, tried);
          const timeout = settings.timeoutMs * (form.patience ?? 1);
          const reply = readCompletion(
            await openai.chat.completions.create(asked, { signal, timeout }),
          );
          Object.assign(dialect, tried);
          return reply;
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof APIUserAbortError) throw failure(error, settings.apiKey, baseURL);
          const turnedDown = error instanceof APIError && UNACCEPTED.has(error.status ?? 0) &&
            !isFiltered(error);
          if (!turnedDown || !stepDown(tried, error.message)) {
            throw failure(error, settings.apiKey, baseURL);
          }
        }
      }
    },
  };
}
