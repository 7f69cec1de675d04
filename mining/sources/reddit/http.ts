/** Reads of the site's API: leave from the budget, a token, one answer, and another try if worth it. */
import type { HttpAnswer } from "../../../core/http.ts";
import { SourceError } from "../errors.ts";
import type { Budget, Priority } from "./budget.ts";
import { askSite, failureOf } from "./failures.ts";
import type { RedditDeps } from "./settings.ts";
import type { TokenStore } from "./token.ts";

/** How patient a call is, by who waits for it. */
export interface Patience {
  /** Sends of one read at most, the first included. */
  readonly attempts: number;
  /** For one answer, milliseconds. */
  readonly timeoutMs: number;
  /** For the whole read, waits for leave included, milliseconds of the clock. */
  readonly totalMs: number;
  /** The wait after a first failure, doubled for each further one. */
  readonly backoffMs: number;
}

/** The site's period is ten minutes: whoever is not waited for outlasts one. */
const UNHURRIED = { attempts: 4, timeoutMs: 20_000, totalMs: 900_000, backoffMs: 1_000 };

const PATIENCE: Readonly<Record<Priority, Patience>> = {
  live: { attempts: 2, timeoutMs: 6_000, totalMs: 12_000, backoffMs: 250 },
  check: UNHURRIED,
  mine: UNHURRIED,
};

const MAX_BACKOFF_MS = 60_000;
/** Above a page of a hundred posts at the site's limit of 40,000 characters, all of them escaped. */
const MAX_BYTES = 32 * 1024 * 1024;

interface ApiCall<T> {
  /** With its leading slash. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Reads the parsed body; throws what does not fit. */
  readonly read: (body: unknown) => T;
}

interface HttpSettings {
  readonly apiUrl: string;
  readonly userAgent: string;
  readonly patience?: Readonly<Record<Priority, Patience>>;
  readonly maxBytes?: number;
}

/** Parses a successful answer and reads it. @throws SourceError `malformed`. */
function readAnswer<T>(answer: HttpAnswer, read: (body: unknown) => T): T {
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch (cause) {
    throw new SourceError("malformed", "the site's answer is no JSON", {
      status: answer.status,
      cause,
    });
  }
  try {
    return read(body);
  } catch (cause) {
    throw new SourceError("malformed", "the site's answer has another form than agreed", {
      status: answer.status,
      cause,
    });
  }
}

/** The API of the site, read within the budget. */
export class RedditHttp {
  readonly #settings: HttpSettings;
  readonly #deps: RedditDeps;
  readonly #budget: Budget;
  readonly #tokens: TokenStore;

  constructor(settings: HttpSettings, deps: RedditDeps, budget: Budget, tokens: TokenStore) {
    this.#settings = settings;
    this.#deps = deps;
    this.#budget = budget;
    this.#tokens = tokens;
  }

  /**
   * Reads one address of the API.
   * @throws SourceError once another try is of no use, not allowed, or too late.
   */
  async get<T>(call: ApiCall<T>): Promise<T> {
    const patience = (this.#settings.patience ?? PATIENCE)[call.priority];
    const giveUpAt = this.#now() + patience.totalMs;
    const url = this.#url(call);
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#attempt(url, call, patience, giveUpAt);
      } catch (error) {
        if (!(error instanceof SourceError) || !error.transient) throw error;
        const { wait, isPaused } = this.#backoff(error, attempt, patience);
        if (attempt >= patience.attempts || this.#now() + wait >= giveUpAt) throw error;
        const waitMs = Math.round(wait);
        const fields = { path: call.path, kind: error.kind, status: error.status, attempt, waitMs };
        this.#deps.log.warn("asking the source again", fields);
        if (!isPaused) await this.#deps.sleep(wait, call.signal);
      }
    }
  }

  /** The wait before the next try; where the site asked for one, the budget has everybody keep it. */
  #backoff(
    error: SourceError,
    attempt: number,
    patience: Patience,
  ): { readonly wait: number; readonly isPaused: boolean } {
    const grown = Math.min(MAX_BACKOFF_MS, patience.backoffMs * 2 ** (attempt - 1));
    const jittered = grown * (0.5 + this.#deps.random() / 2);
    const asked = (error.retryAfterSeconds ?? 0) * 1000;
    const wait = asked + jittered;
    // The budget's own refusal has no status: it concerns this priority, and others may have leave yet.
    const isOfSite = error.status !== undefined;
    if (isOfSite && (error.kind === "rate_limited" || asked > 0)) this.#budget.pause(wait);
    // The budget's own refusal is waited for there, too.
    return { wait, isPaused: error.kind === "rate_limited" || asked > 0 };
  }

  async #attempt<T>(
    url: string,
    call: ApiCall<T>,
    patience: Patience,
    giveUpAt: number,
  ): Promise<T> {
    let sent = await this.#send(url, call, patience, giveUpAt);
    if (sent.answer.status === 401) {
      // Revoked or expired early: one new token, and the same request once more.
      this.#tokens.reject(sent.token);
      sent = await this.#send(url, call, patience, giveUpAt);
    }
    const failure = failureOf(sent.answer, url);
    if (failure !== null) throw failure;
    return readAnswer(sent.answer, call.read);
  }

  async #send(
    url: string,
    call: { readonly priority: Priority; readonly signal: AbortSignal },
    patience: Patience,
    giveUpAt: number,
  ): Promise<{ answer: HttpAnswer; token: string }> {
    const ticket = await this.#budget.take(call.priority, giveUpAt, call.signal);
    let headers: Headers | null = null;
    try {
      // Only now: a pause holds for token requests too, and none ends while waiting for leave.
      const token = await this.#tokens.get(call.signal);
      const answer = await askSite({
        fetch: this.#deps.fetch,
        url,
        method: "GET",
        headers: {
          "Authorization": `Bearer ${token}`,
          "Accept": "application/json",
          "User-Agent": this.#settings.userAgent,
        },
        timeoutMs: Math.min(patience.timeoutMs, Math.max(1, giveUpAt - this.#now())),
        maxBytes: this.#settings.maxBytes ?? MAX_BYTES,
        signal: call.signal,
      });
      headers = answer.headers;
      return { answer, token };
    } finally {
      ticket.settle(headers);
    }
  }

  #url(call: { path: string; params: Readonly<Record<string, string>> }): string {
    // raw_json: text as written, without HTML entities.
    const query = new URLSearchParams({ ...call.params, raw_json: "1" });
    return `${this.#settings.apiUrl}${call.path}?${query}`;
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}
