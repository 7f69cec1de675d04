import { assert, assertEquals } from "@std/assert";
import { type ArchiveLine, readLine } from "../../../mining/sources/archive/record.ts";
import { CLOCK, submission } from "./archive_support.ts";

function read(fields: Record<string, unknown>): ArchiveLine {
  const line = readLine(submission(fields), 7, CLOCK);
  assert(line !== null);
  return line;
}

function post(fields: Record<string, unknown> = {}) {
  const line = read(fields);
  assert(line.kind === "post", JSON.stringify(line));
  return line.post;
}

function why(fields: Record<string, unknown>): string {
  const line = read(fields);
  return line.kind === "bad" ? line.why : line.kind;
}

Deno.test("a submission becomes a post with an absolute permalink", () => {
  assertEquals(read({}), {
    kind: "post",
    line: 7,
    post: {
      id: "1kettle",
      community: "tea",
      title: "My kettle leaks at the seam",
      body: "Third one this year. I would pay more for one that lasts.",
      author: "teapot_tom",
      createdAt: new Date("2023-11-14T22:13:20.000Z"),
      upvotes: 12,
      comments: 3,
      permalink: "https://www.reddit.com/r/tea/comments/1kettle/my_kettle_leaks_at_the_seam/",
    },
  });
});

Deno.test("fields that archives leave out get their plain defaults", () => {
  const bare = post({
    selftext: undefined,
    author: undefined,
    score: undefined,
    num_comments: null,
    permalink: undefined,
    over_18: undefined,
  });
  assertEquals(post({ selftext: null }).body, "");
  assertEquals([bare.body, bare.author, bare.upvotes, bare.comments], ["", null, 0, 0]);
  assertEquals(bare.permalink, "https://www.reddit.com/comments/1kettle");
  assertEquals(post({ score: undefined, ups: 9 }).upvotes, 9);
  assertEquals(post({ score: "41" }).upvotes, 41);
  assertEquals(post({ score: -3 }).upvotes, 0);
  assertEquals(post({ score: 1e300 }).upvotes, 1_000_000_000);
  assertEquals(post({ author: "[deleted]" }).author, null);
  const odd = post({ author: 3, score: "many", num_comments: {}, permalink: false });
  assertEquals([odd.author, odd.upvotes, odd.comments, odd.permalink], [
    null,
    0,
    0,
    "https://www.reddit.com/comments/1kettle",
  ]);
  assertEquals(post({ id: "t3_1KETTLE" }).id, "1kettle");
  assertEquals(post({ id: undefined, name: "t3_1kettle" }).id, "1kettle");
  assertEquals(post({ subreddit: "r/tea" }).community, "tea");
});

Deno.test("a time is read as a number or as text, and an absurd one is bad", () => {
  assertEquals(post({ created_utc: "1700000000" }).createdAt.getTime(), 1_700_000_000_000);
  assertEquals(post({ created_utc: 1700000000.5 }).createdAt.getTime(), 1_700_000_000_500);
  assertEquals(why({ created_utc: undefined }), "created_utc: missing");
  for (const absurd of [1_700_000_000_000, -1, 0, "soon", "", "1e9", [], true]) {
    assertEquals(why({ created_utc: absurd }), "created_utc: not a time in seconds since 1970");
  }
  const hence = CLOCK.now().getTime() / 1000 + 3_600;
  assertEquals(why({ created_utc: hence }), "post");
  assertEquals(why({ created_utc: hence + 1 }), "created_utc: lies in the future");
});

Deno.test("a permalink that leads off the site is replaced by the one the id gives", () => {
  const byId = "https://www.reddit.com/comments/1kettle";
  for (
    const evil of [
      "//evil.example/r/tea",
      "/\\evil.example/r/tea",
      "https://evil.example/r/tea/comments/1kettle/",
      "https://reddit.com.evil.example/r/tea",
      "https://www.reddit.com@evil.example/",
      "https://user:pw@www.reddit.com/r/tea",
      "javascript:alert(1)",
      "ftp://www.reddit.com/r/tea",
      "http://[",
      "/" + "a".repeat(700),
      "",
      5,
    ]
  ) {
    assertEquals(post({ permalink: evil }).permalink, byId, String(evil));
  }
  assertEquals(
    post({ permalink: "http://old.reddit.com/r/tea/comments/1kettle/x/?utm=1#top" }).permalink,
    "https://www.reddit.com/r/tea/comments/1kettle/x/",
  );
  assertEquals(
    post({ permalink: "/r/tea/comments/1kettle/thé \n\u001b[2J/" }).permalink,
    "https://www.reddit.com/r/tea/comments/1kettle/th%C3%A9%20%1B[2J/",
  );
});

Deno.test("the three entities are decoded once, and others are left alone", () => {
  const { title, body } = post({
    title: "Pots &amp; pans &lt;3 &quot;new&quot;",
    selftext: "&amp;lt; stays an escaped sign &gt;",
  });
  assertEquals(title, "Pots & pans <3 &quot;new&quot;");
  assertEquals(body, "&lt; stays an escaped sign >");
});

Deno.test("text comes out as the database takes it: no NUL, no lone surrogate", () => {
  const { title, body, author } = post({
    title: "a\u0000b",
    selftext: "half \ud83d and \udc00, whole \u{1f375}",
    author: "x\ud83d",
  });
  assertEquals(title, "ab");
  assertEquals(body, "half \ufffd and \ufffd, whole \u{1f375}");
  assertEquals(author, "x\ufffd");
});

Deno.test("long texts are cut, never inside a character", () => {
  const { title, body } = post({
    title: "t".repeat(5_000),
    selftext: "x" + "\u{1f375}".repeat(30_000),
  });
  assertEquals(title.length, 1_000);
  assertEquals(body.length, 39_999);
  assert(body.isWellFormed());
  assertEquals(post({ selftext: "y".repeat(40_000) }).body.length, 40_000);
});

Deno.test("removed and adult posts are left out with their reason", () => {
  const reason = (fields: Record<string, unknown>): string => {
    const line = read(fields);
    return line.kind === "skip" ? line.reason : line.kind;
  };
  assertEquals(reason({ selftext: "[deleted]" }), "removed");
  assertEquals(reason({ selftext: " [deleted]\n" }), "removed");
  assertEquals(reason({ title: "[deleted by user]", selftext: "" }), "removed");
  assertEquals(reason({ removed_by_category: "deleted" }), "removed");
  assertEquals(reason({ selftext: "[removed]" }), "removed");
  assertEquals(reason({ selftext: "", removed_by_category: "moderator" }), "removed");
  assertEquals(reason({ over_18: true }), "adult");
  assertEquals(reason({ over_18: "true" }), "adult");
  assertEquals(reason({ removed_by_category: null, over_18: false }), "post");
  assertEquals(reason({ selftext: "I read [removed] everywhere" }), "post");
  assertEquals(
    reason({ selftext: "[removed]", title: undefined, subreddit: undefined }),
    "removed",
  );
});

Deno.test("what is wrong with a line names the field, and quotes nothing of it", () => {
  assertEquals(why({ id: undefined }), "id: missing");
  assertEquals(why({ id: "a'; drop" }), "id: not the id of a post");
  assertEquals(why({ id: 17 }), "id: not the id of a post");
  assertEquals(why({ subreddit: undefined }), "subreddit: missing");
  assertEquals(why({ subreddit: 3 }), "subreddit: not a string");
  assertEquals(why({ subreddit: "no spaces allowed" }), "subreddit: not the name of a community");
  assertEquals(why({ title: undefined }), "title: missing");
  assertEquals(why({ title: " \u0000 " }), "title: missing");
  assertEquals(why({ title: ["a kettle"] }), "title: not a string");
  for (const selftext of [3, false, ["My third one leaks."], {}]) {
    assertEquals(why({ selftext }), "selftext: not a string");
  }
  const bad = (text: string) => {
    const line = readLine(text, 1, CLOCK);
    return line?.kind === "bad" ? line.why : line?.kind ?? "nothing";
  };
  assertEquals(bad("\u001b[2Jnot json"), "not JSON");
  assertEquals(bad("[".repeat(500_000)), "not JSON");
  for (const other of ["[]", "null", "5", '"text"']) assertEquals(bad(other), "not a JSON object");
  for (const blank of ["", "\r", " \t", "\ufeff"]) assertEquals(bad(blank), "nothing");
});
