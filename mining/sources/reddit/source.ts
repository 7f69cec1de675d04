/** The community site as a source of posts, through its OAuth API and within its rules. */
import type { Post } from "../../types.ts";
import { SourceError } from "../errors.ts";
import { isCommunity, submissionId } from "../submission.ts";
import type { PostState, SearchOptions, Source, SourcePage } from "../types.ts";
import { Budget, type Priority } from "./budget.ts";
import { type Patience, RedditHttp } from "./http.ts";
import { type Listing, readListing, readListingPosts } from "./listing.ts";
import { idOf, stateOf } from "./post.ts";
import { checkedAddresses, type RedditDeps, type RedditSettings } from "./settings.ts";
import { TokenStore } from "./token.ts";

/** The most things the site puts on a page, or looks up in one call. */
const PAGE = 100;
/** No listing of the site goes further back than this. */
const LISTING_LIMIT = 1000;
/**
 * A listing that ends earlier than that without meeting the mark was cut off all the same if it
 * is at least this long: what moderators removed leaves gaps that are not filled up.
 */
const CUT_OFF = 500;
/** Pages may be short; this many are enough for any listing. */
const MAX_PAGES = 20;
/** The longest query the site takes. */
const MAX_QUERY = 512;

export interface RedditOptions {
  /** Overrides how long calls wait and how often they try. */
  readonly patience?: Readonly<Record<Priority, Patience>>;
  /** Overrides the bound of an answer's size. */
  readonly maxBytes?: number;
  /** Overrides how long the token endpoint may take. */
  readonly tokenTimeoutMs?: number;
}

/** @throws SettingsError naming a setting that is wrong. */
export function createRedditSource(
  settings: RedditSettings,
  deps: RedditDeps,
  options: RedditOptions = {},
): Source {
  const { userAgent } = settings;
  const { tokenUrl, apiUrl } = checkedAddresses(settings);
  const { clientId, clientSecret } = settings;
  const budget = new Budget(deps.clock, deps.sleep);
  const timeoutMs = options.tokenTimeoutMs;
  const credentials = { tokenUrl, clientId, clientSecret, userAgent, timeoutMs };
  const tokens = new TokenStore(credentials, deps, budget);
  const http = new RedditHttp({ apiUrl, userAgent, ...options }, deps, budget, tokens);
  const reader = new Reader(http, deps);
  return {
    name: "reddit",
    newPosts: (community, mark, signal) => reader.newPosts(community, mark, signal),
    search: (query, search, signal) => reader.search(query, search, signal),
    lookup: (ids, signal) => reader.lookup(ids, signal),
  };
}

class Reader {
  readonly #http: RedditHttp;
  readonly #deps: RedditDeps;

  constructor(http: RedditHttp, deps: RedditDeps) {
    this.#http = http;
    this.#deps = deps;
  }

  async *newPosts(
    community: string,
    mark: Date | null,
    signal: AbortSignal,
  ): AsyncGenerator<SourcePage, void, undefined> {
    if (!isCommunity(community)) {
      throw new SourceError("not_found", "no community can have this name");
    }
    const seen = new Set<string>();
    const listed = new Set<string>();
    const anchors = new Set<string>();
    let after: string | null = null;
    let count = 0;
    let repeated = false;
    for (let pages = 1;; pages++) {
      const listing: Listing = await this.#listing(
        `/r/${community}/new`,
        {
          limit: String(PAGE),
          ...(after === null ? {} : { after, count: String(count) }),
        },
        "mine",
        signal,
      );
      // A page that repeats what was listed is asked for once more before it is held against the site.
      if (!isNews(listing, listed) && !repeated) {
        repeated = true;
        continue;
      }
      count += listing.children.length;
      const read = readListingPosts(listing, { now: this.#deps.clock.now(), community }, true);
      const posts = read.posts.filter((post) => {
        if (seen.has(post.id) || (mark !== null && post.createdAt < mark)) return false;
        seen.add(post.id);
        return true;
      });
      const isMet = mark !== null && read.lastAt !== null && read.lastAt < mark;
      const isSpent = count >= LISTING_LIMIT || pages >= MAX_PAGES;
      let end: SourcePage["end"] = null;
      if (isMet) end = "mark";
      else if (listing.after === null) end = count >= CUT_OFF ? "limit" : "exhausted";
      else if (isSpent) end = "limit";
      yield { posts, leftOut: read.leftOut, end, missed: mark !== null && end === "limit" };
      if (end !== null) return;
      after = nextAnchor(listing, anchors);
    }
  }

  async search(query: string, options: SearchOptions, signal: AbortSignal): Promise<Post[]> {
    const limit = Math.min(PAGE, Math.max(1, Math.trunc(options.limit)));
    const listing = await this.#listing(
      "/search",
      {
        q: query.slice(0, MAX_QUERY).toWellFormed(),
        type: "link",
        limit: String(limit),
        sort: "relevance",
        t: "all",
        include_over_18: "off",
      },
      "live",
      signal,
    );
    const around = { now: this.#deps.clock.now(), community: null };
    const unique = new Map<string, Post>();
    for (const post of readListingPosts(listing, around, false).posts) {
      if (!unique.has(post.id)) unique.set(post.id, post);
    }
    return [...unique.values()].slice(0, limit);
  }

  async lookup(ids: readonly string[], signal: AbortSignal): Promise<Map<string, PostState>> {
    const wanted = new Map<string, string[]>();
    for (const given of new Set(ids)) {
      const id = submissionId(given);
      if (id !== null) wanted.set(id, [...wanted.get(id) ?? [], given]);
    }
    const states = new Map<string, PostState>();
    const all = [...wanted.keys()];
    for (let start = 0; start < all.length; start += PAGE) {
      const batch = all.slice(start, start + PAGE);
      const found = await this.#states(batch, signal);
      for (const id of batch) {
        const state = found.get(id) ?? { state: "removed", reason: "absent" };
        for (const given of wanted.get(id) ?? []) states.set(given, state);
      }
    }
    return states;
  }

  async #states(ids: readonly string[], signal: AbortSignal): Promise<Map<string, PostState>> {
    const id = ids.map((id) => `t3_${id}`).join(",");
    const listing = await this.#listing("/api/info", { id }, "check", signal);
    const states = new Map<string, PostState>();
    for (const child of listing.children) {
      const childId = child === null ? null : idOf(child);
      // A child that cannot be read must not pass for one that is absent.
      if (child === null || childId === null) {
        throw new SourceError("malformed", "the site's answer to a look-up cannot be read");
      }
      states.set(childId, stateOf(child));
    }
    return states;
  }

  #listing(
    path: string,
    params: Readonly<Record<string, string>>,
    priority: Priority,
    signal: AbortSignal,
  ): Promise<Listing> {
    return this.#http.get({ path, params, priority, signal, read: readListing });
  }
}

/** Notes the ids of a page; false if it has children and all of them were listed before. */
function isNews(listing: Listing, listed: Set<string>): boolean {
  const ids = listing.children.map((child) => child === null ? null : idOf(child));
  const news = ids.length === 0 || ids.some((id) => id === null || !listed.has(id));
  for (const id of ids) {
    if (id !== null) listed.add(id);
  }
  return news;
}

/**
 * Where the next page begins: where the site says, unless it said so before; then after the last
 * post of this page.
 * @throws SourceError `malformed` if both were used: the listing runs in a circle.
 */
function nextAnchor(listing: Listing, used: Set<string>): string {
  const last = listing.children.at(-1);
  const own = last ? idOf(last) : null;
  for (const anchor of [listing.after, own === null ? null : `t3_${own}`]) {
    if (anchor === null || used.has(anchor)) continue;
    used.add(anchor);
    return anchor;
  }
  throw new SourceError("malformed", "the site's listing runs in a circle");
}
