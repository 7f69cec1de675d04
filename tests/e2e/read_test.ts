/** `demand read`: posts to readings, without a database. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { submission, writeArchive } from "../support/archive.ts";
import { temporaryDirectory } from "../support/database.ts";
import { run } from "../support/program.ts";

const POSTS = [
  submission(1, {
    title: "Looking for a quiet mechanical keyboard under $100",
    selftext: "My old Razer Blackwidow died. It has to work with Linux. Any recommendations?",
  }),
  submission(2, { title: "Look at this sunset", selftext: "I took it yesterday." }),
];

Deno.test("posts are read line by line, and bad lines are told as import tells them", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "posts.ndjson");
  const lines = POSTS.map((post) => `${JSON.stringify(post)}\n`);
  const ahead = submission(3, { created_utc: Math.floor(Date.now() / 1000) + 7_200 });
  writeArchive(file, `${lines.join("")}{"a": 1}\n${JSON.stringify(ahead)}\n`);
  const { code, stdout, stderr } = await run(["read", file], {});
  assertEquals(code, 0, stderr);
  const [first, second, ...more] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(Object.keys(first), [
    "id",
    "demand",
    "pattern",
    "product",
    "head",
    "product_span",
    "facts",
  ]);
  assertEquals([first.id, first.demand, first.head], [POSTS[0]!.id, 1, "keyboard"]);
  for (const fact of first.facts) {
    assertEquals(Object.keys(fact), ["type", "span", "value"]);
    assert(`${POSTS[0]!.title}\n${POSTS[0]!.selftext}`.includes(fact.span));
  }
  assertEquals(second, { id: POSTS[1]!.id, demand: 0 });
  assertEquals(more, []);
  assertStringIncludes(stderr, "id: missing");
  assertStringIncludes(stderr, "created_utc: lies in the future");
});

Deno.test("read refuses what it cannot read, in one line", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "wrong.ndjson");
  writeArchive(file, '{"a": 1}\n');
  const wrong = await run(["read", file], {});
  assertEquals(wrong.code, 1);
  assertStringIncludes(wrong.stderr, "no line of it is a post (line 1: id: missing)");
  assertEquals((await run(["read"], {})).code, 2);
  const input = await run(["read", "-"], {});
  assertEquals(input.code, 2);
  assertStringIncludes(input.stderr, "demand read: standard input is not read: name a file\n");
  assertEquals((await run(["read", "--json", file], {})).code, 2);
  assertEquals((await run(["read", join(directory.path, "none")], {})).code, 1);
});
