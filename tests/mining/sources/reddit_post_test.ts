import { assertEquals } from "@std/assert";
import { postOf, stateOf, submissionOf } from "../../../mining/sources/reddit/post.ts";

const NOW = new Date("2026-11-20T12:00:00.000Z");

Deno.test("counts that no post has are the most that we give one", () => {
  const data = submissionOf({
    kind: "t3",
    data: { id: "p1", subreddit: "camping", created_utc: 1, score: 3e9, num_comments: 1e300 },
  });
  if (data === null) throw new Error("it is a submission");
  const post = postOf(data, { now: NOW, community: null, createdAt: null });
  if (typeof post === "string") throw new Error(post);
  assertEquals([post.upvotes, post.comments], [1e9, 1e9]);
  const state = stateOf({ ...data, score: -3e9, num_comments: 2.7 });
  if (state.state !== "present") throw new Error("it stands");
  assertEquals([state.upvotes, state.comments], [0, 2]);
});
