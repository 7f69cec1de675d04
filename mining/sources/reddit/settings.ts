/** The settings of the site's client, and what it depends on. */
import type { Clock } from "../../../core/clock.ts";
import { wrongSetting } from "../../../core/settings.ts";
import type { Log } from "../../../core/log.ts";

export interface RedditSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** In the form that the site asks for. */
  readonly userAgent: string;
  /** Where tokens are issued: the site's address, or the whole address of its token endpoint. */
  readonly authUrl: string;
  /** The address of the API. */
  readonly apiUrl: string;
}

/** Waits; rejects with the signal's reason when it is aborted. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;
export type SiteFetch = (url: string, init: RequestInit) => Promise<Response>;

/** The outside world, as arguments. */
export interface RedditDeps {
  readonly fetch: SiteFetch;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
}

/** What the site's API rules ask of a User-Agent; its words are of printable ASCII. */
export const USER_AGENT =
  /^[!-'*-9;-~]+:[!-'*-9;-~]+:[!-'*-9;-~]+ \(by \/u\/[A-Za-z0-9_-]{3,20}\)$/;
export const USER_AGENT_RULE =
  "should have the form <platform>:<app id>:<version> (by /u/<name>), " +
  "for example server:com.example.demand:v1.0 (by /u/your_name)";

function checkedUrl(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  const web = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !web || url.username !== "" || url.search !== "" || url.hash !== "") {
    throw wrongSetting(name, "should be an http or https address without query or user");
  }
  return url;
}

/** The site's addresses as the client uses them: whole and checked. */
interface RedditAddresses {
  readonly tokenUrl: string;
  /** Without a slash at its end. */
  readonly apiUrl: string;
}

const TOKEN_PATH = "/api/v1/access_token";

/** Where tokens are asked for. @throws SettingsError unless it is an http or https address. */
export function tokenAddress(authUrl: string): string {
  const auth = checkedUrl("REDDIT_AUTH_URL", authUrl).href.replace(/\/+$/, "");
  return auth.endsWith(TOKEN_PATH) ? auth : auth + TOKEN_PATH;
}

/** @throws SettingsError naming the setting that is wrong. */
export function checkedAddresses(settings: RedditSettings): RedditAddresses {
  const api = checkedUrl("REDDIT_API_URL", settings.apiUrl).href.replace(/\/+$/, "");
  return { tokenUrl: tokenAddress(settings.authUrl), apiUrl: api };
}
