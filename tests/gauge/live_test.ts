import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import { ServiceError } from "../../core/errors.ts";
import { firstStart, setOrigin } from "../../db/corpus/corpus.ts";
import { SourceError } from "../../mining/sources/errors.ts";
import type { Post } from "../../mining/types.ts";
import type { GaugeOptions, LiveSearch } from "../../gauge/types.ts";
import { BEHAVIOURS, startModel } from "../doubles/model.ts";
import { testBothInTurn as testBoth, type TestDatabase } from "../support/database.ts";
import { bytesAsHex, NOW, seed } from "./support/corpus.ts";
import {
  gaugeOn,
  type GaugeParts,
  kitchenCatalogue,
  liveSignal,
  modelAt,
} from "./support/gauge.ts";
import { NEVER } from "../support/time.ts";

const ASK = { query: "kettle that leaks", category: null };
const FOUND = [
  liveSignal("l1", "My kettle leaks, which one does not?"),
  liveSignal("l2", "Kettle leaks again", { community: "things" }),
  liveSignal("l3", "A boring chair"),
];
const STORED = {
  id: "k1",
  kind: "kettle",
  title: "A kettle that leaks",
  quote: "The kettle leaks.",
};

function searching(posts: readonly Post[]): LiveSearch & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    search: (query, options) => {
      asked.push([query, options.limit]);
      return Promise.resolve(posts);
    },
  };
}

const readLive: GaugeOptions["readLive"] = (posts) =>
  Promise.resolve(
    FOUND.filter(({ post }) => posts.some(({ id }) => id === post.id)).map((signal) =>
      signal.post.id === "l3"
        ? { ...signal, signal: { ...signal.signal, product: "chair", kind: "chair" } }
        : signal
    ),
  );

const liveOn = (test: TestDatabase, options: GaugeParts) =>
  gaugeOn(test.database, { readLive, ...options });

async function code(work: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => work, ServiceError)).code;
}

testBoth(
  "corpus and live posts answer together, and nothing is kept in the cache",
  async (test) => {
    await seed(test.database, [STORED]);
    const source = searching(FOUND.map(({ post }) => post));
    const gauge = liveOn(test, { source });
    const verdict = await gauge.live(ASK, NEVER);
    assertEquals(source.asked, [["kettle that leaks", 50]]);
    assertEquals(verdict.cache, "miss");
    assertEquals([...verdict.evidenceIds].sort(), ["k1", "l1", "l2"]);
    assert(verdict.rationale.includes("3 people"), verdict.rationale);
    const [row] = await test.database.sql<{ n: number }[]>`select count(*) as n from verdicts`;
    assertEquals(row?.n, 0);
    assertEquals((await gauge.gauge(ASK, NEVER)).cache, "miss");
    assertEquals((await gauge.live(ASK, NEVER)).cache, "miss");
  },
);

testBoth("a post that is in the corpus already counts once", async (test) => {
  await seed(test.database, [{ ...STORED, id: "l1", authorKey: "l1", text: "l1" }]);
  const gauge = liveOn(test, { source: searching(FOUND.slice(0, 1).map(({ post }) => post)) });
  const verdict = await gauge.live(ASK, NEVER);
  assertEquals(verdict.evidenceIds, ["l1"]);
  assert(verdict.rationale.includes("1 person "), verdict.rationale);
});

testBoth("a post in the corpus behind the nearest counts once as well", async (test) => {
  const others = Array.from({ length: 160 }, (_, n) => ({ ...STORED, id: `k${n}` }));
  const last = { ...STORED, id: "l1", authorKey: "l1", text: "l1", ageDays: 170 };
  await seed(test.database, [...others, last]);
  const gauge = liveOn(test, { source: searching(FOUND.slice(0, 1).map(({ post }) => post)) });
  const { funnel } = await gauge.live(ASK, NEVER);
  assertEquals(funnel, (await gauge.gauge(ASK, NEVER)).funnel);
  assertEquals(funnel.askingForProduct, 161);
});

testBoth(
  "who writes twice, or again, or copies a text is one person in a live verdict",
  async (test) => {
    await seed(test.database, [{ ...STORED, authorKey: "known", text: "stored" }]);
    const said: readonly (readonly [string, string])[] = [
      ["known", "t1"],
      ["new", "t2"],
      ["new", "t3"],
      ["copier", "t2"],
      ["other", "stored"],
      ["third", "t4"],
    ];
    const found = said.map(([author, text], n) => {
      const one = liveSignal(`m${n}`, "My kettle leaks");
      return {
        ...one,
        signal: { ...one.signal, authorKey: bytesAsHex(author), textKey: bytesAsHex(text) },
      };
    });
    const readLive: GaugeOptions["readLive"] = (posts) =>
      Promise.resolve(found.filter(({ post }) => posts.some(({ id }) => id === post.id)));
    const source = searching(found.map(({ post }) => post));
    const { funnel } = await liveOn(test, { source, readLive }).live(ASK, NEVER);
    assertEquals([funnel.askingForProduct, funnel.statingAll], [3, 3]);
  },
);

testBoth(
  "only posts of the registry's communities are handed on, and a failure there is no one's",
  async (test) => {
    await seed(test.database, [STORED]);
    const kept: string[] = [];
    const gauge = liveOn(test, {
      source: searching(FOUND.map(({ post }) => post)),
      inRegistry: (community) => community === "things",
      storeLivePosts: (posts) => {
        kept.push(...posts.map(({ id }) => id));
        return Promise.reject(new Error("the disk is full"));
      },
    });
    await gauge.live(ASK, NEVER);
    assertEquals(kept, ["l2"]);
  },
);

testBoth("posts count that are stored before they are matched", async (test) => {
  await seed(test.database, [STORED]);
  let storing = Promise.resolve();
  const gauge = liveOn(test, {
    source: searching(FOUND.map(({ post }) => post)),
    inRegistry: () => true,
    storeLivePosts: (posts) =>
      storing = seed(
        test.database,
        posts.map(({ id }) => ({ ...STORED, id, authorKey: id, text: id })),
      ),
    readLive: async (posts) => {
      await storing;
      return await readLive(posts);
    },
  });
  assertEquals((await gauge.live(ASK, NEVER)).funnel.askingForProduct, 3);
});

testBoth("nothing in the corpus and an empty search is cold, without a model", async (test) => {
  await using model = startModel(BEHAVIOURS.broken);
  const gauge = liveOn(test, { source: searching([]), model: modelAt(model.baseUrl) });
  const verdict = await gauge.live({ query: "xqzzt vlorp", category: null }, NEVER);
  assertEquals([verdict.verdictScore, verdict.demandTemperature], [0, "cold"]);
  assertEquals(model.calls.length, 0);
});

testBoth("a corpus without a signal has live verdicts alone, once it was mined", async (test) => {
  const catalogue = () => ({ ...kitchenCatalogue(), signalCount: 0 });
  const gauge = liveOn(test, { source: searching([]), catalogue });
  await gauge.ready("live");
  assertEquals((await gauge.live(ASK, NEVER)).demandTemperature, "cold");
  for (const asked of [() => gauge.ready("gauge"), () => gauge.gauge(ASK, NEVER)]) {
    assertEquals(await code(asked()), "corpus_warming");
  }
});

testBoth("a source that fails is source_unavailable and never cold", async (test) => {
  const failing: LiveSearch = { search: () => Promise.reject(new Error("503 from the site")) };
  const gauge = liveOn(test, { source: failing });
  assertEquals(await code(gauge.live(ASK, NEVER)), "source_unavailable");
  await gauge.ready("live");
});

testBoth("who asks live is told the wait that the site asks for, a day at most", async (test) => {
  for (const [asked, told] of [[undefined, 30], [1, 30], [4_000, 4_000], [1e12, 86_400]] as const) {
    const details = asked === undefined ? {} : { retryAfterSeconds: asked };
    const search = () => Promise.reject(new SourceError("rate_limited", "fewer, please", details));
    const gauge = liveOn(test, { source: { search } });
    const error = await assertRejects(() => gauge.live(ASK, NEVER), ServiceError);
    assertEquals([error.code, error.retryAfterSeconds], ["source_unavailable", told]);
  }
});

testBoth(
  "without a source the demonstration is searched, and an archive cannot be",
  async (test) => {
    const { sql } = test.database;
    const gauge = liveOn(test, {});
    await firstStart(sql, NOW);
    await setOrigin(sql, "demo", "wall");
    await gauge.ready("live");
    assertEquals((await gauge.live(ASK, NEVER)).cache, "miss");
    await setOrigin(sql, "real", "archive");
    for (const asked of [() => gauge.ready("live"), () => gauge.live(ASK, NEVER)]) {
      const error = await assertRejects(asked, ServiceError, "No live source is configured");
      assertEquals([error.code, error.retryAfterSeconds], ["source_unavailable", 3_600]);
      assertEquals(error.isLasting, true);
    }
  },
);

testBoth("one deadline covers the search and the model with its retries", async (test) => {
  await seed(test.database, [STORED]);
  const began = performance.now();
  const hanging: LiveSearch = { search: () => new Promise(() => {}) };
  assertEquals(
    await code(liveOn(test, { source: hanging, liveBudgetMs: 300 }).live(ASK, NEVER)),
    "compute_timeout",
  );
  await using model = startModel(BEHAVIOURS.hang);
  const slow = liveOn(test, {
    source: searching(FOUND.map(({ post }) => post)),
    model: modelAt(model.baseUrl),
    liveBudgetMs: 600,
  });
  assertEquals(await code(slow.live(ASK, NEVER)), "compute_timeout");
  const quick = liveOn(test, {
    source: searching([]),
    model: { ...modelAt(model.baseUrl), timeoutMs: 200 },
  });
  assertEquals(await code(quick.live(ASK, NEVER)), "model_unavailable");
  assertLess(performance.now() - began, 10_000);
});

testBoth("a caller that goes away ends a live verdict with its own reason", async (test) => {
  const hanging: LiveSearch = { search: () => new Promise(() => {}) };
  const caller = new AbortController();
  const asking = liveOn(test, { source: hanging }).live(ASK, caller.signal);
  setTimeout(() => caller.abort(new Error("left")), 50);
  await assertRejects(() => asking, Error, "left");
});

testBoth("posts of today make those of the corpus as old as they are", async (test) => {
  await seed(test.database, [{ ...STORED, ageDays: 100 }]);
  const corpus = await liveOn(test, { source: searching([]) }).live(ASK, NEVER);
  const later = new Date(NOW.getTime() + 720 * DAY_MS);
  const boring = { ...FOUND[0]!, post: { ...FOUND[0]!.post, createdAt: later } };
  const gauge = gaugeOn(test.database, {
    readLive: () => Promise.resolve([boring]),
    source: searching([boring.post]),
  });
  const both = await gauge.live(ASK, NEVER);
  // What was of late is of old beside a post of today: two people, and the score of little more than one.
  assertEquals([corpus.funnel.askingForProduct, both.funnel.askingForProduct], [1, 2]);
  assertLess(both.verdictScore - corpus.verdictScore, 5);
});
