import { assert, assertEquals, assertGreater, assertRejects } from "@std/assert";
import { inBatches } from "../../mining/refine/batches.ts";
import { type MinerDeps, withReconnect } from "../../mining/job/miner.ts";
import { isUseless } from "../../model/mod.ts";
import { ModelFailure } from "../../model/failure.ts";
import { ServiceError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { BEHAVIOURS } from "../doubles/model.ts";
import { testWithDatabases } from "../support/database.ts";
import {
  answering,
  asked,
  type AskedPost,
  isAboutCards,
  plainWords,
  refinedJob,
} from "./refine_support.ts";

const useless = () =>
  new ServiceError("model_unavailable", "no", { cause: new ModelFailure("useless", "refused") });

Deno.test("one item that spoils every answer keeps no other from being asked about", async () => {
  const [read, given]: [number[], number[]] = [[], []];
  let calls = 0;
  await inBatches({
    items: Array.from({ length: 20 }, (_, n) => n),
    size: 20,
    calls: 10,
    ask: (batch) => {
      calls++;
      if (batch.includes(13)) return Promise.reject(useless());
      read.push(...batch);
      return Promise.resolve();
    },
    giveUp: (item) => Promise.resolve(void given.push(item)),
  });
  assertEquals([given, calls], [[13], 10]);
  assertEquals(
    read.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, n) => n).filter((n) => n !== 13),
  );
});

Deno.test("questions in pieces keep to their number, and an outage or a model that does not do ends them", async () => {
  const items = Array.from({ length: 40 }, (_, n) => n);
  let calls = 0;
  const giveUp = () => Promise.resolve();
  const ask = () => Promise.reject((calls++, useless()));
  await assertRejects(() => inBatches({ items, size: 20, calls: 10, giveUp, ask }), ServiceError);
  assertEquals(calls, 4);
  calls = 0;
  await inBatches({ items, size: 20, calls: 3, giveUp, ask });
  assertEquals(calls, 3);
  const outage = new ServiceError("model_unavailable", "away", {
    cause: new ModelFailure("outage", "away"),
  });
  assert(!isUseless(outage));
  await assertRejects(
    () => inBatches({ items, size: 20, calls: 5, giveUp, ask: () => Promise.reject(outage) }),
    ServiceError,
    "away",
  );
});

testWithDatabases(
  "a post that no model will read leaves the others and the cards theirs",
  async (fresh) => {
    const { database } = await fresh();
    const good = answering(() => "repeat_failure", plainWords);
    await using refined = await refinedJob(database, (call) => {
      const spoiled = !isAboutCards(call) &&
        asked<AskedPost>(call).some(({ body }) => body.includes("Case 6."));
      return spoiled ? { status: 400, message: "filtered", code: "content_filter" } : good(call);
    });
    await database.sql`update posts set body = body || ' Case 6.' where id = 'a1'`;
    const report = await refined.mined();
    assertGreater(report.refined?.reviewed ?? 0, 20);
    assertGreater(report.refined?.written ?? 0, 0);
    const calls = refined.model.calls.length;
    await refined.mined();
    assertEquals(refined.model.calls.length, calls);
  },
);

testWithDatabases("words written before an outage are shown", async (fresh) => {
  const { database } = await fresh();
  const quoted = "They are tired of it and want it for daily use.";
  const good = answering(
    () => "repeat_failure",
    (card) => ({ ...plainWords(card), summary: quoted }),
  );
  let abouts = 0;
  await using refined = await refinedJob(
    database,
    (call) => isAboutCards(call) && abouts++ > 0 ? BEHAVIOURS.badKey() : good(call),
  );
  await database.sql`
    insert into opportunities (id, key, state, slug, category, score, signal_count, card, changed_at)
    select id || n, key || n, state, null, category, score - n, signal_count, card, changed_at
    from opportunities, generate_series(1, 6) as n where state = 'active'`;
  const report = await refined.mined();
  assertGreater(report.refined?.written ?? 0, 0);
  const [best] = (await refined.job.catalogue()).cards;
  assert(best?.summary.startsWith(quoted), best?.summary);
});

Deno.test("a transaction that lost in a deadlock is made again", async () => {
  let tries = 0;
  const deps = { log: silentLog, sleep: () => Promise.resolve() } as unknown as MinerDeps;
  const result = await withReconnect(deps, () => {
    tries++;
    const deadlock = Object.assign(new Error("deadlock detected"), { code: "40P01" });
    return tries === 1 ? Promise.reject(deadlock) : Promise.resolve("done");
  });
  assertEquals([result, tries], ["done", 2]);
});
