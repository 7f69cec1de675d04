/** What archives and the site's answers say alike is read alike. */
import { assert, assertEquals } from "@std/assert";
import { readLine } from "../../../mining/sources/archive/record.ts";
import { postOf, submissionOf } from "../../../mining/sources/reddit/post.ts";
import type { Post } from "../../../mining/types.ts";

const NOW = new Date("2026-11-20T12:00:00.000Z");

interface Read {
  readonly archive: Post | string;
  readonly live: Post | string;
}

/** One submission, read from an archive's line and from a listing's child. */
function readBoth(fields: Readonly<Record<string, unknown>>): Read {
  const data = {
    id: "1kettle",
    subreddit: "tea",
    title: "My kettle leaks at the seam",
    selftext: "Third one this year.",
    author: "teapot_tom",
    created_utc: 1_700_000_000,
    score: 12,
    num_comments: 3,
    permalink: "/r/tea/comments/1kettle/my_kettle_leaks_at_the_seam/",
    ...fields,
  };
  const line = readLine(JSON.stringify(data), 1, { now: () => NOW });
  const child = submissionOf({ kind: "t3", data });
  if (line === null || child === null) throw new Error("it is a submission");
  return {
    archive: line.kind === "post" ? line.post : line.kind === "skip" ? line.reason : line.why,
    live: postOf(child, { now: NOW, community: null, createdAt: null }),
  };
}

Deno.test("a submission is left out by the same marks in an archive as at the site", () => {
  for (
    const [gone, reason] of [
      [{ selftext: "[removed]" }, "removed"],
      [{ selftext: "[Removed]\n" }, "removed"],
      [{ selftext: "[ Removed by Reddit ]" }, "removed"],
      [{ selftext: "[removed by reddit]" }, "removed"],
      [{ title: "[ Removed by Reddit in response to a copyright notice. ]" }, "removed"],
      [{ title: "[removed]", selftext: "" }, "removed"],
      [{ removed_by_category: "moderator", selftext: "[deleted]" }, "removed"],
      [{ selftext: " [deleted]" }, "removed"],
      [{ selftext: "[ Deleted By User ]" }, "removed"],
      [{ title: "[deleted by user]", selftext: "" }, "removed"],
      [{ removed_by_category: "author" }, "removed"],
      [{ over_18: true }, "adult"],
      [{ over_18: true, selftext: "[removed]" }, "removed"],
      [{ stickied: true }, "pinned"],
      [{ pinned: true }, "pinned"],
      [{ promoted: true }, "promoted"],
      [{ is_created_from_ads_ui: true }, "promoted"],
    ] as const
  ) {
    assertEquals(readBoth(gone), { archive: reason, live: reason }, JSON.stringify(gone));
  }
  for (
    const standing of [
      { selftext: "I read [removed] everywhere" },
      { title: "Why [ Removed by Reddit ] appears?" },
      { removed_by_category: null },
      { removed_by_category: "" },
    ]
  ) {
    const { archive, live } = readBoth(standing);
    assertEquals(archive, live, JSON.stringify(standing));
  }
});

Deno.test("a text that begins like a removal and goes on with white space is read in linear time", () => {
  for (const begin of ["[removed by", "[deleted by"]) {
    // Quadratic time would be half an hour.
    const { archive } = readBoth({ selftext: `${begin}${" ".repeat(1_000_000)}x` });
    assert(typeof archive !== "string");
  }
});

Deno.test("a post that stands is the same from an archive as from the site", () => {
  const upvotes = (score: number): number => {
    const { archive, live } = readBoth({ score, num_comments: score });
    if (typeof archive === "string") throw new Error(archive);
    assertEquals(archive, live);
    assertEquals(archive.upvotes, archive.comments);
    return archive.upvotes;
  };
  assertEquals([12, 2.7, 0, -3, -3e9, 3e9].map(upvotes), [12, 2, 0, 0, 0, 1_000_000_000]);

  const authors = ["teapot_tom", "[deleted]", "[removed]", " ", null].map((author) => {
    const { archive, live } = readBoth({ author });
    if (typeof archive === "string") throw new Error(archive);
    assertEquals(archive, live);
    return archive.author;
  });
  assertEquals(authors, ["teapot_tom", null, null, null, null]);

  for (const subreddit of ["reddit.com", "u_some-name", "BuyItForLife"]) {
    const permalink = `/r/${subreddit}/comments/1kettle/x/`;
    const { archive, live } = readBoth({ subreddit, permalink });
    if (typeof archive === "string") throw new Error(archive);
    assertEquals(archive, live);
    assertEquals(archive.community, subreddit);
  }
  for (const subreddit of ["no spaces allowed", "../api/info", ".hidden", "n".repeat(40)]) {
    assertEquals(
      readBoth({ subreddit }),
      { archive: "subreddit: not the name of a community", live: "unreadable" },
      subreddit,
    );
  }
});

Deno.test("texts and times come out alike, within their bounds and as the database takes them", () => {
  for (
    const fields of [
      { title: "t".repeat(5_000), selftext: "x" + "\u{1f375}".repeat(30_000) },
      { title: "a\u0000b", selftext: "half \ud83d and \udc00", author: "x\ud83d" },
      { created_utc: 1_700_000_000.5 },
      { created_utc: NOW.getTime() / 1000 + 60 },
      { id: undefined, name: "t3_1kettle" },
      { score: undefined, ups: 9 },
    ]
  ) {
    const { archive, live } = readBoth(fields);
    assert(typeof archive !== "string" && archive.createdAt <= NOW);
    assertEquals(archive, live);
  }
});

Deno.test("a permalink that is another post's is replaced by the one that the id gives", () => {
  const linkOf = (permalink: string | null): string => {
    const { archive, live } = readBoth({ permalink });
    if (typeof archive === "string") throw new Error(archive);
    assertEquals(archive, live);
    return archive.permalink;
  };
  const byId = "https://www.reddit.com/comments/1kettle";
  assertEquals(linkOf(null), byId);
  for (
    const other of [
      "/r/tea/comments/aaa/",
      "/r/tea/comments/1kettle2/my_kettle/",
      "/r/tea/comments/aaa/comments/1kettle/",
      "/r/tea/comments/aaa/my_kettle/?to=/comments/1kettle/",
      "/r/tea/comments/1kettle/../aaa/",
      "/r/tea/",
    ]
  ) assertEquals(linkOf(other), byId, other);
  for (
    const own of [
      "/r/tea/comments/1kettle",
      "/r/tea/comments/1KETTLE/My_Kettle/",
      "/user/teapot_tom/comments/1kettle/my_kettle/",
    ]
  ) assertEquals(linkOf(own), `https://www.reddit.com${own}`, own);
  assertEquals(
    linkOf("http://old.reddit.com/r/tea/comments/1kettle/x/?utm=1#top"),
    "https://www.reddit.com/r/tea/comments/1kettle/x/",
  );
});
