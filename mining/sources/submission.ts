/** What a submission is to us, the same from an archive as from an answer of the site: a post, or left out. */
import { Buffer } from "node:buffer";
import { cutText } from "../../core/cut_text.ts";
import type { Post } from "../types.ts";
import type { MarkedOut, RemovalReason } from "./types.ts";

/** Permalinks are always the public site's, wherever its API was reached. */
const PUBLIC_SITE = "https://www.reddit.com";

/** What the site puts in place of a text: "[removed]", "[ Removed by Reddit … ]" and the like. */
const TAKEN_DOWN = /^\s*\[\s*removed(?:\s+by\b[^\]]*|\s*)\]\s*$/i;
const TAKEN_BACK = /^\s*\[\s*deleted(?:\s+by\b[^\]]*|\s*)\]\s*$/i;
/** Categories of removal that name the author; every other one names somebody else. */
const BY_AUTHOR: ReadonlySet<unknown> = new Set(["deleted", "author"]);

/** The fields that tell whether a submission may be shown, as they are spelt; archives write flags as text, too. */
interface Marks {
  readonly removed_by_category?: unknown;
  readonly selftext?: unknown;
  readonly title?: unknown;
  readonly over_18?: unknown;
  readonly stickied?: unknown;
  readonly pinned?: unknown;
  readonly promoted?: unknown;
  readonly is_created_from_ads_ui?: unknown;
}

function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "True";
}

/**
 * Why a submission may not be shown, or null where it may. A missing author name is no reason: posts
 * of deleted accounts stay, those that never had a text included.
 */
export function removalOf(marks: Marks): Exclude<RemovalReason, "absent"> | null {
  const { removed_by_category: category, selftext, title } = marks;
  if (typeof category === "string" && category !== "") {
    return BY_AUTHOR.has(category) ? "deleted" : "removed";
  }
  const texts = [selftext, title].filter((text) => typeof text === "string");
  if (texts.some((text) => TAKEN_DOWN.test(text))) return "removed";
  if (texts.some((text) => TAKEN_BACK.test(text))) return "deleted";
  return isTrue(marks.over_18) ? "adult" : null;
}

/** Why a submission is left out for what it is marked as, or null. */
export function leftOutFor(marks: Marks): MarkedOut | null {
  if (isTrue(marks.promoted) || isTrue(marks.is_created_from_ads_ui)) return "promoted";
  const removal = removalOf(marks);
  if (removal !== null) return removal === "adult" ? "adult" : "removed";
  return isTrue(marks.stickied) || isTrue(marks.pinned) ? "pinned" : null;
}

const ID = /^[0-9a-z]{1,13}$/;

/** The id of a submission, in base 36, without its kind's prefix; null for a text that is none. */
export function submissionId(text: string): string | null {
  const id = text.startsWith("t3_") ? text.slice(3) : text;
  return ID.test(id) ? id : null;
}

/** Names of communities, of people's own pages ("u_some-name"), and the oldest one's ("reddit.com"). */
export function isCommunity(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,23}$/.test(name);
}

/** Longest texts kept, in UTF-16 code units; the site's own limits are 300, 40,000 and 20. */
const MAX_TITLE = 1_000;
const MAX_BODY = 40_000;
const MAX_AUTHOR = 100;

/** Text as databases take it: without NUL and without half a surrogate pair. */
function cleaned(text: string | null | undefined, max: number): string {
  const whole = (text ?? "").replaceAll("\0", "");
  const kept = cutText(whole, max).toWellFormed();
  // What is cut is copied: an engine's slice keeps all of the text in memory that it is a part of.
  return kept.length === whole.length ? kept : Buffer.from(kept, "utf16le").toString("utf16le");
}

/** An author's name; null where a mark stands in its place, or nothing. */
function authorName(text: string): string | null {
  const name = text.trim();
  return name === "" || TAKEN_DOWN.test(name) || TAKEN_BACK.test(name) ? null : name;
}

/**
 * The most votes or comments that a post is given: more than any has, and far enough from the largest integer of a
 * column that the database can add to it. A larger number would fail the whole batch of its post.
 */
const MAX_COUNT = 1_000_000_000;

/** A number of votes or comments: whole, and from 0, below which the site shows no post's. */
function countFrom(value: number | null | undefined): number {
  return Math.min(Math.max(Math.trunc(value ?? 0), 0), MAX_COUNT);
}

/** Text and counts as a source spells them; texts are decoded. */
interface SpeltContent {
  readonly title?: string | null | undefined;
  readonly selftext?: string | null | undefined;
  readonly author?: string | null | undefined;
  readonly score?: number | null | undefined;
  /** Stands in where there is no `score`. */
  readonly ups?: number | null | undefined;
  readonly num_comments?: number | null | undefined;
}

type Content = Pick<Post, "title" | "body" | "author" | "upvotes" | "comments">;

/** What a submission says and counts, as it is kept: within bounds, and storable. */
export function contentOf(
  { title, selftext, author, score, ups, num_comments }: SpeltContent,
): Content {
  return {
    title: cleaned(title, MAX_TITLE),
    body: cleaned(selftext, MAX_BODY),
    author: authorName(cleaned(author, MAX_AUTHOR)),
    upvotes: countFrom(score ?? ups),
    comments: countFrom(num_comments),
  };
}

/** When a submission was written, never after `now`: the site's clock may run ahead of ours. */
export function timeFrom(seconds: number, now: Date): Date {
  return new Date(Math.min(Math.round(seconds * 1000), now.getTime()));
}

const MAX_PERMALINK = 600;
const SITE_HOST = /^(?:[a-z0-9-]+\.)?reddit\.com$/;
const POST_PATH = /^(?:\/(?:r|user|u)\/[^/]+)?\/comments\/([0-9a-z]+)(?:\/|$)/i;

/**
 * The post's public address, from the path or address that a source gives; one that leads elsewhere, or to another
 * post, is replaced by the one that the id gives: a quote must not lead to another's.
 */
export function permalinkFrom(given: unknown, id: string): string {
  const byId = `${PUBLIC_SITE}/comments/${id}`;
  if (typeof given !== "string" || given.length > MAX_PERMALINK) return byId;
  if (!/^(?:\/|https?:\/\/)/i.test(given) || !URL.canParse(given, PUBLIC_SITE)) return byId;
  const { hostname, username, password, pathname } = new URL(given, PUBLIC_SITE);
  if (!SITE_HOST.test(hostname) || username !== "" || password !== "") return byId;
  const isOwn = POST_PATH.exec(pathname)?.[1]?.toLowerCase() === id;
  return isOwn ? PUBLIC_SITE + pathname : byId;
}
