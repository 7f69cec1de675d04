/** One line of an archive of submissions, made into a post, or into the reason why it is not one. */
import type { Clock } from "../../../core/clock.ts";
import type { Post } from "../../types.ts";
import {
  contentOf,
  isCommunity,
  leftOutFor,
  permalinkFrom,
  submissionId,
  timeFrom,
} from "../submission.ts";
import type { MarkedOut } from "../types.ts";

/** What a line holds; `line` counts from 1, blank lines included. */
export type ArchiveLine =
  | { readonly kind: "post"; readonly line: number; readonly post: Post }
  | {
    readonly kind: "skip";
    readonly line: number;
    readonly reason: MarkedOut;
  }
  | { readonly kind: "bad"; readonly line: number; readonly why: string };

type Fields = Readonly<Record<string, unknown>>;

/** The site opened in June 2005; a number past 2100 is milliseconds or noise. */
const FIRST_SECOND = Date.UTC(2005, 5, 1) / 1000;
const LAST_SECOND = Date.UTC(2100, 0, 1) / 1000;
/** Clocks differ; more than this ahead of ours is a wrong time, and would make every age negative. */
const AHEAD_MS = 3_600_000;

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** The text with the three entities that archives escape decoded once. */
function decoded(text: string): string {
  return text.includes("&")
    ? text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity)
    : text;
}

/** A number, or the number a string spells; null for anything else. */
function numeric(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || !/^-?\d{1,20}(?:\.\d{1,20})?$/.test(value)) return null;
  return Number(value);
}

/** A text that may be left out; null for a value that is none, of which nothing would be kept. */
function textOf(value: unknown): string | null {
  return value === undefined || value === null ? "" : typeof value === "string" ? value : null;
}

type Read = Post | { readonly skip: MarkedOut } | { readonly bad: string };

/** The post, the reason to leave it out, or what is wrong with it (a field's name first). */
function read(fields: Fields, clock: Clock): Read {
  const rawId = fields.id ?? fields.name;
  if (rawId === undefined || rawId === null || rawId === "") return { bad: "id: missing" };
  const id = typeof rawId === "string" ? submissionId(rawId.toLowerCase()) : null;
  if (id === null) return { bad: "id: not the id of a post" };
  const skip = leftOutFor(fields);
  if (skip !== null) return { skip };

  const subreddit = textOf(fields.subreddit);
  if (subreddit === null) return { bad: "subreddit: not a string" };
  if (subreddit === "") return { bad: "subreddit: missing" };
  const community = subreddit.replace(/^\/?r\//, "");
  if (!isCommunity(community)) return { bad: "subreddit: not the name of a community" };
  const title = textOf(fields.title);
  if (title === null) return { bad: "title: not a string" };
  const selftext = textOf(fields.selftext);
  if (selftext === null) return { bad: "selftext: not a string" };
  const content = contentOf({
    title: decoded(title),
    selftext: decoded(selftext),
    author: decoded(textOf(fields.author) ?? ""),
    score: numeric(fields.score ?? fields.ups),
    num_comments: numeric(fields.num_comments),
  });
  if (content.title.trim() === "") return { bad: "title: missing" };
  const time = fields.created_utc;
  if (time === undefined || time === null) return { bad: "created_utc: missing" };
  const seconds = numeric(time);
  if (seconds === null || seconds < FIRST_SECOND || seconds > LAST_SECOND) {
    return { bad: "created_utc: not a time in seconds since 1970" };
  }
  const now = clock.now();
  if (seconds * 1000 > now.getTime() + AHEAD_MS) return { bad: "created_utc: lies in the future" };
  return {
    id,
    community,
    ...content,
    createdAt: timeFrom(seconds, now),
    permalink: permalinkFrom(fields.permalink, id),
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
