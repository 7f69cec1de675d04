import { assert, assertEquals, assertRejects } from "@std/assert";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { type Log, silentLog } from "../../../core/log.ts";
import { takeLease } from "../../../db/leases.ts";
import { mine } from "../../../mining/job/mine.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import { MINING_LEASE } from "../../../mining/session.ts";
import { testBoth } from "../../support/database.ts";
import { START, startJob } from "./support.ts";

testBoth(
  "who waits for another miner says so, once, and told to stop waits no longer",
  async (test) => {
    await using job = await startJob(test.database, { Alpha: [] });
    const lease = await takeLease(test.database.sql, MINING_LEASE, "another", job.time.now(), 600);
    assertEquals(lease?.owner, "another");
    const stop = new AbortController();
    const sleep = (ms: number): Promise<void> => {
      if (job.time.ms > START) stop.abort();
      return job.time.sleep(ms);
    };
    const said: string[] = [];
    const log: Log = { ...silentLog, info: (event) => void said.push(event) };
    const report = await mine({ ...job.deps, sleep, log }, {
      signal: stop.signal,
      patienceMs: 300_000,
      scheduled: false,
    });
    assertEquals([report, job.time.ms], [null, START + 2_000]);
    assertEquals(said, ["another process works on this corpus: waiting for it"]);
  },
);

testBoth("a database that fails who asks for the lease leaves no sign of life", async (test) => {
  await using job = await startJob(test.database, { Alpha: [] });
  let owner = "";
  const sql = new Proxy(test.database.sql, {
    apply: (target, self, args: readonly unknown[]) => {
      const found = args.find((arg) => /^[0-9a-f-]{36}$/.test(String(arg)));
      // A part of a statement, which asks for nothing by itself.
      if (found === undefined) return Reflect.apply(target, self, args);
      owner = String(found);
      return Promise.reject(new Error("gone"));
    },
  });
  const mining = mineAlone(
    { ...job.deps, database: { ...test.database, sql } },
    { kind: "mine", patienceMs: 0, stats: () => ({}) },
    () => Promise.resolve(),
  );
  await assertRejects(() => mining, Error, "gone");
  assert(owner !== "");
  assertEquals(readdirSync(tmpdir()).filter((name) => name.includes(owner.slice(0, 18))), []);
});
