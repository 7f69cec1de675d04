import { assertEquals, assertRejects } from "@std/assert";
import { pseudonymous } from "../../../mining/authors.ts";
import { demoPosts, demoRegistry } from "../../../mining/demo/mod.ts";
import { type JudgeContext, readPost } from "../../../mining/judge.ts";
import { judgeInThreads } from "../../../mining/judging/threads.ts";

const CONTEXT: JudgeContext = {
  registry: demoRegistry(),
  origin: "archive",
  checkedAt: null,
};
const POSTS = demoPosts(new Date("2026-11-20T12:00:00Z"))
  .map((post) => pseudonymous(post, "00".repeat(32)));

Deno.test("threads find what one thread finds, in the order of the posts", async () => {
  const threads = judgeInThreads(CONTEXT, 3);
  try {
    const calls = [POSTS, POSTS.slice(0, 1), [], POSTS.toReversed()];
    const found = await Promise.all(calls.map((posts) => threads.judge(posts)));
    const wanted = calls.map((posts) =>
      posts.map((post) => readPost(post, CONTEXT)).filter(({ judged, shown }) => judged ?? shown)
    );
    assertEquals(found, wanted);
  } finally {
    threads.close();
  }
});

Deno.test("a post that cannot be judged rejects its call and every later one", async () => {
  const threads = judgeInThreads(CONTEXT, 2);
  try {
    const broken = POSTS.map((post) => ({ ...post, createdAt: new Date(NaN) }));
    await assertRejects(() => threads.judge(broken), RangeError);
    await assertRejects(() => threads.judge(POSTS), RangeError);
  } finally {
    threads.close();
  }
});
