/** What is kept of an author's name. */
import { assertEquals } from "@std/assert";
import { authorHash, pseudonymous } from "../../../mining/authors.ts";
import { demoPosts } from "../../../mining/demo/mod.ts";

const KEY = "00".repeat(32);

Deno.test("an author's hash is the one that is stored already, however the name is cased", () => {
  assertEquals(authorHash("Ann", KEY), "1e9ea7013b2e8d6fe7d56ec90b2e7e66");
  assertEquals(authorHash("aNN", KEY), authorHash("Ann", KEY));
});

Deno.test("a post that is read names nobody, and an unknown author stays unknown", () => {
  const [post] = demoPosts(new Date("2026-11-20T12:00:00Z"));
  if (post === undefined) throw new Error("the demonstration has posts");
  const { author: _, ...rest } = post;
  assertEquals(pseudonymous({ ...post, author: "Ann" }, KEY), {
    ...rest,
    authorHash: authorHash("ann", KEY),
  });
  assertEquals(pseudonymous({ ...post, author: null }, KEY), { ...rest, authorHash: null });
});
