import { assertEquals } from "@std/assert";
import { takeLease } from "../../db/leases.ts";
import { mine } from "../../mining/job/mine.ts";
import { testBoth } from "../support/database.ts";
import { START, startJob } from "./job_support.ts";

testBoth("who waits for another miner and is told to stop waits no longer", async (test) => {
  await using job = await startJob(test.database, { Alpha: [] });
  const lease = await takeLease(test.database.sql, "mining", "another", job.time.now(), 600);
  assertEquals(lease?.owner, "another");
  const stop = new AbortController();
  const sleep = (ms: number): Promise<void> => {
    stop.abort();
    return job.time.sleep(ms);
  };
  const report = await mine({ ...job.deps, sleep }, {
    signal: stop.signal,
    patienceMs: 300_000,
    scheduled: false,
  });
  assertEquals([report, job.time.ms], [null, START + 1_000]);
});
