/** One submission as the site describes it, and what it is to us: a post, or why not. */
import { z } from "zod";
import type { Post } from "../../types.ts";
import {
  contentOf,
  isCommunity,
  leftOutFor,
  permalinkFrom,
  removalOf,
  submissionId,
  timeFrom,
} from "../submission.ts";
import type { LeftOut, PostState } from "../types.ts";

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

/** The id a submission names itself by. */
export function idOf(data: Submission): string | null {
  return submissionId(data.id ?? data.name ?? "");
}

/** When it was written; null where it does not say. */
export function createdAt(data: Submission, now: Date): Date | null {
  const seconds = data.created_utc ?? 0;
  return seconds > 0 ? timeFrom(seconds, now) : null;
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
  return leftOutFor(data) ?? {
    id,
    community,
    ...contentOf(data),
    createdAt: time,
    permalink: permalinkFrom(data.permalink, id),
  };
}

/** What a submission that was read earlier is now. */
export function stateOf(data: Submission): PostState {
  const reason = removalOf(data);
  if (reason !== null) return { state: "removed", reason };
  const { author, ...content } = contentOf(data);
  return { state: "present", ...content, nameless: author === null };
}
