/** One submission as the site describes it, and what it is to us: a post, or why not. */
import { z } from "zod";
import type { Post } from "../../types.ts";
import { authorName, countFrom, isCommunity, isPathOf, removalOf } from "../submission.ts";
import type { LeftOut, PostState } from "../types.ts";
import { REDDIT_PUBLIC_URL } from "./settings.ts";

const maybeText = z.string().nullish().catch(null);
const maybeNumber = z.number().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);

/** Everything may be missing or null: fields come and go with the years and the kind of post. */
const Fields = z.object({
  id: maybeText,
  name: maybeText,
  subreddit: maybeText,
  title: maybeText,
  selftext: maybeText,
  author: maybeText,
  created_utc: maybeNumber,
  score: maybeNumber,
  ups: maybeNumber,
  num_comments: maybeNumber,
  permalink: maybeText,
  over_18: flag,
  stickied: flag,
  pinned: flag,
  promoted: flag,
  is_created_from_ads_ui: flag,
  removed_by_category: maybeText,
});
export type Submission = z.infer<typeof Fields>;

const Thing = z.object({ kind: z.literal("t3"), data: Fields });

/** A listing's child as a submission; null for a comment, a community or no thing at all. */
export function submissionOf(child: unknown): Submission | null {
  const thing = Thing.safeParse(child);
  return thing.success ? thing.data.data : null;
}

const ID = /^[0-9a-z]{1,13}$/;

/** The id of a submission, without its kind's prefix; null if it is not of the site's form. */
export function submissionId(text: string): string | null {
  const id = text.startsWith("t3_") ? text.slice(3) : text;
  return ID.test(id) ? id : null;
}

/** The id a submission names itself by. */
export function idOf(data: Submission): string | null {
  return submissionId(data.id ?? data.name ?? "");
}

/** Databases take neither NUL nor half a surrogate pair. */
function clean(text: string | null | undefined): string {
  return (text ?? "").replaceAll("\u0000", "").toWellFormed();
}

/** When it was written, never after `now`: the site's clock may run ahead of ours. */
export function createdAt(data: Submission, now: Date): Date | null {
  const seconds = data.created_utc ?? 0;
  if (seconds <= 0) return null;
  return new Date(Math.min(Math.round(seconds * 1000), now.getTime()));
}

function permalinkOf(data: Submission, id: string, community: string): string {
  const path = data.permalink ?? "";
  const usual = /^\/(?:r|user|u)\/[^\s]*$/.test(path) && URL.canParse(path, REDDIT_PUBLIC_URL);
  const url = usual ? new URL(path, REDDIT_PUBLIC_URL) : null;
  if (url !== null && isPathOf(url.pathname, id)) return url.href;
  return `${REDDIT_PUBLIC_URL}/r/${community}/comments/${id}/`;
}

/** What a reader of listings knows beside the submission. */
export interface Around {
  readonly now: Date;
  /** The community asked for, where one was. */
  readonly community: string | null;
  /** Stands in where the submission names no time. */
  readonly createdAt: Date | null;
}

/**
 * The post a submission is, or why it is left out. A crosspost is a post of its own, without the
 * text of the one it repeats: that would outlive the removal of the original.
 */
export function postOf(data: Submission, around: Around): Post | LeftOut {
  const id = idOf(data);
  const community = data.subreddit ?? around.community;
  const time = createdAt(data, around.now) ?? around.createdAt;
  if (id === null || community === null || time === null) return "unreadable";
  if (!isCommunity(community)) return "unreadable";
  if (data.promoted || data.is_created_from_ads_ui) return "promoted";
  if (removalOf(data) !== null) return "removed";
  if (data.over_18) return "adult";
  if (data.stickied || data.pinned) return "pinned";
  return {
    id,
    community,
    title: clean(data.title),
    body: clean(data.selftext),
    author: authorName(clean(data.author)),
    createdAt: time,
    upvotes: countFrom(data.score ?? data.ups),
    comments: countFrom(data.num_comments),
    permalink: permalinkOf(data, id, community),
  };
}

/** What a submission that was read earlier is now. */
export function stateOf(data: Submission): PostState {
  const reason = removalOf(data);
  if (reason !== null) return { state: "removed", reason };
  if (data.over_18) return { state: "removed", reason: "adult" };
  return {
    state: "present",
    upvotes: countFrom(data.score ?? data.ups),
    comments: countFrom(data.num_comments),
    title: clean(data.title),
    body: clean(data.selftext),
    nameless: authorName(clean(data.author)) === null,
  };
}
