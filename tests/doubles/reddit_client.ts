/** The client of the site, set up against its double with time that jumps. */
import { createLog, type LogFields } from "../../core/log.ts";
import type { Source, SourcePage } from "../../mining/sources/types.ts";
import { createRedditSource, type RedditOptions } from "../../mining/sources/reddit/source.ts";
import type { SiteFetch } from "../../mining/sources/reddit/settings.ts";
import type { Post } from "../../mining/types.ts";
import type { RedditDouble, SitePost } from "./reddit.ts";
import { JumpingTime } from "./reddit_time.ts";
import { NEVER } from "../support/time.ts";

export const AGENT = "test:org.example.demand:v0.1 (by /u/tester)";

/** Deadlines that a busy machine keeps, or short ones for faults that hang. */
export function deadlines(timeoutMs: number): RedditOptions {
  const slow = { attempts: 4, timeoutMs, totalMs: 900_000, backoffMs: 1000 };
  const live = { attempts: 2, timeoutMs, totalMs: 12_000, backoffMs: 250 };
  return { tokenTimeoutMs: timeoutMs, patience: { live, check: slow, mine: slow } };
}

export const PATIENT = deadlines(20_000);
export const HASTY = deadlines(250);

export function clientOf(
  double: RedditDouble,
  time: JumpingTime,
  options: RedditOptions = PATIENT,
  settings: { readonly clientSecret?: string; readonly authUrl?: string } = {},
  send: SiteFetch = (url, init) => fetch(url, init),
) {
  const lines: LogFields[] = [];
  const log = createLog({
    level: "debug",
    format: "json",
    now: () => time.now(),
    write: (line) => lines.push(JSON.parse(line)),
  });
  const source = createRedditSource(
    {
      clientId: double.clientId,
      clientSecret: settings.clientSecret ?? double.clientSecret,
      userAgent: AGENT,
      authUrl: settings.authUrl ?? double.url,
      apiUrl: double.url,
    },
    {
      fetch: send,
      clock: time,
      sleep: time.sleep,
      random: () => 0.5,
      log,
    },
    options,
  );
  return { source, lines };
}

/** Reads a community to the end. */
export async function readAll(
  source: Source,
  community: string,
  mark: Parameters<Source["newPosts"]>[1] = null,
): Promise<{ pages: SourcePage[]; posts: Post[]; last: SourcePage }> {
  const pages: SourcePage[] = [];
  for await (const page of source.newPosts(community, mark, NEVER)) pages.push(page);
  const last = pages.at(-1);
  if (last === undefined) throw new Error("a reading has at least one page");
  return { pages, posts: pages.flatMap((page) => page.posts), last };
}

/** `count` posts of a community, ids p0 (oldest) upwards, a minute apart, the newest at `until`. */
export function posts(community: string, count: number, until: number, prefix = "p"): SitePost[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${prefix}${i.toString(36)}`,
    subreddit: community,
    title: `Post number ${i}`,
    selftext: `The text of post ${i} in ${community}.`,
    author: `author_${i % 7}`,
    created_utc: Math.floor(until / 1000) - (count - 1 - i) * 60,
    score: i,
    num_comments: i % 5,
  }));
}
