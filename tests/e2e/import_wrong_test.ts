import { assert, assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lines, submission, writeArchive } from "../support/archive.ts";
import { preparedData, temporaryDirectory, testOnPostgres } from "../support/database.ts";
import { run } from "../support/program.ts";

testOnPostgres(
  "one post that is far newer than the others warns of the cards it makes old, and --as-of undoes it",
  async ({ url, directory }) => {
    const env = { DATABASE_URL: url };
    const old = join(directory.path, "old.ndjson");
    const time = 1_700_000_000;
    const posts = Array.from({ length: 600 }, (_, n) => submission(n, { created_utc: time - n }));
    writeArchive(old, posts.map((post) => `${JSON.stringify(post)}\n`).join(""));
    const first = await run(["import", old, "--json"], env);
    const { before, after } = JSON.parse(first.stdout).opportunities;
    assertEquals([first.code, before], [0, 0], first.stderr);
    assertGreater(after, 0);
    assert(!first.stderr.includes("--as-of"), first.stderr);

    const newer = join(directory.path, "newer.ndjson");
    writeArchive(newer, `${JSON.stringify(submission(900, { title: "Hello", selftext: "" }))}\n`);
    const second = await run(["import", newer], env);
    assertEquals(second.code, 0, second.stderr);
    assertStringIncludes(second.stdout, `Active opportunities: ${after} before, 0 now.`);
    const [, remedy = ""] = /--as-of ([0-9TZ:.-]+)/.exec(second.stderr) ?? [];
    assertEquals(remedy, new Date(time * 1000).toISOString());

    const third = await run(["import", newer, "--as-of", remedy], env);
    assertStringIncludes(third.stdout, `Active opportunities: 0 before, ${after} now.`);
  },
);

testOnPostgres(
  "a file without a single post fails each time, says why, and leaves the other files their turn",
  async ({ url, directory }) => {
    const env = { DATABASE_URL: url };
    const wrong = join(directory.path, "wrong.ndjson");
    const good = join(directory.path, "good.ndjson");
    writeArchive(wrong, '{"a": 1}\n'.repeat(700));
    writeArchive(good, lines(3));
    for (const posts of [3, 3]) {
      const { code, stdout, stderr } = await run(["import", wrong, good, "--json"], env);
      assertEquals(code, 1, stderr);
      assertStringIncludes(
        stderr,
        `demand: ${wrong}: no line of it is a post (line 1: id: missing)`,
      );
      const { files } = JSON.parse(stdout);
      assertEquals([files[0].bad, files[0].finishedAt, files[1].posts], [700, null, posts]);
      assertEquals([files[0].badLines.length, files[0].badReasons], [10, { "id: missing": 700 }]);
      assertEquals(files[0].badLines[0], { line: 1, why: "id: missing" });
    }
    const alone = await run(["import", wrong], env);
    assertEquals(alone.code, 1);
    assert(!/Making the cards|posts read/.test(alone.stdout), alone.stdout);
    assertStringIncludes(alone.stderr, "no line of it is a post (line 1: id: missing)");
  },
);

Deno.test("a file of blank lines is no archive of posts", async () => {
  using directory = temporaryDirectory();
  const blank = join(directory.path, "blank.ndjson");
  writeArchive(blank, "\n \n\t\n");
  const { code, stderr } = await run(["import", blank], { DATA_DIR: preparedData(directory.path) });
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, `demand: ${blank}: no line of it is a post`);
});

testOnPostgres(
  "votes and comments beyond any number that a column holds stop no import",
  async ({ url, directory }) => {
    const file = join(directory.path, "loud.ndjson");
    const posts = [2 ** 31 - 1, 3e9, 1e300, -1e300].map((score, n) =>
      submission(n, { score, num_comments: score })
    );
    writeArchive(file, posts.map((post) => `${JSON.stringify(post)}\n`).join(""));
    const { code, stdout, stderr } = await run(["import", file, "--json"], { DATABASE_URL: url });
    assertEquals([code, JSON.parse(stdout).files[0].signals], [0, posts.length], stderr);
  },
);

Deno.test("a backup and a JSON array are known for what they are before a database is made", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: join(directory.path, "data") };
  const cases = [
    ['\uFEFF \n[{"id": "a"}]', "is a JSON array"],
    ['{"format":"demand-backup","formatVersion":1}\n', "use demand restore"],
  ] as const;
  for (const [text, says] of cases) {
    for (const name of ["posts.json", "posts.json.gz"]) {
      const file = join(directory.path, name);
      writeArchive(file, text);
      const { code, stderr } = await run(["import", file], env);
      assertEquals(code, 1);
      assertStringIncludes(stderr, `demand: ${file}: `);
      assertStringIncludes(stderr, says);
    }
  }
  assertEquals(existsSync(env.DATA_DIR), false);
});

Deno.test("--as-of takes what means the same moment on every machine, and nothing else", async () => {
  for (const text of ["5", "2026-10-31T12:00", "2026-02-31", "Oct 31 2026", "2026-10-31T25:00Z"]) {
    const { code, stderr } = await run(["import", "none", "--as-of", text], {});
    assertEquals(code, 2, text);
    assertStringIncludes(stderr, "--as-of: should be a day, YYYY-MM-DD");
  }
  for (const text of ["2026-10-31", "2026-10-31T12:00Z", "2026-10-31T12:00:00.5-04:00"]) {
    const { code, stderr } = await run(["import", "none", "--as-of", text], {});
    assertEquals([code, stderr], [1, "demand: none: no such file\n"]);
  }
});
