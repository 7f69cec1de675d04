/** One line of an archive of submissions, made into a post, or into the reason why it is not one. */
import type { Clock } from "../../../core/clock.ts";
import { cutText } from "../../../core/cut_text.ts";
import type { Post } from "../../types.ts";
import { authorName, countFrom, isCommunity, isPathOf, removalOf } from "../submission.ts";

/** Why a post was left out on purpose. */
export type SkipReason = "deleted" | "removed" | "over_18";

/** What a line holds; `line` counts from 1, blank lines included. */
export type ArchiveLine =
  | { readonly kind: "post"; readonly line: number; readonly post: Post }
  | { readonly kind: "skip"; readonly line: number; readonly reason: SkipReason }
  | { readonly kind: "bad"; readonly line: number; readonly why: string };

type Fields = Readonly<Record<string, unknown>>;

const SITE = "https://www.reddit.com";
/** Longest title and body kept, in UTF-16 code units; the site's own limits are 300 and 40,000. */
const MAX_TITLE = 1_000;
const MAX_BODY = 40_000;
const MAX_AUTHOR = 100;
const MAX_PERMALINK = 600;
/** The site opened in June 2005; a number past 2100 is milliseconds or noise. */
const FIRST_SECOND = Date.UTC(2005, 5, 1) / 1000;
const LAST_SECOND = Date.UTC(2100, 0, 1) / 1000;
/** Clocks differ; more than this ahead of ours is a wrong time, and would make every age negative. */
const AHEAD_MS = 3_600_000;

const ID = /^[a-z0-9]{1,13}$/;
const PLAIN_PERMALINK = /^\/r\/[A-Za-z0-9_-]+\/comments\/([a-z0-9]+)\/[A-Za-z0-9_%-]*\/?$/;
const SITE_HOST = /^(?:[a-z0-9-]+\.)?reddit\.com$/;
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** Text that Postgres takes: no U+0000, no lone surrogates; the three escaped entities decoded once. */
function clean(text: string, max: number): string {
  const decoded = text.includes("&")
    ? text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
    : text;
  const whole = decoded.includes("\0") ? decoded.replaceAll("\0", "") : decoded;
  return cutText(whole, max).toWellFormed();
}

/** A number, or the number a string spells; null for anything else. */
function numeric(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || !/^-?\d{1,20}(?:\.\d{1,20})?$/.test(value)) return null;
  return Number(value);
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "True";
}

/** The post's address on the site; one that leads elsewhere is replaced by the one its id gives. */
function permalinkOf(value: unknown, id: string): string {
  const byId = `${SITE}/comments/${id}`;
  if (typeof value !== "string" || value.length > MAX_PERMALINK) return byId;
  if (PLAIN_PERMALINK.exec(value)?.[1] === id) return SITE + value;
  if (!/^(?:\/|https?:\/\/)/i.test(value)) return byId;
  try {
    const url = new URL(value, SITE);
    const onSite = SITE_HOST.test(url.hostname) && url.username === "" && url.password === "";
    return onSite && isPathOf(url.pathname, id) ? SITE + url.pathname : byId;
  } catch {
    return byId;
  }
}

function skipReason(fields: Fields): SkipReason | null {
  return removalOf(fields) ?? (isTrue(fields.over_18) ? "over_18" : null);
}

/** A text that may be left out; null for a value that is none, of which nothing would be kept. */
function textOf(value: unknown): string | null {
  return value === undefined || value === null ? "" : typeof value === "string" ? value : null;
}

/** The post, the reason to leave it out, or what is wrong with it (a field's name first). */
function read(fields: Fields, clock: Clock): Post | { skip: SkipReason } | { bad: string } {
  const rawId = fields.id ?? fields.name;
  if (rawId === undefined || rawId === null || rawId === "") return { bad: "id: missing" };
  const id = typeof rawId === "string" ? rawId.toLowerCase().replace(/^t3_/, "") : "";
  if (!ID.test(id)) return { bad: "id: not the id of a post" };
  const skip = skipReason(fields);
  if (skip) return { skip };

  const subreddit = textOf(fields.subreddit);
  if (subreddit === null) return { bad: "subreddit: not a string" };
  if (subreddit === "") return { bad: "subreddit: missing" };
  const community = subreddit.replace(/^\/?r\//, "");
  if (!isCommunity(community)) return { bad: "subreddit: not the name of a community" };
  const rawTitle = textOf(fields.title);
  if (rawTitle === null) return { bad: "title: not a string" };
  const title = clean(rawTitle, MAX_TITLE);
  if (title.trim() === "") return { bad: "title: missing" };
  const body = textOf(fields.selftext);
  if (body === null) return { bad: "selftext: not a string" };
  const time = fields.created_utc;
  if (time === undefined || time === null) return { bad: "created_utc: missing" };
  const seconds = numeric(time);
  if (seconds === null || seconds < FIRST_SECOND || seconds > LAST_SECOND) {
    return { bad: "created_utc: not a time in seconds since 1970" };
  }
  const createdAt = new Date(Math.trunc(seconds * 1000));
  if (createdAt.getTime() > clock.now().getTime() + AHEAD_MS) {
    return { bad: "created_utc: lies in the future" };
  }
  return {
    id,
    community,
    title,
    body: clean(body, MAX_BODY),
    author: typeof fields.author === "string" ? authorName(clean(fields.author, MAX_AUTHOR)) : null,
    createdAt,
    upvotes: countFrom(numeric(fields.score ?? fields.ups)),
    comments: countFrom(numeric(fields.num_comments)),
    permalink: permalinkOf(fields.permalink, id),
  };
}

/**
 * Reads one line of text. Null for a blank line. Nothing of the line's own text is in `why`, so it
 * may be shown as it is.
 */
export function readLine(text: string, line: number, clock: Clock): ArchiveLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return text.trim() === "" ? null : { kind: "bad", line, why: "not JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { kind: "bad", line, why: "not a JSON object" };
  }
  const result = read(value as Fields, clock);
  if ("bad" in result) return { kind: "bad", line, why: result.bad };
  if ("skip" in result) return { kind: "skip", line, reason: result.skip };
  return { kind: "post", line, post: result };
}
