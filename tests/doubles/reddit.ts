/**
 * A stand-in for the community site's API on loopback: tokens, new posts, search, look-ups and the
 * rate headers that count down, with faults on demand. It answers as the site was seen to answer.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Fault, faultReply, playConnection, type Reply } from "./reddit_faults.ts";
import { rendered, type SitePost, SiteStore } from "./reddit_store.ts";

export type { Fault } from "./reddit_faults.ts";
export { type SitePost, SiteStore } from "./reddit_store.ts";

export interface RedditDoubleOptions {
  readonly posts?: readonly SitePost[];
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Seconds a token holds, and what `expires_in` says. */
  readonly tokenSeconds?: number;
  /** Requests granted in a period, and its length in seconds. */
  readonly quota?: number;
  readonly periodSeconds?: number;
  /** How far back a listing goes. */
  readonly listingLimit?: number;
  readonly now?: () => number;
  /** 0: a free one. */
  readonly port?: number;
}

/** A request as the double saw it. */
export interface SeenCall {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly userAgent: string;
}

interface Queued {
  readonly path: string | RegExp;
  readonly fault: Fault;
  left: number;
}

const AGENT = /^[^\s:]+:[^\s:]+:\S+ \(by \/u\/[\w-]+\)$/;
const WINDOWS: Readonly<Record<string, number>> = {
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_678_400,
  year: 31_622_400,
};

function reply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  const type = { "content-type": "application/json; charset=UTF-8" };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

export class RedditDouble implements AsyncDisposable {
  readonly store = new SiteStore();
  readonly calls: SeenCall[] = [];
  readonly clientId: string;
  readonly clientSecret: string;
  readonly #options: RedditDoubleOptions;
  readonly #faults: Queued[] = [];
  readonly #tokens = new Map<string, number>();
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #issued = 0;
  #period = { endsAt: 0, used: 0 };
  #url = "";

  constructor(options: RedditDoubleOptions = {}) {
    this.#options = options;
    this.clientId = options.clientId ?? "double-client";
    this.clientSecret = options.clientSecret ?? "double-secret";
    this.store.add(options.posts ?? []);
  }

  static async start(options: RedditDoubleOptions = {}): Promise<RedditDouble> {
    const double = new RedditDouble(options);
    await new Promise<void>((resolve) => {
      double.#server.listen(options.port ?? 0, "127.0.0.1", resolve);
    });
    const address = double.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    double.#url = `http://127.0.0.1:${address.port}`;
    return double;
  }

  /** The address of both the token endpoint's site and the API. */
  get url(): string {
    return this.#url;
  }

  /** The next `times` requests for `path` (exact, or matching) meet this fault. Faults queue up. */
  fail(path: string | RegExp, fault: Fault, times = 1): void {
    this.#faults.push({ path, fault, left: times });
  }

  /** Drops the faults that were not met; returns how many those were. */
  heal(): number {
    return this.#faults.splice(0).reduce((sum, queued) => sum + queued.left, 0);
  }

  /** Every token issued so far stops working. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** Requests for `path`, or for any address of the API without a path given. */
  callsTo(path?: string | RegExp): SeenCall[] {
    return this.calls.filter((call) =>
      path === undefined
        ? call.path !== "/api/v1/access_token"
        : typeof path === "string"
        ? call.path === path
        : path.test(call.path)
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #fault(path: string): Fault | null {
    const at = this.#faults.findIndex((queued) =>
      typeof queued.path === "string" ? queued.path === path : queued.path.test(path)
    );
    const queued = this.#faults[at];
    if (queued === undefined) return null;
    if (--queued.left <= 0) this.#faults.splice(at, 1);
    return queued.fault;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.#url);
    const params = Object.fromEntries(url.searchParams);
    const path = url.pathname;
    const userAgent = request.headers["user-agent"] ?? "";
    this.calls.push({ at: this.#now(), method: request.method ?? "", path, params, userAgent });
    request.resume();
    request.on("end", () => {
      const fault = this.#fault(path);
      const own = fault === null ? null : faultReply(fault);
      const changed = fault?.kind === "restart" ? { ...params, after: "" } : params;
      const answer = own ?? this.#route(request, path, changed);
      if (fault !== null && playConnection(fault, response, answer.body)) return;
      const body = fault?.kind === "after" ? withAfter(answer.body, fault.after) : answer.body;
      const rates = path === "/api/v1/access_token" ? {} : this.#rates();
      response.writeHead(answer.status, { ...rates, ...answer.headers }).end(body);
    });
  }

  #rates(): Record<string, string> {
    const now = this.#now();
    const { quota = 600, periodSeconds = 600 } = this.#options;
    if (now >= this.#period.endsAt) {
      this.#period = { endsAt: now + periodSeconds * 1000, used: 0 };
    }
    this.#period.used++;
    return {
      "x-ratelimit-remaining": Math.max(0, quota - this.#period.used).toFixed(1),
      "x-ratelimit-used": String(this.#period.used),
      "x-ratelimit-reset": String(Math.ceil((this.#period.endsAt - now) / 1000)),
    };
  }

  #route(request: IncomingMessage, path: string, params: Record<string, string>): Reply {
    const agent = request.headers["user-agent"] ?? "";
    if (!AGENT.test(agent)) return reply(429, { message: "Too Many Requests", error: 429 });
    if (path === "/api/v1/access_token") return this.#token(request);
    const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if ((this.#tokens.get(token) ?? 0) <= this.#now()) {
      return faultReply({ kind: "401" }) ?? reply(401, {});
    }
    const now = this.#now();
    if (this.#period.endsAt > now && this.#period.used >= (this.#options.quota ?? 600)) {
      return reply(429, { message: "Too Many Requests", error: 429 });
    }
    if (path === "/api/info") return this.#info(params);
    if (path === "/search") return this.#search(this.store.communities(), params);
    const [, community = "", what] = /^\/r\/([^/]+)\/(new|search)\/?$/.exec(path) ?? [];
    if (what === undefined) return reply(404, { message: "Not Found", error: 404 });
    const reason = this.store.closedFor(community);
    if (reason === "banned") return reply(404, { reason, message: "Not Found", error: 404 });
    if (reason !== null) return reply(403, { reason, message: "Forbidden", error: 403 });
    if (!this.store.has(community)) {
      const location = `${this.#url}/subreddits/search.json?q=${community}`;
      return { status: 302, headers: { location, "content-type": "text/html" }, body: "" };
    }
    return what === "new" ? this.#new(community, params) : this.#search([community], params);
  }

  #token(request: IncomingMessage): Reply {
    const expected = `Basic ${btoa(`${this.clientId}:${this.clientSecret}`)}`;
    if (request.method !== "POST") return reply(404, { message: "Not Found", error: 404 });
    if (request.headers.authorization !== expected) {
      return reply(401, { message: "Unauthorized", error: 401 });
    }
    const seconds = this.#options.tokenSeconds ?? 86_400;
    const token = `double-token-${++this.#issued}`;
    this.#tokens.set(token, this.#now() + seconds * 1000);
    const issued = { access_token: token, token_type: "bearer", expires_in: seconds, scope: "*" };
    return reply(200, issued);
  }

  #new(community: string, params: Record<string, string>): Reply {
    const all = this.store.newest(community).slice(0, this.#options.listingLimit ?? 1000);
    const position = (name: string): number => all.findIndex((post) => `t3_${post.id}` === name);
    const limit = limitOf(params);
    let start = 0;
    let stop = all.length;
    if (params.after) {
      const at = position(params.after);
      // An anchor the listing does not hold ends it, as it does on the site.
      start = at < 0 ? all.length : at + 1;
    } else if (params.before) {
      stop = Math.max(0, position(params.before));
      start = Math.max(0, stop - limit);
    }
    // What was taken down keeps its place and is not shown.
    const shown = all.slice(start, stop).filter((post) => post.removed_by_category === undefined);
    const page = shown.slice(0, limit);
    const more = shown.length > page.length || (params.before !== undefined && stop < all.length);
    return listing(page, more, params);
  }

  #search(communities: readonly string[], params: Record<string, string>): Reply {
    if ((params.q ?? "") === "") return listing([], false, params);
    const since = Math.floor(this.#now() / 1000) - (WINDOWS[params.t ?? "all"] ?? Infinity);
    const open = communities.filter((name) => this.store.closedFor(name) === null);
    const found = this.store.search(params.q ?? "", open, since);
    const by = params.sort ?? "relevance";
    if (by === "new") found.sort((a, b) => (b.created_utc ?? 0) - (a.created_utc ?? 0));
    else if (by === "comments") found.sort((a, b) => (b.num_comments ?? 0) - (a.num_comments ?? 0));
    else found.sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
    const allowed = params.include_over_18 === "off" ? found.filter((p) => !p.over_18) : found;
    const limit = limitOf(params);
    return listing(allowed.slice(0, limit), allowed.length > limit, params);
  }

  #info(params: Record<string, string>): Reply {
    const names = (params.id ?? "").split(",").slice(0, 100);
    const known = names.flatMap((name) => this.store.get(name.replace(/^t3_/, "")) ?? []);
    const open = known.filter((post) => this.store.closedFor(post.subreddit) === null);
    return listing(open, false, params);
  }
}

function limitOf(params: Record<string, string>): number {
  const asked = Number(params.limit ?? 25);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, 100) : 25;
}

function listing(page: readonly SitePost[], more: boolean, params: Record<string, string>): Reply {
  const children = page.map((post) => rendered(post, params.raw_json === "1"));
  const last = page.at(-1);
  const first = page[0];
  return reply(200, {
    kind: "Listing",
    data: {
      after: more && last ? `t3_${last.id}` : null,
      dist: children.length,
      modhash: null,
      geo_filter: null,
      children,
      before: first && Number(params.count ?? 0) > 0 ? `t3_${first.id}` : null,
    },
  });
}

function withAfter(body: string, after: string | null): string {
  const parsed: { data: Record<string, unknown> } = JSON.parse(body);
  return JSON.stringify({ ...parsed, data: { ...parsed.data, after } });
}
