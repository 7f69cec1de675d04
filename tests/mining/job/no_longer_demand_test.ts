/** Posts that a new version reads as no demand leave with the catalogue of before, whoever makes the new one. */
import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { silentLog } from "../../../core/log.ts";
import { corpusState } from "../../../db/corpus/corpus.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import { migrate } from "../../../db/migrate.ts";
import { openPostgres } from "../../../db/postgres/mod.ts";
import type { Database } from "../../../db/sql.ts";
import { builtInRegistry } from "../../../mining/communities/registry.ts";
import { CATALOGUE_VERSION } from "../../../mining/job/finish.ts";
import { moveOver } from "../../../mining/job/reread.ts";
import { lines, writeArchive } from "../../support/archive.ts";
import {
  copyData,
  emptyPostgres,
  postgresUrl,
  temporaryDirectory,
  testBothInTurn as testBoth,
} from "../../support/database.ts";
import { run } from "../../support/program.ts";
import { START, startJob, wants } from "./support.ts";

const NOW = new Date(START);

/** Posts without demand that `versions` took for signals, under a catalogue of the version before. */
async function storeUndemanded({ sql }: Database, count: number, versions: string): Promise<void> {
  for (let n = 0; n < count; n++) {
    const id = `none${n}`;
    await sql`insert into posts (id, community, title, body, upvotes, comments, permalink, created_at,
        origin) values (${id}, 'homelab', 'My garden in May', ${`The tulips are out, row ${n}.`}, 1, 1,
        ${`https://example.com/${id}`}, ${NOW}, 'archive')`;
    await sql`insert into signals (post_id, pattern, category, product, kind, intensity, wtp, confidence,
        quote, voice, text_key, upvotes, created_at, versions)
      values (${id}, 'recommendation_request', 'home-furnishings', 'tulip', 'tulip', 1, 1, 0.9,
        'My garden in May', ${Buffer.from([n])}, ${Buffer.from([n, n])}, 1, ${NOW}, ${versions})`;
  }
  await sql`update corpus set origin = 'real', as_of = ${NOW}, read_version = 'before',
    scored_on = '2026-11-20'`;
}

/** Ids of the stored posts of those, and the version of the catalogue. */
async function left({ sql }: Database): Promise<readonly [string[], string | null]> {
  const rows = await sql<{ id: string }[]>`
    select id from posts where id like 'none%'
    union select post_id from signals where versions = 'none' order by id`;
  return [rows.map(({ id }) => id), (await corpusState(sql)).readVersion];
}

const NOTHING: readonly [string[], string | null] = [[], CATALOGUE_VERSION];

testBoth(
  "a mining run that reads stored posts again removes those without demand",
  async (test) => {
    await using job = await startJob(test.database, { homelab: wants("homelab", 5, "a") });
    await storeUndemanded(test.database, 3, "before");
    await job.mined();
    assertEquals(await left(test.database), NOTHING);
  },
);

testBoth(
  "a run that is ended before all is read keeps the posts and the catalogue",
  async (test) => {
    await using job = await startJob(test.database, { homelab: wants("homelab", 5, "a") });
    await storeUndemanded(test.database, 1, "before");
    const stopped = new AbortController();
    stopped.abort();
    await job.run({ signal: stopped.signal });
    assertEquals(await left(test.database), [["none0"], "before"]);
  },
);

testBoth(
  "what a killed process noted as without demand is removed by the next start",
  async (test) => {
    await storeUndemanded(test.database, 3, "none");
    const deps = {
      database: test.database,
      clock: { now: () => NOW },
      log: silentLog,
      sleep: () => Promise.resolve(),
      minAuthors: 5,
    };
    const context = { registry: builtInRegistry() };
    const move = () => moveOver(deps, context, new AbortController().signal);
    assertEquals(await move(), { read: 0, signals: 0, interrupted: false });
    assertEquals(await left(test.database), NOTHING);
    assertEquals(await move(), null);

    await storeUndemanded(test.database, 1, "none");
    await test.database.sql`update corpus set read_version = ${CATALOGUE_VERSION}`;
    await move();
    assertEquals(await left(test.database), NOTHING);
  },
);

/** Imports an archive over such a corpus, by the command. */
async function importsOver(
  env: Readonly<Record<string, string>>,
  open: () => Promise<Database>,
): Promise<void> {
  using folder = temporaryDirectory();
  const before = await open();
  await migrate(before.sql);
  await storeUndemanded(before, 3, "before");
  await before.close();
  const file = join(folder.path, "posts.ndjson");
  writeArchive(file, lines(20));
  const { code, stderr } = await run(["import", file], env);
  assertEquals(code, 0, stderr);
  const after = await open();
  assertEquals(await left(after), NOTHING);
  await after.close();
}

Deno.test("an import removes posts without demand from the embedded database", async () => {
  using folder = temporaryDirectory();
  const { path } = folder;
  copyData(path);
  await importsOver(
    { DATA_DIR: path },
    () => openEmbedded(path, { share: false, now: Date.now }),
  );
});

Deno.test({
  name: "an import removes posts without demand from Postgres",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    await importsOver({ DATABASE_URL: empty.url }, () => openPostgres({ url: empty.url, max: 2 }));
  },
});
