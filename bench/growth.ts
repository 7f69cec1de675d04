/**
 * What a post costs as the corpus grows: ingest and cards, with 10,000 and with 500,000 posts stored on
 * Postgres (STORED sets the larger number). The ratio is the larger corpus over the smaller one.
 */
import { systemClock } from "../core/clock.ts";
import { silentLog } from "../core/log.ts";
import { migrate } from "../db/migrate.ts";
import { openPostgres } from "../db/postgres/mod.ts";
import type { Database } from "../db/sql.ts";
import { builtInRegistry } from "../mining/communities/registry.ts";
import { ingest } from "../mining/job/ingest.ts";
import { mineAlone } from "../mining/job/miner.ts";
import type { Post } from "../mining/types.ts";
import { recombined, seedPosts } from "./support/corpus.ts";
import { ownDatabase } from "./support/own_database.ts";

const BATCH = 1_000;
const MEASURED = 10_000;
const SMALL = 10_000;
const LARGE = Number(Deno.env.get("STORED") ?? "500000");

const own = await ownDatabase("growth");
const database = await openPostgres({ url: own.url });
await migrate(database.sql);
const seeds = await seedPosts();
const deps = {
  database,
  clock: systemClock,
  log: silentLog,
  sleep: (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms)),
};

/** Milliseconds for reading posts `from`..`to` and making the cards they change. */
async function add(db: Database, from: number, to: number): Promise<number> {
  const started = performance.now();
  await mineAlone(deps, { kind: "import", patienceMs: 0, stats: () => ({}) }, async (session) => {
    await session.makeReal("archive");
    for (let n = from; n < to; n += BATCH) {
      const posts: Post[] = [];
      for (let i = n; i < Math.min(to, n + BATCH); i++) posts.push(recombined(seeds, i));
      const context = {
        registry: builtInRegistry(),
        authorHashKey: "00".repeat(32),
        origin: "archive",
        checkedAt: null,
      } as const;
      await ingest(db, posts, context, "2026-01-01", session.assertLease);
    }
    await session.finish();
  });
  return performance.now() - started;
}

await add(database, 0, SMALL);
const small = await add(database, SMALL, SMALL + MEASURED) / MEASURED;
await add(database, SMALL + MEASURED, LARGE);
await database.sql`analyze`;
const large = await add(database, LARGE, LARGE + MEASURED) / MEASURED;
console.log(`a post with ${SMALL} stored: ${small.toFixed(3)} ms`);
console.log(`a post with ${LARGE} stored: ${large.toFixed(3)} ms`);
console.log(`ratio ${(large / small).toFixed(2)} (wanted: at most 1.5)`);
await database.close();
await own.drop();
