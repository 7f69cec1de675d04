/** What a submission says of itself, the same in an archive as in an answer of the site. */
import type { RemovalReason } from "./types.ts";

/** What the site puts in place of a text: "[removed]", "[ Removed by Reddit … ]" and the like. */
const TAKEN_DOWN = /^\s*\[\s*removed(?:\s+by\b[^\]]*|\s*)\]\s*$/i;
const TAKEN_BACK = /^\s*\[\s*deleted(?:\s+by\b[^\]]*|\s*)\]\s*$/i;
/** Categories of removal that name the author; every other one names somebody else. */
const BY_AUTHOR: ReadonlySet<unknown> = new Set(["deleted", "author"]);

/** The fields that tell of a removal, as they are spelt. */
interface Marks {
  readonly removed_by_category?: unknown;
  readonly selftext?: unknown;
  readonly title?: unknown;
}

/**
 * Why a submission is gone, or null while it stands. A missing author name does not mean that:
 * posts of deleted accounts stay, those that never had a text included.
 */
export function removalOf(
  { removed_by_category: category, selftext, title }: Marks,
): Extract<RemovalReason, "deleted" | "removed"> | null {
  if (typeof category === "string" && category !== "") {
    return BY_AUTHOR.has(category) ? "deleted" : "removed";
  }
  const texts = [selftext, title].filter((text) => typeof text === "string");
  if (texts.some((text) => TAKEN_DOWN.test(text))) return "removed";
  return texts.some((text) => TAKEN_BACK.test(text)) ? "deleted" : null;
}

/** An author's name; null where a mark stands in its place, or nothing. */
export function authorName(text: string): string | null {
  const name = text.trim();
  return name === "" || TAKEN_DOWN.test(name) || TAKEN_BACK.test(name) ? null : name;
}

/** Names of communities, of people's own pages ("u_some-name"), and the oldest one's ("reddit.com"). */
export function isCommunity(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,23}$/.test(name);
}

const POST_PATH = /^(?:\/(?:r|user|u)\/[^/]+)?\/comments\/([0-9a-z]+)(?:\/|$)/i;

/** Whether a path at the site is this post's: a quote must not lead to another's. */
export function isPathOf(path: string, id: string): boolean {
  return POST_PATH.exec(path)?.[1]?.toLowerCase() === id;
}

/**
 * The most votes or comments that a post is given: more than any has, and far enough from the largest integer of a
 * column that the database can add to it. A larger number would fail the whole batch of its post.
 */
const MAX_COUNT = 1_000_000_000;

/** A number of votes or comments: whole, and from 0, below which the site shows no post's. */
export function countFrom(value: number | null | undefined): number {
  return Math.min(Math.max(Math.trunc(value ?? 0), 0), MAX_COUNT);
}
