/** The two routes of verdicts over the real gauge, ledger and database. */
import { assert, assertEquals } from "@std/assert";
import type { Database } from "../../db/sql.ts";
import { removePosts } from "../../mining/removal/delete_posts.ts";
import { gauge as gaugeRoute } from "../../routes/data/gauge.ts";
import { seed } from "../gauge/support/corpus.ts";
import { gaugeOn, type GaugeParts, kitchenCatalogue, liveSignal } from "../gauge/support/gauge.ts";
import { testBothInTurn as testBoth } from "../support/database.ts";
import { type RunningService, startService } from "./shop.ts";

const POSTS = Array.from({ length: 6 }, (_, index) => ({
  id: `k${index}`,
  kind: "kettle",
  title: "Another kettle that leaks",
  quote: `Kettle number ${index} leaks at the base.`,
  upvotes: 10 * index,
}));
const FOUND = {
  id: "live1",
  community: "elsewhere",
  title: "My kettle leaks",
  body: "It leaks at the base again.",
  author: null,
  createdAt: new Date("2030-05-30T00:00:00.000Z"),
  upvotes: 3,
  comments: 1,
  permalink: "https://example.com/live1",
};

/** A service over a seeded gauge with these options. */
function serviceOn(database: Database, options: GaugeParts): Promise<RunningService> {
  const catalogue = kitchenCatalogue(["opp_kettle"]);
  const verdicts = gaugeOn(database, { catalogue: () => catalogue, ...options });
  return startService({ database, catalogue: () => catalogue, verdicts });
}

const body = (query: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ query }),
});

testBoth("a verdict is paid for, kept, and given again from the cache", async ({ database }) => {
  await seed(database, POSTS);
  await using service = await serviceOn(database, {});
  const first = await service.pay("/v1/gauge", body("kettle that leaks"));
  const verdict = await first.json();
  assertEquals(first.status, 200, JSON.stringify(verdict));
  assertEquals(gaugeRoute.doc.answer.parse(verdict), verdict);
  assertEquals([verdict.charged, verdict.cache], [true, "miss"]);
  assert(verdict.topEvidence.length > 0 && verdict.topEvidence.length <= 5);
  const again = await (await service.pay("/v1/gauge?query=Kettle,+that+LEAKS", { method: "POST" }))
    .json();
  assertEquals([again.charged, again.cache, again.fetchedAt], [true, "hit", verdict.fetchedAt]);
  const nothing = await (await service.pay("/v1/gauge", body("zxqv plorf"))).json();
  assertEquals([nothing.demandTemperature, nothing.verdictScore, nothing.charged], [
    "cold",
    0,
    true,
  ]);
});

testBoth("a live verdict adds what the search finds and is never kept", async ({ database }) => {
  await seed(database, POSTS);
  const source = { search: () => Promise.resolve([FOUND]) };
  await using service = await serviceOn(database, { source });
  for (let call = 0; call < 2; call++) {
    const verdict = await (await service.pay("/v1/gauge/live", body("kettle that leaks"))).json();
    assertEquals([verdict.charged, verdict.cache], [true, "miss"], JSON.stringify(verdict));
  }
});

testBoth(
  "what was forgotten is in no live verdict though the site still shows it, and the rest is sold",
  async ({ database }) => {
    await seed(database, POSTS.slice(0, 1));
    const read: string[] = [];
    const kept: string[] = [];
    await using service = await serviceOn(database, {
      source: { search: () => Promise.resolve([FOUND, { ...FOUND, id: "live2" }]) },
      inRegistry: () => true,
      storeLivePosts: (posts) => Promise.resolve(void kept.push(...posts.map(({ id }) => id))),
      readLive: (posts) => {
        read.push(...posts.map(({ id }) => id));
        return Promise.resolve(
          posts.map((post) => ({ ...liveSignal(post.id, post.title), post })),
        );
      },
    });
    await database.sql.begin((tx) => removePosts(tx, ["live1"], "2030-05-31"));
    const response = await service.pay("/v1/gauge/live", body("kettle that leaks"));
    const verdict = await response.json();
    assertEquals([response.status, verdict.charged], [200, true], JSON.stringify(verdict));
    assertEquals([read, kept], [["live2"], ["live2"]]);
    const [stored] = await database.sql<{ ids: string[] }[]>`
      select to_json(evidence_ids) as ids from payment_answers`;
    assertEquals(stored?.ids.toSorted(), ["k0", "live2"]);
  },
);

testBoth(
  "without a source a live verdict is not sold: nothing of the payment is kept",
  async ({ database }) => {
    await seed(database, POSTS);
    await using service = await serviceOn(database, {});
    const response = await service.pay("/v1/gauge/live", body("kettle that leaks"));
    const { error, charged } = await response.json();
    assertEquals([response.status, error.code, charged], [503, "source_unavailable", false]);
    assertEquals(error.message, "No live source is configured; /v1/gauge answers from the corpus.");
    assert(Number(response.headers.get("Retry-After")) >= 300);
    assertEquals([...await database.sql`select 1 from payments`], []);
  },
);

const hang = (): Promise<never> => new Promise(() => {});
const FAULTS: readonly [string, string, GaugeParts, number, string][] = [
  ["a model that is missing", "/v1/gauge", { synthesis: "none" }, 503, "model_unavailable"],
  [
    "a site that fails",
    "/v1/gauge/live",
    { source: { search: () => Promise.reject(new Error("secret detail")) } },
    503,
    "source_unavailable",
  ],
  [
    "a site that hangs",
    "/v1/gauge/live",
    { source: { search: hang }, liveBudgetMs: 200 },
    504,
    "compute_timeout",
  ],
];

for (const [what, path, options, status, code] of FAULTS) {
  testBoth(`${what} is an error, not a cold verdict, and takes no money`, async ({ database }) => {
    await seed(database, POSTS);
    await using service = await serviceOn(database, options);
    const response = await service.pay(path, body("kettle that leaks"));
    const text = await response.text();
    const { error, charged } = JSON.parse(text);
    assertEquals([response.status, error.code, charged], [status, code, false]);
    assert(!response.headers.has("PAYMENT-RESPONSE") && !text.includes("secret"));
    if (status === 503) assert(Number(response.headers.get("Retry-After")) > 0);
  });
}
