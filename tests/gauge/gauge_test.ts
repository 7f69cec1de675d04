import { assert, assertEquals, assertRejects } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import { isRetryable, ServiceError } from "../../core/errors.ts";
import { dropVerdictsByPosts } from "../../db/corpus/verdicts.ts";
import { openPostgres } from "../../db/postgres/mod.ts";
import { createVerdictCache } from "../../gauge/verdict_cache.ts";
import { silentLog } from "../../core/log.ts";
import { BEHAVIOURS, reply, startModel } from "../doubles/model.ts";
import { postgresUrl, testBothInTurn as testBoth, testPostgres } from "../support/database.ts";
import { until } from "../support/time.ts";
import { AS_OF, NOW, type Seed, seed } from "./support/corpus.ts";
import { gaugeOn, kitchenCatalogue, modelAt, VERDICT } from "./support/gauge.ts";
import { NEVER } from "../support/time.ts";

const KETTLES: readonly Seed[] = Array.from({ length: 8 }, (_, i) => ({
  id: `k${i}`,
  kind: "kettle",
  title: "Another kettle that leaks",
  quote: `Kettle number ${i} leaks at the base.`,
  upvotes: 10 * i,
}));
const ASK = { query: "kettle that leaks", category: null };

testBoth(
  "a verdict has every field, evidence word for word, and cards that exist",
  async (test) => {
    await seed(test.database, [...KETTLES, {
      id: "m1",
      kind: "computer mouse",
      title: "A mouse",
      quote: "My mouse died.",
    }]);
    const catalogue = kitchenCatalogue(["opp_kettle", "opp_computermouse"]);
    const gauge = gaugeOn(test.database, { catalogue: () => catalogue });
    const verdict = await gauge.gauge(ASK, NEVER);
    assertEquals(Object.keys(verdict).sort(), [
      "cache",
      "dataFrom",
      "dataTo",
      "demandTemperature",
      "evidenceIds",
      "fetchedAt",
      "funnel",
      "query",
      "rationale",
      "relatedOpportunities",
      "topEvidence",
      "verdictScore",
    ]);
    assertEquals(verdict.query, "kettle that leaks");
    assertEquals(verdict.cache, "miss");
    assertEquals(verdict.fetchedAt, NOW.toISOString());
    assertEquals(verdict.topEvidence.length, 5);
    assertEquals(verdict.topEvidence[0], {
      quote: "Kettle number 0 leaks at the base.",
      permalink: "https://example.com/k0",
      upvotes: 0,
      subreddit: "things",
      postedAt: new Date(AS_OF.getTime() - 10 * DAY_MS).toISOString(),
    });
    const [first] = verdict.topEvidence;
    assertEquals([verdict.dataFrom, verdict.dataTo], [first?.postedAt, first?.postedAt]);
    assertEquals(verdict.relatedOpportunities, [{
      slug: "slug-kettle",
      title: "opp_kettle",
      score: 42.5,
    }]);
    assertEquals(verdict.evidenceIds.slice(0, 2), ["k0", "k1"]);
    assertEquals(verdict.demandTemperature, "warm");
    assertEquals(verdict.funnel, {
      product: "kettle",
      askingForProduct: 8,
      wants: [{ want: "leaks", count: 8 }],
      statingAll: 8,
      communities: 1,
      from: "2030-05-22T00:00:00.000Z",
      to: "2030-05-22T00:00:00.000Z",
      corpusSignals: 100,
    });
    assert(verdict.rationale.includes("8 people"), verdict.rationale);
  },
);

testBoth("what was said in payment mode test is never served in another", async (test) => {
  await seed(test.database, KETTLES);
  const rehearsed = await gaugeOn(test.database).gauge(ASK, NEVER);
  assert(rehearsed.rationale.endsWith("Worded without a language model."), rehearsed.rationale);
  const error = await assertRejects(
    () => gaugeOn(test.database, { synthesis: "none" }).gauge(ASK, NEVER),
    ServiceError,
  );
  assertEquals(error.code, "model_unavailable");
  await using model = startModel();
  const live = gaugeOn(test.database, { model: modelAt(model.baseUrl) });
  assertEquals((await live.gauge(ASK, NEVER)).cache, "miss");
  assertEquals(model.calls.length, 1);
});

testBoth("the answer is kept for seven days for all who ask the same", async (test) => {
  await seed(test.database, KETTLES);
  let now = NOW;
  await using model = startModel();
  const gauge = gaugeOn(test.database, {
    model: modelAt(model.baseUrl),
    clock: { now: () => now },
  });
  const first = await gauge.gauge(ASK, NEVER);
  now = new Date(NOW.getTime() + 7 * DAY_MS - 1);
  const again = await gauge.gauge({ query: "KETTLE, that leaks!", category: null }, NEVER);
  assertEquals(again, { ...first, cache: "hit", query: "KETTLE, that leaks!" });
  assertEquals(model.calls.length, 1);
  await gauge.gauge({ ...ASK, category: "kitchen" }, NEVER);
  assertEquals(model.calls.length, 2);
  now = new Date(NOW.getTime() + 7 * DAY_MS);
  assertEquals((await gauge.gauge(ASK, NEVER)).cache, "miss");
  assertEquals(model.calls.length, 3);
});

testBoth("a kept verdict leaves with its evidence", async (test) => {
  await seed(test.database, KETTLES);
  const gauge = gaugeOn(test.database);
  const first = await gauge.gauge(ASK, NEVER);
  await test.database.sql.begin(async (tx) => {
    await tx`delete from posts where id = 'k7'`;
    await dropVerdictsByPosts(tx, ["k7"]);
  });
  const after = await gauge.gauge(ASK, NEVER);
  assertEquals(after.cache, "miss");
  assert(!JSON.stringify(after).includes("number 7"));
  assert(after.verdictScore < first.verdictScore);
});

testBoth("nothing that matches is cold at score 0, without a model, and is kept", async (test) => {
  await seed(test.database, KETTLES);
  await using model = startModel(BEHAVIOURS.broken);
  const gauge = gaugeOn(test.database, { model: modelAt(model.baseUrl) });
  const verdict = await gauge.gauge({ query: "xqzzt vlorp", category: null }, NEVER);
  assertEquals([verdict.verdictScore, verdict.demandTemperature], [0, "cold"]);
  assertEquals(verdict.topEvidence, []);
  assertEquals(model.calls.length, 0);
  assertEquals(
    (await gauge.gauge({ query: "xqzzt vlorp", category: null }, NEVER)).cache,
    "hit",
  );
});

testBoth("nothing mined yet is corpus_warming, not cold", async (test) => {
  const gauge = gaugeOn(test.database, { catalogue: () => kitchenCatalogue([], false) });
  for (const verb of ["gauge", "live"] as const) {
    for (const asked of [() => gauge[verb](ASK, NEVER), () => gauge.ready(verb)]) {
      const error = await assertRejects(asked, ServiceError);
      assertEquals(error.code, "corpus_warming");
      assert(isRetryable(error.code));
    }
  }
});

testBoth("no model, or one that fails, is model_unavailable and never cold", async (test) => {
  await seed(test.database, KETTLES);
  const none = gaugeOn(test.database, { synthesis: "none" });
  assertEquals(
    (await assertRejects(() => none.gauge(ASK, NEVER), ServiceError)).code,
    "model_unavailable",
  );
  for (const verb of ["gauge", "live"] as const) {
    const error = await assertRejects(() => none.ready(verb), ServiceError);
    assertEquals([error.code, error.isLasting], ["model_unavailable", true]);
  }
  await gaugeOn(test.database).ready("gauge");
  await using model = startModel(BEHAVIOURS.badKey);
  let now = NOW;
  const gauge = gaugeOn(test.database, {
    model: modelAt(model.baseUrl),
    clock: { now: () => now },
  });
  now = new Date(NOW.getTime() + 10_000);
  const error = await assertRejects(() => gauge.gauge(ASK, NEVER), ServiceError);
  assertEquals(error.code, "model_unavailable");
  model.behave(BEHAVIOURS.good);
  // Those who come right after fail alike; then it is tried again.
  await assertRejects(() => gauge.gauge(ASK, NEVER), ServiceError);
  assertEquals(model.calls.length, 1);
  now = new Date(NOW.getTime() + 14_000);
  assertEquals((await gauge.gauge(ASK, NEVER)).cache, "miss");
});

testBoth(
  "each post more raises the score or leaves it, each removed lowers it or leaves it",
  async (test) => {
    const { sql } = test.database;
    const gauge = gaugeOn(test.database);
    const score = async () => {
      await sql`delete from verdicts`;
      return (await gauge.gauge(ASK, NEVER)).verdictScore;
    };
    // Another product with the same words, older posts, and one author twice are among them.
    const seeds = KETTLES.map((kettle, i) => ({
      ...kettle,
      ageDays: 40 * i,
      title: i % 2 === 0 ? "A kettle" : kettle.title,
      ...(i === 5 ? { kind: "router" } : i === 6 ? { authorKey: "k4" } : {}),
    }));
    const scores = [await score()];
    for (const one of seeds) {
      await seed(test.database, [one]);
      scores.push(await score());
    }
    assertEquals(scores, scores.toSorted((a, b) => a - b));
    assert((scores.at(-1) ?? 0) > (scores[1] ?? 0));
    for (const { id } of seeds.toReversed()) {
      const before = scores.at(-1) ?? 0;
      await sql`delete from posts where id = ${id}`;
      scores.push(await score());
      assert((scores.at(-1) ?? 0) <= before);
    }
    assertEquals(scores.at(-1), 0);
  },
);

testBoth("the model moves the score by 15 points at most", async (test) => {
  await seed(test.database, KETTLES);
  const base = (await gaugeOn(test.database).gauge(ASK, NEVER)).verdictScore;
  await using model = startModel(BEHAVIOURS.hugeShift);
  await test.database.sql`delete from verdicts`;
  const moved = await gaugeOn(test.database, { model: modelAt(model.baseUrl) }).gauge(ASK, NEVER);
  assertEquals(Math.round(10 * (moved.verdictScore - base)), 150);
});

testBoth("the same question asked twenty times at once is one model call", async (test) => {
  await seed(test.database, KETTLES);
  await using model = startModel(() => ({ afterMs: 300, then: { content: reply() } }));
  const gauge = gaugeOn(test.database, { model: modelAt(model.baseUrl) });
  const gone = new AbortController();
  const leaving = gauge.gauge(ASK, gone.signal);
  const rest = Array.from({ length: 19 }, () => gauge.gauge(ASK, NEVER));
  setTimeout(() => gone.abort(new Error("left")), 50);
  await assertRejects(() => leaving, Error, "left");
  const verdicts = await Promise.all(rest);
  assertEquals(model.calls.length, 1);
  assertEquals(new Set(verdicts.map(({ rationale }) => rationale)).size, 1);
});

Deno.test({
  name: "the same question asked at once on three replicas is one model call, or one failure",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using test = await testPostgres();
    await seed(test.database, KETTLES);
    await using model = startModel(() => ({ afterMs: 300, then: { content: reply() } }));
    const url = test.env["DATABASE_URL"] ?? "";
    const replicas = await Promise.all([1, 2, 3].map(() => openPostgres({ url, max: 4 })));
    const gauges = replicas.map((database) => gaugeOn(database, { model: modelAt(model.baseUrl) }));
    const ask = (query: string) =>
      Promise.allSettled(
        Array.from(
          { length: 21 },
          (_, i) => gauges[i % 3]?.gauge({ query, category: null }, NEVER),
        ),
      );
    const verdicts = await ask("leaking kettle");
    assert(verdicts.every(({ status }) => status === "fulfilled"));
    assertEquals(model.calls.length, 1);
    model.behave(() => ({ afterMs: 100, then: BEHAVIOURS.badKey() }));
    const failures = await ask("leaky kettle");
    assert(failures.every(({ status }) => status === "rejected"));
    assertEquals(model.calls.length, 2);
    await Promise.all(replicas.map((database) => database.close()));
  },
});

testBoth("a verdict whose evidence is removed while it is made is made again", async (test) => {
  const { sql } = test.database;
  await seed(test.database, KETTLES);
  const removed = Promise.withResolvers<void>();
  await using model = startModel(() => ({ after: removed.promise, then: { content: reply() } }));
  const gauge = gaugeOn(test.database, { model: modelAt(model.baseUrl) });
  const asking = gauge.gauge(ASK, NEVER);
  await until(() => model.calls.length > 0, "the model is asked");
  await sql.begin(async (tx) => {
    await tx`delete from posts where id = 'k7'`;
    await dropVerdictsByPosts(tx, ["k7"]);
  });
  removed.resolve();
  const verdict = await asking;
  assert(!verdict.evidenceIds.includes("k7"));
  assertEquals((await gauge.gauge(ASK, NEVER)).cache, "hit");
});

testBoth("a replica that dies while computing is taken over from", async (test) => {
  let now = NOW;
  const flights = (owner: string) =>
    createVerdictCache({
      sql: test.database.sql,
      clock: { now: () => now },
      log: silentLog,
      random: () => owner,
      shownSince: () => null,
      modelTimeoutMs: 5_000,
    });
  const dead = flights("dead").get("q|", () => new Promise(() => {}), AbortSignal.timeout(100));
  await assertRejects(() => dead);
  const next = flights("next").get(
    "q|",
    () => Promise.resolve({ verdict: VERDICT, postIds: [] }),
    NEVER,
  );
  setTimeout(() => now = new Date(NOW.getTime() + 60_000), 200);
  assertEquals((await next).verdictScore, 1);
});
