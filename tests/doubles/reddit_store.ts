/** The posts of the site's double: what it lists, finds and knows, and what people do to them. */

/** A post as archives name its fields; everything but the id and the community may be left out. */
export interface SitePost {
  readonly id: string;
  readonly subreddit: string;
  readonly title?: string;
  readonly selftext?: string;
  readonly author?: string | null;
  readonly created_utc?: number;
  readonly score?: number;
  readonly num_comments?: number;
  readonly permalink?: string;
  readonly over_18?: boolean;
  readonly stickied?: boolean;
  readonly promoted?: boolean;
  /** Fullname of the post that this one repeats. */
  readonly crosspost_parent?: string;
  /** Overrides fields of the answer as they are, nulls included; `undefined` takes a field out. */
  readonly raw?: Readonly<Record<string, unknown>>;
}

interface Stored extends SitePost {
  /** Set once it is gone: by whom. */
  readonly removed_by_category?: "moderator" | "deleted";
}

export type Rendered = { kind: "t3"; data: Record<string, unknown> };

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export class SiteStore {
  readonly #posts = new Map<string, Stored>();
  /** Per community in lower case, newest first; sorted when read. */
  readonly #listings = new Map<string, { ids: string[]; sorted: boolean }>();
  readonly #closed = new Map<string, "private" | "banned" | "quarantined">();

  add(posts: readonly SitePost[]): void {
    for (const post of posts) {
      if (!this.#posts.has(post.id)) {
        const listing = this.open(post.subreddit);
        listing.ids.push(post.id);
        listing.sorted = false;
      }
      this.#posts.set(post.id, post);
    }
  }

  /** Makes a community known, with or without posts. */
  open(community: string): { ids: string[]; sorted: boolean } {
    const name = community.toLowerCase();
    const listing = this.#listings.get(name) ?? { ids: [], sorted: true };
    this.#listings.set(name, listing);
    return listing;
  }

  close(community: string, reason: "private" | "banned" | "quarantined"): void {
    this.#closed.set(community.toLowerCase(), reason);
  }

  reopen(community: string): void {
    this.#closed.delete(community.toLowerCase());
  }

  closedFor(community: string): string | null {
    return this.#closed.get(community.toLowerCase()) ?? null;
  }

  has(community: string): boolean {
    return this.#listings.has(community.toLowerCase());
  }

  communities(): string[] {
    return [...this.#listings.keys()];
  }

  get(id: string): Stored | undefined {
    return this.#posts.get(id);
  }

  /** A moderator takes the post down: its text is replaced, its author stays named. */
  remove(id: string): void {
    this.#change(id, { selftext: "[removed]", removed_by_category: "moderator" });
  }

  /** The author takes the post back: text and name are replaced. */
  delete(id: string): void {
    const gone = { selftext: "[deleted]", author: "[deleted]" };
    this.#change(id, { ...gone, removed_by_category: "deleted" });
  }

  /** The author closes the account: the post stays, without a name. */
  deleteAccount(id: string): void {
    this.#change(id, { author: "[deleted]" });
  }

  /** The post vanishes from every answer, as if it had never been. */
  forget(id: string): void {
    const post = this.#posts.get(id);
    if (post === undefined) return;
    const listing = this.open(post.subreddit);
    listing.ids = listing.ids.filter((other) => other !== id);
    this.#posts.delete(id);
  }

  edit(id: string, change: { readonly selftext?: string; readonly over_18?: boolean }): void {
    this.#change(id, change);
  }

  vote(id: string, by: number): void {
    this.#change(id, { score: (this.#posts.get(id)?.score ?? 0) + by });
  }

  comment(id: string, by = 1): void {
    this.#change(id, { num_comments: (this.#posts.get(id)?.num_comments ?? 0) + by });
  }

  #change(id: string, change: Partial<Stored>): void {
    const post = this.#posts.get(id);
    if (post === undefined) throw new Error(`the double has no post ${id}`);
    this.#posts.set(id, { ...post, ...change });
  }

  /** What a community's listing holds, newest first, posts taken down left out. */
  newest(community: string): Stored[] {
    const listing = this.open(community);
    if (!listing.sorted) {
      const time = (id: string): number => this.#posts.get(id)?.created_utc ?? 0;
      listing.ids.sort((a, b) => time(b) - time(a) || (a < b ? 1 : -1));
      listing.sorted = true;
    }
    return listing.ids.flatMap((id) => this.#posts.get(id) ?? []);
  }

  /** Posts that hold every word of the query, newest first. */
  search(query: string, communities: readonly string[], since: number): Stored[] {
    const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
    return communities.flatMap((community) => this.newest(community)).filter((post) => {
      if ((post.created_utc ?? 0) < since || post.removed_by_category !== undefined) return false;
      const text = `${post.title ?? ""} ${post.selftext ?? ""}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }
}

/** A post as the API answers it; without `rawJson` its text carries HTML entities. */
export function rendered(post: Stored, rawJson: boolean): Rendered {
  const shown = rawJson ? (text: string) => text : escaped;
  const author = post.author === null ? "[deleted]" : post.author ?? "somebody";
  const path = `/r/${post.subreddit}/comments/${post.id}/a_post/`;
  const data: Record<string, unknown> = {
    approved_at_utc: null,
    subreddit: post.subreddit,
    selftext: shown(post.selftext ?? ""),
    saved: false,
    gilded: 0,
    title: shown(post.title ?? ""),
    subreddit_name_prefixed: `r/${post.subreddit}`,
    hidden: false,
    downs: 0,
    hide_score: false,
    name: `t3_${post.id}`,
    quarantine: false,
    subreddit_type: "public",
    ups: post.score ?? 1,
    score: post.score ?? 1,
    edited: false,
    is_self: true,
    created: post.created_utc ?? 0,
    selftext_html: null,
    likes: null,
    banned_by: null,
    over_18: post.over_18 ?? false,
    removed_by_category: post.removed_by_category ?? null,
    removal_reason: null,
    id: post.id,
    author,
    num_comments: post.num_comments ?? 0,
    permalink: post.permalink ?? path,
    stickied: post.stickied ?? false,
    pinned: false,
    url: `https://www.reddit.com${path}`,
    created_utc: post.created_utc ?? 0,
    num_crossposts: 0,
    media: null,
    is_video: false,
  };
  if (post.promoted) data.promoted = true;
  if (post.crosspost_parent !== undefined) data.crosspost_parent = post.crosspost_parent;
  return { kind: "t3", data: { ...data, ...post.raw } };
}
