/** A page of a listing: what it holds, and where the next one begins. */
import { z } from "zod";
import type { Post } from "../../types.ts";
import { LEFT_OUT, type LeftOut } from "../types.ts";
import { type Around, createdAt, postOf, type Submission, submissionOf } from "./post.ts";

const Body = z.object({
  kind: z.literal("Listing"),
  data: z.object({
    after: z.string().nullish(),
    children: z.array(z.unknown()),
  }),
});

export interface Listing {
  /** Submissions in the site's order; null for a child that is not one. */
  readonly children: readonly (Submission | null)[];
  /** The fullname after which the next page begins; null on the last page. */
  readonly after: string | null;
}

/** Reads the parsed body of a listing. @throws ZodError if it is not one. */
export function readListing(body: unknown): Listing {
  const { data } = Body.parse(body);
  const after = data.after === "" ? null : data.after ?? null;
  return { children: data.children.map(submissionOf), after };
}

type LeftOutCounts = Readonly<Record<LeftOut, number>>;

interface ListingReading {
  readonly posts: readonly Post[];
  readonly leftOut: LeftOutCounts;
  /** The time of the last child that names one, posts left out included. */
  readonly lastAt: Date | null;
}

/**
 * The posts of a listing in its order. `ordered` says that it is sorted by time: a submission
 * without one then takes that of the one before it, or `now` if it is the first.
 */
export function readListingPosts(
  listing: Listing,
  around: Pick<Around, "now" | "community">,
  ordered: boolean,
): ListingReading {
  const posts: Post[] = [];
  const leftOut = Object.fromEntries(LEFT_OUT.map((why) => [why, 0])) as Record<LeftOut, number>;
  let lastAt: Date | null = null;
  for (const child of listing.children) {
    if (child === null) {
      leftOut.unreadable++;
      continue;
    }
    const before = ordered ? lastAt ?? around.now : null;
    const post = postOf(child, { ...around, createdAt: before });
    if (typeof post === "string") leftOut[post]++;
    else posts.push(post);
    lastAt = createdAt(child, around.now) ?? lastAt;
  }
  return { posts, leftOut, lastAt };
}
