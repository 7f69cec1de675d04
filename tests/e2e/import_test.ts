import { assert, assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import postgres from "postgres";
import { lines, submission, writeArchive } from "../support/archive.ts";
import {
  emptyPostgres,
  minedData,
  minedPostgres,
  postgresUrl,
  temporaryDirectory,
  testOnPostgres,
} from "../support/database.ts";
import { run, serve, start } from "../support/program.ts";
import { startCluster } from "../support/postgres_cluster.ts";
import { until } from "../support/time.ts";

const onPostgres = { ignore: postgresUrl === undefined };

/** Everything that was stored, in a form that two databases can be compared by. */
async function stored(url: string): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const rows = await sql`
    select (select count(*)::int from seen_posts) as seen, (select count(*)::int from posts) as posts,
      (select md5(string_agg(concat_ws('|', post_id, kind, quote), ',' order by post_id))
        from signals) as signals,
      (select md5(string_agg(concat_ws('|', want_id, post_id, counted), ','
        order by want_id, post_id)) from want_statements) as statements,
      (select md5(string_agg(concat_ws('|', id, state, score, card ->> 'signalCount'), ',' order by id))
        from opportunities) as cards`;
  await sql.end();
  // One that compares nothing is null in both.
  for (const [what, value] of Object.entries(rows[0] ?? {})) assert(value !== null, what);
  return JSON.stringify(rows[0]);
}

/** Waits until an import has stored a batch; before it begins there is no such table. */
async function firstBatch(sql: postgres.Sql): Promise<void> {
  const isStored = async () => (await sql`select 1 from imports`.catch(() => [])).length > 0;
  await until(isStored, "a batch is stored");
}

Deno.test({
  name: "an import that was killed goes on where it stopped, and ends like one that was not",
  ...onPostgres,
  fn: async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "posts.ndjson.gz");
    const left = JSON.stringify(submission(1, { id: "zz1", subreddit: "Elsewhere" }));
    const adult = JSON.stringify(submission(2, { id: "zz2", over_18: true }));
    writeArchive(file, `${left}\n${adult}\n${lines(3_000)}${left.replace("zz1", "zz3")}\n`);
    await using whole = await emptyPostgres();
    await using broken = await emptyPostgres();
    const env = { AUTHOR_HASH_KEY: "ab".repeat(32) };
    assertEquals((await run(["import", file], { ...env, DATABASE_URL: whole.url })).code, 0);

    const first = start(["import", file], { ...env, DATABASE_URL: broken.url });
    const sql = postgres(broken.url, { max: 1, onnotice: () => {} });
    await firstBatch(sql);
    first.kill("SIGKILL");
    await first.finished;
    const [row] = await sql<{ n: number }[]>`select lines_done::int as n from imports`;
    const before = row?.n ?? 0;
    assert(before > 0 && before < 3_000, `killed after ${before} lines`);
    await sql.end();

    const second = await run(["import", "--json", file], { ...env, DATABASE_URL: broken.url });
    assertEquals(second.code, 0, second.stderr);
    assertStringIncludes(
      second.stderr,
      "another process that worked on this corpus was killed: taking over",
    );
    assert(!second.stderr.includes("waiting for it"), second.stderr);
    const [{ resumedAtLine, skipped, unfollowed, notFollowed }] = JSON.parse(second.stdout).files;
    assertEquals([resumedAtLine, skipped, unfollowed], [before, 3, 2]);
    assertEquals(notFollowed, { Elsewhere: 2 }, "those before the end count too");
    assertEquals(await stored(broken.url), await stored(whole.url));

    const third = await run(["import", file], { ...env, DATABASE_URL: broken.url });
    assertStringIncludes(third.stdout, "imported before");
    assertStringIncludes(third.stdout, "Communities not followed: Elsewhere 2 ");
    assertEquals(await stored(broken.url), await stored(whole.url));
  },
});

testOnPostgres(
  "bad lines are counted and named, the rest is imported",
  async ({ url, directory }) => {
    const file = join(directory.path, "posts.ndjson");
    const future = submission(3, { created_utc: 4_000_000_000 });
    const other = submission(1, { title: "Another text under the same id" });
    writeArchive(
      file,
      `${lines(3)}{"id": oops}\n${JSON.stringify(future)}\n${JSON.stringify(other)}\n` +
        `${JSON.stringify(submission(9, { over_18: true }))}\n` +
        `${JSON.stringify(submission(10, { subreddit: "Elsewhere" }))}\n` +
        `${JSON.stringify(submission(11, { subreddit: "u_somebody" }))}\n`,
    );
    const { code, stdout, stderr } = await run(["import", file], { DATABASE_URL: url });
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, '"line":4');
    assertStringIncludes(stderr, "created_utc");
    assert(/bad lines\s+2\n/.test(stdout), stdout);
    const reasons = "Bad lines by reason: not JSON 1, created_utc: lies in the future 1.\n";
    assertStringIncludes(stdout, reasons);
    assert(/read before\s+1\n/.test(stdout), stdout);
    assert(/left out: of communities not followed\s+2\n/.test(stdout), stdout);
    assert(/left out: removed, adult, pinned or an ad\s+1\n/.test(stdout), stdout);
    assertStringIncludes(stdout, "Communities not followed: Elsewhere 1, u_* 1 ");
    const again = await run(["import", "--json", file], { DATABASE_URL: url });
    const [outcome] = JSON.parse(again.stdout).files;
    assertEquals([outcome.posts, outcome.bad, outcome.duplicates, outcome.skipped], [3, 2, 1, 3]);
  },
);

testOnPostgres(
  "a truncated archive ends with one line that says so, and what came before is kept",
  async ({ url, directory }) => {
    const file = join(directory.path, "posts.ndjson.gz");
    writeArchive(file, lines(1_200));
    const bytes = Deno.readFileSync(file);
    Deno.writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
    const { code, stderr } = await run(["import", file], { DATABASE_URL: url });
    assertEquals(code, 1);
    assertStringIncludes(stderr, "cut short");
    const sql = postgres(url, { max: 1 });
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from seen_posts`;
    assertGreater(row?.n ?? 0, 0);
    await sql.end();
  },
);

testOnPostgres(
  "Ctrl-C leaves the rest and the cards to the next import",
  async ({ url, directory }) => {
    const file = join(directory.path, "posts.ndjson");
    writeArchive(file, lines(3_000));
    const running = start(["import", file], { DATABASE_URL: url });
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await firstBatch(sql);
    await sql.end();
    running.kill("SIGINT");
    const { code, stdout, stderr } = await running.finished;
    assertEquals(code, 130);
    assertStringIncludes(stderr, "stopping: finishing what is in flight");
    assertStringIncludes(stdout, "run the same command again");
    assert(!stdout.includes("Making the cards"), stdout);
    const { cards } = await corpusOf(url);
    assertEquals(cards, 0);
    const again = await run(["import", "--json", file], { DATABASE_URL: url });
    const { files: [{ resumedAtLine }], opportunities } = JSON.parse(again.stdout);
    assertGreater(resumedAtLine, 0);
    assertGreater(opportunities.after, 0);
  },
);

Deno.test({
  name: "a database that restarts in the middle of an import costs nothing but time",
  ...onPostgres,
  fn: async () => {
    const cluster = startCluster();
    assert(cluster !== null, "no server binaries for a cluster of its own");
    try {
      using directory = temporaryDirectory();
      const file = join(directory.path, "posts.ndjson");
      writeArchive(file, lines(3_000));
      const running = start(["import", file], { DATABASE_URL: cluster.url });
      const sql = postgres(cluster.url, { max: 1, onnotice: () => {} });
      await firstBatch(sql);
      await sql.end();
      cluster.restart();
      const { code, stderr } = await running.finished;
      assertEquals(code, 0, stderr);
      assertStringIncludes(await stored(cluster.url), '"seen":3000');
    } finally {
      cluster.stop();
    }
  },
});

Deno.test("an import into the embedded database works while the service runs, which serves the result", async () => {
  using directory = temporaryDirectory();
  const file = join(directory.path, "posts.ndjson");
  writeArchive(file, lines(150));
  // It is asked many times a second for its sample, once the import is done.
  const env = { DATA_DIR: minedData(directory.path), RATE_LIMITS: "sample=10000" };
  await using service = await serve(env);
  const { code, stderr } = await run(["import", file], env);
  assertEquals(code, 0, stderr);
  const sample = await until(async () => {
    const text = await (await fetch(`${service.base}/v1/sample/opportunity`)).text();
    return text.includes("BuyItForLife") && text;
  }, "it serves what was imported");
  const health = await (await fetch(`${service.base}/health`)).json();
  assertGreater(health.corpus.opportunities, 0);
  assert(!sample.includes("demo_"), "the demonstration corpus should be gone");
});

/** What a failed import must leave alone. */
async function corpusOf(url: string): Promise<Record<string, unknown>> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const [row] = await sql`
    select (select origin from corpus) as origin, (select as_of from corpus)::text as as_of,
      (select count(*)::int from opportunities) as cards,
      (select count(*)::int from mining_runs where kind = 'import') as imports`;
  await sql.end();
  return { ...row };
}

Deno.test({
  name: "an import that takes nothing leaves the demonstration corpus as it was",
  ...onPostgres,
  fn: async () => {
    using directory = temporaryDirectory();
    await using mined = await minedPostgres();
    const { url } = mined;
    const env = { DATABASE_URL: url };
    const before = await corpusOf(url);
    assertEquals([before.origin, before.imports], ["demo", 0]);
    assertGreater(Number(before.cards), 0);

    const good = join(directory.path, "posts.ndjson");
    writeArchive(good, lines(150));
    const mistyped = await run(["import", good, join(directory.path, "pots.ndjson")], env);
    assertEquals(mistyped.code, 1);
    assertEquals(
      mistyped.stderr,
      `demand: ${join(directory.path, "pots.ndjson")}: no such file\n`,
    );
    assertEquals(await corpusOf(url), before);

    const elsewhere = join(directory.path, "elsewhere.ndjson");
    writeArchive(elsewhere, `${JSON.stringify(submission(1, { subreddit: "nowhere_at_all" }))}\n`);
    const future = await run(["import", good, "--as-of", "2099-01-31"], env);
    assertEquals(future.code, 2, future.stdout);
    assertStringIncludes(future.stderr, "--as-of: lies in the future");
    const ancient = await run(["import", good, "--as-of", "0001-01-01"], env);
    assertEquals(ancient.code, 2, ancient.stdout);
    assertStringIncludes(ancient.stderr, "--as-of: lies before 2005");
    assertEquals(await corpusOf(url), before);
    for (const threads of ["0", "65", "1.5", "two"]) {
      const wrong = await run(["import", good, "--threads", threads], env);
      assertEquals(wrong.code, 2);
      assertStringIncludes(wrong.stderr, "--threads: should be a whole number from 1 to 64");
    }
    const passed = await run(["import", elsewhere, "--as-of", "2026-01-31"], env);
    assertEquals(passed.code, 0, passed.stderr);
    assertStringIncludes(passed.stdout, "nowhere_at_all 1 (--all-communities reads them)");
    assertEquals(await corpusOf(url), { ...before, imports: 1 });

    const few = join(directory.path, "few.ndjson");
    writeArchive(few, lines(3));
    const cardless = await run(["import", few], env);
    assertEquals(cardless.code, 0, cardless.stderr);
    assert(/demonstration corpus left, and its \d\d cards/.test(cardless.stdout), cardless.stdout);
    assertStringIncludes(cardless.stdout, "No card was made: one needs 5 people (MIN_AUTHORS)");
    assertStringIncludes(cardless.stdout, "copies of a text count once");

    const taken = await run(["import", good, "--as-of", "2026-10-31", "--threads", "1"], env);
    assertEquals(taken.code, 0, taken.stderr);
    assert(!/demonstration|No want/.test(taken.stdout), taken.stdout);
    assertStringIncludes(taken.stdout, "Ages count from 2026-10-31T00:00:00.000Z.");
    const { origin, cards } = await corpusOf(url);
    assertEquals(origin, "real");
    assertGreater(Number(cards), 0);
  },
});
