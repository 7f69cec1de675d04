import { assert, assertEquals, assertRejects } from "@std/assert";
import { SourceError } from "../../../mining/sources/errors.ts";
import { RedditDouble } from "../../doubles/reddit.ts";
import { clientOf, posts, readAll } from "../../doubles/reddit_client.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";

const start = (time: JumpingTime, count = 0, options = {}): Promise<RedditDouble> =>
  RedditDouble.start({
    now: () => time.ms,
    posts: posts("camping", count, time.ms - 60_000),
    ...options,
  });

Deno.test("new posts come newest first, a hundred a page, each once, as they were written", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 250);
  double.store.add([{
    id: "odd",
    subreddit: "Camping",
    title: "A & B <or> C",
    selftext: "5 > 4 && \u2028 \u0000 end \ud83d",
    author: "Some_One",
    created_utc: time.ms / 1000 - 1,
    score: -3,
    num_comments: 12,
  }]);
  const { source } = clientOf(double, time);
  const { pages, posts: read, last } = await readAll(source, "camping");
  assertEquals(pages.map((page) => page.posts.length), [100, 100, 51]);
  assertEquals(pages.map((page) => page.end), [null, null, "exhausted"]);
  assertEquals(last.missed, false);
  assertEquals(new Set(read.map((post) => post.id)).size, 251);
  assertEquals(read[0], {
    id: "odd",
    community: "Camping",
    title: "A & B <or> C",
    body: "5 > 4 && \u2028  end \ufffd",
    author: "Some_One",
    createdAt: new Date(time.ms - 1000),
    upvotes: 0,
    comments: 12,
    permalink: "https://www.reddit.com/r/Camping/comments/odd/a_post/",
  });
  assert(read.every((post, i) => i === 0 || post.createdAt <= (read[i - 1]?.createdAt ?? 0)));
  const calls = double.callsTo("/r/camping/new");
  assertEquals(calls.length, 3);
  assert(calls.every((call) => call.params.limit === "100" && call.params.raw_json === "1"));
  assert(calls.every((call) => call.userAgent === "test:org.example.demand:v0.1 (by /u/tester)"));
});

Deno.test("a second reading stops at the mark, and hands over what is new and what is as old as it", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 450);
  const { source } = clientOf(double, time);
  const first = (await readAll(source, "camping")).posts;
  const mark = first[0]?.createdAt ?? new Date(0);
  time.advance(1_800_000);
  double.store.add(posts("camping", 7, time.ms, "n"));
  const before = double.callsTo("/r/camping/new").length;
  const { posts: read, last } = await readAll(source, "camping", mark);
  const fresh = ["n6", "n5", "n4", "n3", "n2", "n1", "n0"];
  assertEquals(read.map((post) => post.id), [...fresh, first[0]?.id]);
  assertEquals([last.end, last.missed], ["mark", false]);
  assertEquals(double.callsTo("/r/camping/new").length - before, 1);
});

Deno.test("the mark holds where its post was deleted since", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 450);
  const { source } = clientOf(double, time);
  const createdAt = new Date(time.ms - 60_000);
  double.store.delete("pch");
  double.store.forget("pcg");
  time.advance(1_800_000);
  double.store.add(posts("camping", 3, time.ms, "n"));
  const { posts: read, pages, last } = await readAll(source, "camping", createdAt);
  assertEquals(read.map((post) => post.id), ["n2", "n1", "n0"]);
  assertEquals([pages.length, last.end], [1, "mark"]);
});

Deno.test("posts of the same second as the mark are handed over again rather than lost", async () => {
  const time = new JumpingTime();
  const at = Math.floor(time.ms / 1000) - 100;
  const same = ["a", "b", "c"].map((id) => ({ id, subreddit: "x1", title: id, created_utc: at }));
  await using double = await start(time);
  double.store.add([...same, { id: "0", subreddit: "x1", title: "old", created_utc: at - 1 }]);
  const { source } = clientOf(double, time);
  const { posts: read } = await readAll(source, "x1", new Date(at * 1000));
  assertEquals(read.map((post) => post.id).sort(), ["a", "b", "c"]);
});

Deno.test("a reading says when the site's limit came before the mark", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 1300);
  const { source } = clientOf(double, time);
  const old = new Date(time.ms - 1300 * 60_000);
  const { posts: read, pages, last } = await readAll(source, "camping", old);
  assertEquals([read.length, pages.length], [1000, 10]);
  assertEquals([last.end, last.missed], ["limit", true]);
  const fresh = await readAll(source, "camping");
  assertEquals([fresh.last.end, fresh.last.missed], ["limit", false]);
});

Deno.test("a listing with gaps where posts were removed is still known to be cut off", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 1300);
  for (let i = 400; i < 1300; i += 3) double.store.remove(`p${i.toString(36)}`);
  const { source } = clientOf(double, time);
  const old = new Date(time.ms - 1300 * 60_000);
  const { posts: read, last } = await readAll(source, "camping", old);
  assertEquals(read.length, 700);
  assertEquals([last.end, last.missed], ["limit", true]);
});

Deno.test("removed, adult, pinned and promoted posts are left out and counted", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 9);
  double.store.edit("p0", { over_18: true });
  double.store.add([
    { ...posts("camping", 1, time.ms, "s")[0], id: "s0", subreddit: "camping", stickied: true },
    { ...posts("camping", 1, time.ms, "a")[0], id: "a0", subreddit: "camping", promoted: true },
    { id: "gone", subreddit: "camping", title: "t", selftext: "[removed]", created_utc: 5 },
  ]);
  const { source } = clientOf(double, time);
  const { posts: read, last } = await readAll(source, "camping");
  assertEquals(read.length, 8);
  assertEquals(last.leftOut, { removed: 1, adult: 1, pinned: 1, promoted: 1, unreadable: 0 });
});

Deno.test("an empty community is an empty page, not a failure", async () => {
  const time = new JumpingTime();
  await using double = await start(time);
  double.store.open("quiet");
  const { source } = clientOf(double, time);
  const { posts: read, last } = await readAll(source, "quiet");
  assertEquals([read.length, last.end], [0, "exhausted"]);
});

Deno.test("a listing whose `after` points back is read on from its last post", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 350);
  const { source } = clientOf(double, time);
  // Pages of 349-250 and 249-150; the second claims that the third begins where it began itself.
  const anchor = `t3_p${(250).toString(36)}`;
  double.fail("/r/camping/new", { kind: "after", after: anchor }, 2);
  const { posts: read, last } = await readAll(source, "camping");
  assertEquals(read.length, new Set(read.map((post) => post.id)).size, "nothing twice");
  assertEquals([read.length, last.end], [350, "exhausted"]);
});

Deno.test("a listing that begins again once is asked once more; one that keeps at it fails", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 350);
  const { source } = clientOf(double, time);
  double.fail("/r/camping/new", { kind: "restart" }, 2);
  const healed = await readAll(source, "camping");
  assertEquals(new Set(healed.posts.map((post) => post.id)).size, 350);
  assertEquals(healed.posts.length, 350);
  double.fail("/r/camping/new", { kind: "restart" }, 1000);
  const error = await assertRejects(() => readAll(source, "camping"), SourceError, "circle");
  assertEquals(error.kind, "malformed");
  assert(double.callsTo().length < 12, "the circle is left after a few requests");
});

Deno.test("posts with null and missing fields are read as far as they go", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 2);
  const blank = (id: string, raw: Record<string, unknown>) => ({
    id,
    subreddit: "camping",
    title: "kept",
    created_utc: time.ms / 1000 - 30,
    raw,
  });
  double.store.add([
    blank("n1", { selftext: null, author: null, score: null, num_comments: null, over_18: null }),
    blank("n2", { title: null, permalink: null, subreddit: null, ups: "many", stickied: "no" }),
    blank("n3", { id: undefined, created_utc: null, created: null }),
    blank("n4", { id: null, name: null }),
    blank("n5", { subreddit: undefined, score: undefined, author: 7, name: undefined }),
  ]);
  const { source } = clientOf(double, time);
  const { posts: read, last } = await readAll(source, "camping");
  const byId = new Map(read.map((post) => [post.id, post]));
  assertEquals([...byId.keys()].sort(), ["n1", "n2", "n3", "n5", "p0", "p1"]);
  assertEquals(last.leftOut.unreadable, 1);
  assertEquals(byId.get("n1")?.body, "");
  assertEquals(byId.get("n1")?.author, null);
  assertEquals(byId.get("n2")?.community, "camping");
  assertEquals(byId.get("n2")?.permalink, "https://www.reddit.com/comments/n2");
  assertEquals(byId.get("n3")?.createdAt, new Date(time.ms - 30_000), "that of its neighbour");
});

Deno.test("children that are no posts are passed over", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 1);
  const children = [null, 7, { kind: "t1", data: { id: "c" } }, { kind: "t3" }, { kind: "more" }];
  double.fail("/r/camping/new", {
    kind: "body",
    body: { kind: "Listing", data: { after: null, children } },
  });
  const { source } = clientOf(double, time);
  const { posts: read, last } = await readAll(source, "camping");
  assertEquals([read.length, last.leftOut.unreadable], [0, 5]);
});

Deno.test("posts of 40,000 characters arrive whole", async () => {
  const time = new JumpingTime();
  await using double = await start(time);
  const body = "Große Wörter 😀 ".repeat(2667).slice(0, 40_000);
  double.store.add(posts("long", 100, time.ms).map((post) => ({ ...post, selftext: body })));
  const { source } = clientOf(double, time);
  const { posts: read } = await readAll(source, "long");
  assertEquals(read.length, 100);
  assert(read.every((post) => post.body === body.toWellFormed()));
});

Deno.test("a site whose clock runs ahead loses no post and dates none in the future", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 3);
  const ahead = { subreddit: "camping", title: "ahead", created_utc: time.ms / 1000 + 3600 };
  double.store.add([{ id: "f1", ...ahead }]);
  const { source } = clientOf(double, time);
  const first = (await readAll(source, "camping")).posts;
  assertEquals(first[0]?.createdAt, time.now());
  const mark = first[0]?.createdAt ?? new Date(0);
  time.advance(1_800_000);
  double.store.add(posts("camping", 2, time.ms, "n"));
  const second = (await readAll(source, "camping", mark)).posts;
  assertEquals(second.map((post) => post.id), ["f1", "n1", "n0"]);
  assert(second.every(({ createdAt }) => createdAt <= time.now()));
});

Deno.test("a crosspost is a post of its own, without the original's text", async () => {
  const time = new JumpingTime();
  await using double = await start(time, 1);
  const created_utc = time.ms / 1000 - 5;
  double.store.add([{
    id: "x1",
    subreddit: "hiking",
    title: "Post number 0",
    created_utc,
    crosspost_parent: "t3_p0",
    raw: { crosspost_parent_list: [{ id: "p0", selftext: "The text of post 0 in camping." }] },
  }]);
  const { source } = clientOf(double, time);
  const [original, cross] = [await readAll(source, "camping"), await readAll(source, "hiking")];
  assertEquals(original.posts.map((post) => post.id), ["p0"]);
  assertEquals(cross.posts.map((post) => [post.id, post.community, post.body]), [
    ["x1", "hiking", ""],
  ]);
});

Deno.test("a name that no community can have is never sent", async () => {
  const time = new JumpingTime();
  await using double = await start(time);
  const { source } = clientOf(double, time);
  for (const name of ["", "a b", "../api/info", "x?y", "n".repeat(40)]) {
    const error = await assertRejects(() => readAll(source, name), SourceError);
    assertEquals(error.kind, "not_found");
  }
  assertEquals(double.calls.length, 0);
});
