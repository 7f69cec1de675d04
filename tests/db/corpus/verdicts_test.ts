/** Verdicts that are kept, and the leases of those that are being made. */
import { assert, assertEquals } from "@std/assert";
import {
  clearVerdicts,
  dropVerdictsByPosts,
  failVerdictLease,
  pruneVerdicts,
  readVerdict,
  storeVerdict,
  takeVerdictLease,
  verdictKey,
} from "../../../db/corpus/verdicts.ts";
import { dropLease, type Lease } from "../../../db/leases.ts";
import type { Database } from "../../../db/sql.ts";
import { testOnce } from "../../support/database.ts";
import { NOW, seed } from "../../gauge/support/corpus.ts";

const KEY = verdictKey("kettle|");
const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

async function taken({ sql }: Database, owner = "a", now = NOW): Promise<Lease> {
  const state = await takeVerdictLease(sql, KEY, owner, now, 30);
  assert(state.state === "taken", `the lease is ${state.state}`);
  return state.lease;
}

const POST = { id: "p1", kind: "kettle", title: "t", quote: "q" };

testOnce("a verdict is kept until it expires", async ({ database }) => {
  const { sql } = database;
  await seed(database, [POST]);
  const lease = await taken(database);
  assertEquals(await storeVerdict(sql, lease, { score: 1 }, ["p1"], later(60)), "kept");
  assertEquals(await readVerdict(sql, KEY, later(59), null), { score: 1 });
  assertEquals(await readVerdict(sql, KEY, later(60), null), null);
  assertEquals(await pruneVerdicts(sql, later(59)), 0);
  assertEquals(await pruneVerdicts(sql, later(60)), 1);
});

testOnce("leases that ended are forgotten with the verdicts", async ({ database }) => {
  const { sql } = database;
  await taken(database);
  const leases = async () => (await sql`select from verdict_leases`).count;
  await pruneVerdicts(sql, later(29));
  assertEquals(await leases(), 1);
  await pruneVerdicts(sql, later(30));
  assertEquals(await leases(), 0);
});

testOnce(
  "one holds the lease at a time, and an ended one passes on with a new fencing token",
  async ({ database }) => {
    const { sql } = database;
    const first = await taken(database);
    assertEquals((await takeVerdictLease(sql, KEY, "b", later(10), 30)).state, "busy");
    // By the same owner: the token alone tells the two apart.
    const second = await taken(database, "a", later(31));
    assertEquals(await storeVerdict(sql, first, {}, [], later(600)), "lost");
    await failVerdictLease(sql, first, { code: "timeout", message: "late" }, later(32));
    await dropLease(sql, first);
    assertEquals((await takeVerdictLease(sql, KEY, "b", later(40), 30)).state, "busy");
    assertEquals(await readVerdict(sql, KEY, NOW, null), null);
    assertEquals(await storeVerdict(sql, second, {}, [], later(600)), "kept");
  },
);

testOnce(
  "a lease that ended stays lost where its row was deleted or given back since",
  async ({ database }) => {
    const { sql } = database;
    const between: ((newer: Lease) => Promise<unknown>)[] = [
      () => pruneVerdicts(sql, later(60)),
      (newer) => dropLease(sql, newer),
      async (newer) => assertEquals(await storeVerdict(sql, newer, {}, [], later(50)), "kept"),
    ];
    for (const end of between) {
      await sql`delete from verdict_leases`;
      const first = await taken(database);
      await end(await taken(database, "a", later(30)));
      const last = await taken(database, "a", later(60));
      assertEquals(await storeVerdict(sql, first, { stale: true }, [], later(600)), "lost");
      assertEquals(await storeVerdict(sql, last, { stale: false }, [], later(600)), "kept");
    }
  },
);

testOnce("a failure is shared for a moment and then forgotten", async ({ database }) => {
  const { sql } = database;
  const lease = await taken(database);
  const failure = { code: "model_unavailable", message: "down" };
  await failVerdictLease(sql, lease, failure, later(3));
  assertEquals(await takeVerdictLease(sql, KEY, "b", later(2), 30), { state: "failed", failure });
  assertEquals((await takeVerdictLease(sql, KEY, "b", later(3), 30)).state, "taken");
});

testOnce("a failure that this version cannot read is waited out", async ({ database }) => {
  const { sql } = database;
  await failVerdictLease(sql, await taken(database), { code: "overloaded", message: "" }, later(3));
  await sql`update verdict_leases set failure = '{"reason": 7}'`;
  assertEquals((await takeVerdictLease(sql, KEY, "b", later(2), 30)).state, "busy");
  assertEquals((await takeVerdictLease(sql, KEY, "b", later(3), 30)).state, "taken");
});

testOnce("a verdict leaves with any post that counted in it", async ({ database }) => {
  const { sql } = database;
  await seed(database, [POST, { ...POST, id: "p2" }]);
  await storeVerdict(sql, await taken(database), {}, ["p1", "p2"], later(600));
  assertEquals(await dropVerdictsByPosts(sql, ["other"]), 0);
  assertEquals(await dropVerdictsByPosts(sql, ["p2"]), 1);
  assertEquals(await readVerdict(sql, KEY, NOW, null), null);
});

testOnce("a verdict whose evidence went while it was made is not kept", async ({ database }) => {
  const { sql } = database;
  await seed(database, [POST]);
  const lease = await taken(database);
  await sql`delete from posts where id = 'p1'`;
  assertEquals(await storeVerdict(sql, lease, {}, ["p1"], later(600)), "gone");
  assertEquals(await storeVerdict(sql, lease, {}, [], later(600)), "kept");
  await clearVerdicts(sql);
  assertEquals(await readVerdict(sql, KEY, NOW, null), null);
});
