/** The application-only token: fetched when needed, kept, and fetched anew before it ends. */
import { z } from "zod";
import { orAborted } from "../../../core/deadline.ts";
import { SourceError } from "../errors.ts";
import type { Budget } from "./budget.ts";
import { askSite, failureOf } from "./failures.ts";
import type { RedditDeps } from "./settings.ts";

const TIMEOUT_MS = 6_000;
const MAX_BYTES = 65_536;
/** Credentials that were refused are not sent again for this long. */
const REFUSED_MS = 60_000;

const Issued = z.object({
  // Printable ASCII, since it becomes part of a header.
  access_token: z.string().regex(/^[\x21-\x7e]{1,8192}$/),
  expires_in: z.number().positive(),
});
/** The token endpoint says some refusals under status 200. */
const Refused = z.object({ error: z.union([z.string(), z.number()]) });

interface TokenSettings {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly userAgent: string;
  /** Overrides the time allowed for an answer. */
  readonly timeoutMs?: number | undefined;
}

interface Kept {
  readonly token: string;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

/** The token of one application, shared by all who read with it. */
export class TokenStore {
  readonly #settings: TokenSettings;
  readonly #deps: RedditDeps;
  readonly #budget: Budget;
  #kept: Kept | null = null;
  #coming: Promise<string> | null = null;
  #refusal: { readonly error: SourceError; readonly until: number } | null = null;

  constructor(settings: TokenSettings, deps: RedditDeps, budget: Budget) {
    this.#settings = settings;
    this.#deps = deps;
    this.#budget = budget;
  }

  /**
   * A token that holds now. Concurrent callers share one request, which outlives any one of them.
   * @throws SourceError `unauthorized` for refused credentials, else what stopped the request; the
   *   reason of `signal` when that is aborted.
   */
  async get(signal: AbortSignal): Promise<string> {
    // Before a request is begun that nobody would wait for.
    signal.throwIfAborted();
    const now = this.#now();
    const kept = this.#kept;
    if (kept !== null && now < kept.refreshAt) return kept.token;
    if (this.#refusal !== null && now < this.#refusal.until) throw this.#refusal.error;
    const coming = this.#coming ??= this.#fetch().finally(() => {
      this.#coming = null;
    });
    try {
      return await orAborted(signal, () => coming);
    } catch (error) {
      if (signal.aborted) throw error;
      // The old one is good to its end: an outage of the token endpoint alone is none yet.
      if (this.#kept === kept && kept !== null && this.#now() < kept.expiresAt) return kept.token;
      throw error;
    }
  }

  /** The API did not accept this token: it is not used again. */
  reject(token: string): void {
    if (this.#kept?.token === token) this.#kept = null;
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }

  async #fetch(): Promise<string> {
    try {
      return await this.#request();
    } catch (error) {
      if (error instanceof SourceError && error.kind === "unauthorized") {
        this.#refusal = { error, until: this.#now() + REFUSED_MS };
      }
      throw error;
    }
  }

  async #request(): Promise<string> {
    const { tokenUrl, clientId, clientSecret, userAgent, timeoutMs } = this.#settings;
    // Its rate headers count a period of their own, so only the minute is charged here.
    this.#budget.count();
    const sentAt = this.#now();
    // Without a signal: several callers share it, none of which may end it for the others.
    const answer = await askSite({
      fetch: this.#deps.fetch,
      url: tokenUrl,
      method: "POST",
      headers: {
        "Authorization": `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
        "Content-Type": "application/x-www-form-urlencoded",
        "Accept": "application/json",
        "User-Agent": userAgent,
      },
      body: "grant_type=client_credentials",
      timeoutMs: timeoutMs ?? TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const issued = readToken(answer.status, answer.text, () => failureOf(answer, tokenUrl));
    // Margins: a token must still hold when a request that took it arrives.
    const lifetime = issued.expires_in * 1000;
    this.#kept = {
      token: issued.access_token,
      refreshAt: sentAt + lifetime - Math.min(300_000, lifetime / 10),
      expiresAt: sentAt + lifetime - Math.min(5_000, lifetime / 20),
    };
    this.#refusal = null;
    return issued.access_token;
  }
}

/**
 * Reads an answer of the token endpoint.
 * @throws SourceError `unauthorized` where the credentials are refused, under whatever status.
 */
function readToken(
  status: number,
  text: string,
  failure: () => SourceError | null,
): z.infer<typeof Issued> {
  if (status === 400 || status === 401 || status === 403) {
    throw new SourceError("unauthorized", "the site refuses the credentials", { status });
  }
  const failed = failure();
  if (failed !== null) throw failed;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new SourceError("malformed", "the token answer is no JSON", { status, cause });
  }
  const issued = Issued.safeParse(body);
  if (issued.success) return issued.data;
  if (Refused.safeParse(body).success) {
    throw new SourceError("unauthorized", "the site refuses the credentials", { status });
  }
  throw new SourceError("malformed", "the token answer holds no token", { status });
}
