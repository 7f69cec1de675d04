/** Who made what a card is about, by the posts in which its authors show it. */
import type { ShownPost } from "../../db/corpus/showings.ts";
import { asEvidence } from "./evidence.ts";
import type { Makers } from "./types.ts";

const EVIDENCE = 3;

/** The makers among the authors of these posts, the newest post first; null if there is none. */
export function makersOf(posts: readonly ShownPost[]): Makers | null {
  const ofEach = [
    ...new Map(posts.toReversed().map((post) => [post.authorKey, post])).values(),
  ].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.postId < b.postId ? -1 : 1));
  const [newest] = ofEach;
  if (newest === undefined) return null;
  const quoted = ofEach.slice(0, EVIDENCE);
  return {
    makers: ofEach.length,
    newest: newest.createdAt.toISOString(),
    evidence: quoted.map(asEvidence),
    postIds: quoted.map(({ postId }) => postId),
  };
}
