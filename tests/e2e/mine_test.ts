import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { authorHash } from "../../mining/authors.ts";
import { RedditDouble } from "../doubles/reddit.ts";
import { AGENT } from "../doubles/reddit_client.ts";
import { wants } from "../mining/job/support.ts";
import {
  emptyPostgres,
  postgresUrl,
  preparedData,
  temporaryDirectory,
} from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { run, serve, type Service, start } from "../support/program.ts";
import { until } from "../support/time.ts";

const onPostgres = { ignore: postgresUrl === undefined };

interface Site extends AsyncDisposable {
  readonly double: RedditDouble;
  readonly env: Readonly<Record<string, string>>;
}

/** The site with communities of 150 recent posts each, and the settings that lead to it. */
async function openSite(names: readonly string[]): Promise<Site> {
  const directory = temporaryDirectory();
  const file = join(directory.path, "communities.txt");
  writeFileSync(file, names.map((name) => `community ${name} audio=1\n`).join(""));
  const now = Date.now();
  const double = await RedditDouble.start({
    posts: names.flatMap((name, n) => wants(name, 150, `${"abcdefgh"[n]}x`, now)),
  });
  return {
    double,
    env: {
      COMMUNITIES_FILE: file,
      REDDIT_CLIENT_ID: double.clientId,
      REDDIT_CLIENT_SECRET: double.clientSecret,
      REDDIT_USER_AGENT: AGENT,
      REDDIT_AUTH_URL: double.url,
      REDDIT_API_URL: double.url,
      AUTHOR_HASH_KEY: "ab".repeat(32),
      RATE_LIMITS: "sample=100000,categories=100000",
      // Far from any tick of the clock during the test.
      MINE_CRON: "0 0 1 1 *",
    },
    [Symbol.asyncDispose]: async () => {
      await double[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

async function sampleOf(service: Service): Promise<{ evidence?: { permalink: string }[] }> {
  return await (await fetch(`${service.base}/v1/sample/opportunity`)).json();
}

Deno.test({
  name: "of two replicas started together one mines, and both serve what it read",
  ...onPostgres,
  fn: async () => {
    await using site = await openSite(["Alpha", "Beta", "Gamma"]);
    await using empty = await emptyPostgres();
    const { url } = empty;
    const env = { ...site.env, DATABASE_URL: url };
    const services = await Promise.all([serve(env), serve(env)]);
    await using first = services[0];
    await using second = services[1];
    await until(async () => {
      const samples = await Promise.all([sampleOf(first), sampleOf(second)]);
      return samples.every(({ evidence }) => evidence !== undefined);
    }, "both replicas serve a sample");
    const [one, two] = await Promise.all(
      [first, second].map(async ({ base }) => await (await fetch(`${base}/v1/categories`)).json()),
    );
    assertEquals(one, two);
    // Two pages each, once.
    assertEquals(site.double.callsTo(/new$/).length, 6);
    // The cards are seen before the run that made them says so.
    const mined = () =>
      [first, second].filter(({ running }) => running.output().stderr.includes('"event":"mined"'));
    await until(() => mined().length > 0, "a replica says that it mined");
    assertEquals(mined().length, 1);
  },
});

Deno.test({
  name: "a mining run that was killed is done again, and ends like one that was not",
  ...onPostgres,
  fn: async () => {
    await using site = await openSite(["Alpha", "Beta", "Gamma", "Delta"]);
    await using whole = await emptyPostgres();
    await using broken = await emptyPostgres();
    const mine = (url: string) => run(["mine", "--once"], { ...site.env, DATABASE_URL: url });
    const done = await mine(whole.url);
    assertEquals(done.code, 0, done.stderr);
    assert(/new posts\s+600\n/.test(done.stdout), done.stdout);

    // Everything after the fifth page hangs, so that the run is alive when it is killed.
    const pages = site.double.callsTo(/new$/).length;
    const first = start(["mine", "--once"], { ...site.env, DATABASE_URL: broken.url });
    await until(
      () => site.double.callsTo(/new$/).length >= pages + 3,
      "three pages were asked for",
    );
    site.double.fail(/new$/, { kind: "hang" }, 100);
    const sql = postgres(broken.url, { max: 1, onnotice: () => {} });
    const seen = async (): Promise<number> => {
      const rows = await sql`select count(*)::int as n from seen_posts`.catch(() => []);
      return rows[0]?.n ?? 0;
    };
    await until(async () => await seen() > 0, "a page is stored");
    first.kill("SIGKILL");
    await first.finished;
    const before = await seen();
    assert(before > 0 && before < 600, `killed after ${before} posts`);
    site.double.heal();

    const second = await mine(broken.url);
    assertEquals(second.code, 0, second.stderr);
    const stored = async (url: string): Promise<unknown> => {
      const other = postgres(url, { max: 1, onnotice: () => {} });
      const [row] = await other`
        select (select count(*)::int from seen_posts) as seen,
          (select md5(string_agg(concat_ws('|', post_id, kind, quote), ',' order by post_id))
            from signals) as signals,
          (select md5(string_agg(concat_ws('|', want_id, post_id, counted), ','
            order by want_id, post_id)) from want_statements) as statements,
          (select md5(string_agg(concat_ws('|', id, state, card ->> 'signalCount'), ',' order by id))
            from opportunities) as cards`;
      await other.end();
      // One that compares nothing is null in both.
      for (const [what, value] of Object.entries(row ?? {})) assert(value !== null, what);
      return row;
    };
    assertEquals(await stored(broken.url), await stored(whole.url));
    const errors = await sql`select error from mining_runs order by id`;
    assertEquals(errors.map(({ error }) => error), ["the process died", null]);
    await sql.end();
  },
});

Deno.test("a deleted post leaves a running service with the next run, a forgotten one at once", async () => {
  await using site = await openSite(["Alpha"]);
  using directory = temporaryDirectory();
  const env = { ...site.env, DATA_DIR: preparedData(directory.path) };
  await using service = await serve(env);
  const links = async (): Promise<string[]> =>
    (await sampleOf(service)).evidence?.map(({ permalink }) => permalink) ?? [];
  await until(async () => (await links()).length > 1, "the sample is there");
  const ids = async (): Promise<string[]> =>
    (await links()).map((link) => /comments\/(\w+)\//.exec(link)?.[1] ?? "");
  const [first = ""] = await ids();
  site.double.store.delete(first);
  const mined = await run(["mine", "--once"], env);
  assertEquals(mined.code, 0, mined.stderr);
  assert(/removed\s+1\n/.test(mined.stdout), mined.stdout);
  // Between a sample that is dropped and the next one there is none.
  const without = async (id: string): Promise<boolean> => {
    const shown = await links();
    return shown.length > 0 && !shown.some((link) => link.includes(`/${id}/`));
  };
  await until(async () => await without(first), "a sample without the deleted post");

  const [second = ""] = await ids();
  const permalink = `https://www.reddit.com/r/Alpha/comments/${second}/looking/`;
  const forgotten = await run(["forget", permalink, "t3_zzzz9"], env);
  assertEquals(forgotten.code, 0, forgotten.stderr);
  assertStringIncludes(forgotten.stdout, "Removed 1 post");
  assertStringIncludes(forgotten.stdout, "1 is not stored (any more)");
  await until(async () => await without(second), "a sample without the forgotten post");
});

Deno.test({
  name: "a source that is out of order is said in words and an exit code",
  ...onPostgres,
  fn: async () => {
    await using site = await openSite(["Alpha"]);
    await using empty = await emptyPostgres();
    const { url } = empty;
    const env = { ...site.env, DATABASE_URL: url };
    const refused = await run(["mine", "--once"], { ...env, REDDIT_CLIENT_SECRET: "wrong" });
    assertEquals(refused.code, 1, refused.stderr);
    assertStringIncludes(refused.stdout, "The source is out of order (unauthorized:");
    assert(!(refused.stdout + refused.stderr).includes("wrong"));
    const none = await run(["mine", "--once"], { DATABASE_URL: url });
    assertEquals(none.code, 1);
    assertStringIncludes(none.stderr, "demand: SOURCE: there is none to mine");
    const cron = await run(["mine"], { ...env, MINE_CRON: "99 * * * *" });
    assertEquals(cron.code, 1);
    assertStringIncludes(cron.stderr, "demand: MINE_CRON: ");
  },
});

Deno.test("mining by the clock ends where its database is over, and says why", async () => {
  await using site = await openSite(["Alpha"]);
  using directory = temporaryDirectory();
  const env = { ...site.env, DATA_DIR: preparedData(directory.path) };
  const miner = start(["mine"], env);
  await miner.saw('"event":"mined"');
  rmSync(join(env.DATA_DIR, "demand.lock"));
  const { code, stderr } = await miner.finished;
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "its lock, demand.lock, was removed");
});

Deno.test({
  name: "a service stores what a live search finds under the key of authors that is there then",
  ...onPostgres,
  fn: async () => {
    await using site = await openSite(["Alpha"]);
    await using empty = await emptyPostgres();
    const { AUTHOR_HASH_KEY: _, ...rest } = site.env;
    const env = { ...rest, DATABASE_URL: empty.url, MINE_ON_START: "false" };
    assertEquals((await run(["mine", "--once"], env)).code, 0);
    await using service = await serve(env);
    const sql = postgres(empty.url, { max: 1, onnotice: () => {} });
    // As a restore beside the service does.
    const restored = "cd".repeat(32);
    await sql`update corpus set author_hash_key = decode(${restored}, 'hex')`;
    const [late] = wants("Alpha", 1, "late", Date.now());
    assert(late?.author != null);
    site.double.store.add([{ ...late, score: 1_000 }]);
    const answer = await createPayer().fetch(`${service.base}/v1/gauge/live`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "waterproof headphones" }),
    });
    assertEquals(answer.status, 200, await answer.text());
    let hash: string | undefined;
    await until(async () => {
      const [row] = await sql<{ hash: string }[]>`
        select encode(author_hash, 'hex') as hash from posts where id = ${late.id}`;
      hash = row?.hash;
      return hash !== undefined;
    }, "what was found is stored");
    await sql.end();
    assertEquals(hash, authorHash(late.author, restored));
  },
});

Deno.test("wrong ids are a matter of usage", async () => {
  for (const args of [["forget"], ["forget", "no such id"], ["mine", "--twice"]]) {
    const { code, stderr } = await run(args, {});
    assertEquals(code, 2, stderr);
  }
});
