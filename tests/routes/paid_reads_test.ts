import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import { CATEGORY_SLUGS } from "../../mining/categories.ts";
import { momentum } from "../../mining/cards/listings.ts";

import { gauge as gaugeRoute } from "../../routes/data/gauge.ts";
import { briefRoute } from "../../routes/data/brief.ts";
import { opportunities } from "../../routes/data/opportunities.ts";
import { opportunity } from "../../routes/data/opportunity.ts";
import { trendingRoute } from "../../routes/data/trending.ts";
import { answerOf } from "./paid_support.ts";
import { BUILT_AT, card, catalogueOf, sixtyCards } from "../support/cards.ts";

const TEASER = ["id", "slug", "title", "category", "score", "signalCount", "lastSeen", "momentum"];

interface Item {
  readonly id: string;
  readonly score: number;
  readonly category: string;
  readonly slug: string;
}

const itemsOf = (value: unknown): Item[] =>
  z.array(
    z.looseObject({
      id: z.string(),
      score: z.number(),
      category: z.string(),
      slug: z.string(),
    }),
  ).parse(
    value,
  );

async function refused(work: Promise<unknown>): Promise<ServiceError> {
  return await assertRejects(() => work, ServiceError);
}

Deno.test("trending gives the 20 best cards as teasers, best first", async () => {
  const { body, charge } = await answerOf(trendingRoute, sixtyCards());
  assertEquals(Object.keys(body), ["opportunities", "fetchedAt", "dataFrom", "dataTo"]);
  const items = itemsOf(body["opportunities"]);
  assertEquals(items.length, 20);
  assertEquals(Object.keys(items[0] ?? {}).sort(), [...TEASER].sort());
  assertEquals(
    items.map(({ score }) => score),
    items.map(({ score }) => score).sort((a, b) => b - a),
  );
  assertEquals([body["fetchedAt"], charge], [BUILT_AT, true]);
});

Deno.test("trending and the brief are known by the cards they show", async () => {
  const listed = await answerOf(trendingRoute, sixtyCards());
  const shown = itemsOf(listed.body["opportunities"]).map(({ id }) => id);
  assertEquals([listed.evidenceIds?.length, listed.evidenceIds], [20, shown]);
  const { body, evidenceIds = [] } = await answerOf(briefRoute, sixtyCards());
  const { opportunities: { items }, trending: { signals } } = z.object({
    opportunities: z.object({ items: z.array(z.looseObject({ id: z.string() })) }),
    trending: z.object({ signals: z.array(z.unknown()) }),
  }).parse(body);
  assert(items.length > 0 && items.every(({ id }) => evidenceIds.includes(id)));
  assert(evidenceIds.length <= items.length + signals.length);
});

Deno.test("trending of an empty index is warming, never an empty list", async () => {
  assertEquals((await refused(answerOf(trendingRoute, catalogueOf([])))).code, "corpus_warming");
  const cardless = catalogueOf([], { warming: false });
  const { code, retryAfterSeconds } = await refused(answerOf(trendingRoute, cardless));
  assertEquals([code, retryAfterSeconds], ["corpus_warming", 1800]);
});

Deno.test("a category's list holds its own cards with summaries, at most 50", async () => {
  const many = catalogueOf(Array.from({ length: 70 }, (_, i) => card(i, { category: "audio" })));
  const { body, evidenceIds } = await answerOf(opportunities, many, { query: "category=audio" });
  assertEquals(Object.keys(body), [
    ...["category", "opportunities", "total", "nextCursor", "fetchedAt", "dataFrom", "dataTo"],
  ]);
  const items = itemsOf(body["opportunities"]);
  assertEquals(items.length, 50);
  assertEquals(evidenceIds, items.map(({ id }) => id));
  assertEquals(Object.keys(items[0] ?? {}).sort(), [...TEASER, "summary"].sort());
  assert(items.every(({ category }) => category === "audio"));
});

const listing = z.object({
  opportunities: z.array(z.looseObject({ id: z.string() })),
  total: z.number(),
  nextCursor: z.string().nullable(),
});

Deno.test("every card of a category can be bought, page by page, whatever comes and goes", async () => {
  const cards = Array.from(
    { length: 109 },
    (_, i) => card(i, { category: "audio", score: 50 - i % 7 }),
  );
  const catalogue = catalogueOf(cards);
  const pages: string[][] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query = new URLSearchParams({ category: "audio", ...(cursor === "" ? {} : { cursor }) });
    const { body, evidenceIds } = await answerOf(opportunities, catalogue, { query: `${query}` });
    const page = listing.parse(body);
    assertEquals(page.total, 109);
    pages.push(page.opportunities.map(({ id }) => id));
    assertEquals(evidenceIds, pages.at(-1));
    cursor = page.nextCursor;
  }
  assertEquals(pages.map(({ length }) => length), [50, 50, 9]);
  assertEquals(pages.flat(), catalogue.cards.map(({ id }) => id));
  // The card that a page ended with is gone, and a new best one has come: the next page goes on all the same.
  const first = await answerOf(opportunities, catalogue, { query: "category=audio&limit=10" });
  const { nextCursor, opportunities: ten } = listing.parse(first.body);
  assertEquals(ten.length, 10);
  const later = catalogueOf([
    ...cards.filter(({ id }) => id !== ten.at(-1)?.id),
    card(120, { category: "audio", score: 99 }),
  ]);
  const query = `category=audio&limit=1&cursor=${nextCursor}`;
  const [next] =
    listing.parse((await answerOf(opportunities, later, { query })).body).opportunities;
  assertEquals(next?.id, catalogue.cards[10]?.id);
});

Deno.test("a page behind the last card is empty and costs nothing", async () => {
  const query = "category=audio&cursor=0_opp_zzzzzzzzzzzzzzzz_0_audio";
  const { body, charge } = await answerOf(opportunities, sixtyCards(), { query });
  assertEquals([body["opportunities"], body["nextCursor"], charge], [[], null, false]);
  assertEquals([body["total"], body["dataFrom"], body["dataTo"]], [20, null, null]);
});

for (
  const [name, value] of [
    ...["0", "51", "1.5", "ten", ""].map((value) => ["limit", value]),
    ...["", "x", "50", "50_opp_1", "-1_opp_aaaaaaaaaaaaaaaa"].map((value) => ["cursor", value]),
    // Of another list: cards would be passed over that no page has shown.
    ...["0_computers", "40_audio"].map((list) => ["cursor", `50_opp_aaaaaaaaaaaaaaaa_${list}`]),
  ] as [string, string][]
) {
  Deno.test(`${name}=${JSON.stringify(value)} is an invalid_parameter`, async () => {
    const query = `${new URLSearchParams({ category: "audio", [name]: value })}`;
    const error = await refused(answerOf(opportunities, sixtyCards(), { query }));
    assertEquals([error.code, error.param], ["invalid_parameter", name]);
  });
}

Deno.test("an unknown parameter is refused, and the known ones are named", async () => {
  const cases: readonly [Parameters<typeof answerOf>[0], string, string][] = [
    [opportunities, "category=audio&page=2", "category, minScore, limit, cursor"],
    [opportunity, "slug=want-1&ID=x", "id, slug"],
    [trendingRoute, "limit=5", "there are none"],
    [briefRoute, "cat=audio", "there are category"],
  ];
  for (const [route, query, known] of cases) {
    const error = await refused(answerOf(route, sixtyCards(), { query }));
    assertEquals(error.code, "invalid_parameter", query);
    assert(error.message.includes(known), error.message);
  }
  const body = JSON.stringify({ query: "quiet fan", Category: "audio" });
  const error = await refused(
    answerOf(gaugeRoute, sixtyCards(), { body, type: "application/json" }),
  );
  assertEquals([error.code, error.param], ["invalid_parameter", "Category"]);
  assert(error.message.includes("query, category"), error.message);
});

const spanIn = ({ dataFrom, dataTo }: Record<string, unknown>) => ({ dataFrom, dataTo });

Deno.test("answers say how old the posts behind them are", async () => {
  const old = card(0, {
    category: "audio",
    firstSeen: "2013-01-02T00:00:00.000Z",
    lastSeen: "2013-05-06T00:00:00.000Z",
  });
  const catalogue = catalogueOf([old, card(1)]);
  const span = { dataFrom: old.firstSeen, dataTo: old.lastSeen };
  const one = await answerOf(opportunity, catalogue, { query: `id=${old.id}` });
  assertEquals(spanIn(one.body), span);
  const list = await answerOf(opportunities, catalogue, { query: "category=audio" });
  assertEquals(spanIn(list.body), span);
  const both = await answerOf(trendingRoute, catalogue);
  assertEquals(spanIn(both.body), { dataFrom: old.firstSeen, dataTo: card(1).lastSeen });
  const { opportunities: [teaser] } = z.object({
    opportunities: z.array(z.looseObject({ momentum: z.number() })),
  }).parse(both.body);
  assertEquals(teaser?.momentum, momentum(old));
});

Deno.test("minScore filters, and a list it empties costs nothing", async () => {
  const catalogue = catalogueOf([
    card(0, { category: "audio", score: 80 }),
    card(3, { category: "audio", score: 60 }),
  ]);
  const some = await answerOf(opportunities, catalogue, { query: "category=audio&minScore=60.5" });
  assertEquals([itemsOf(some.body["opportunities"]).length, some.charge], [1, true]);
  const equal = await answerOf(opportunities, catalogue, { query: "category=audio&minScore=6e1" });
  assertEquals(itemsOf(equal.body["opportunities"]).length, 2);
  const none = await answerOf(opportunities, catalogue, { query: "category=audio&minScore=100" });
  assertEquals([none.body["opportunities"], none.charge], [[], false]);
});

for (const value of ["-1", "101", "NaN", "1e309", "", "Infinity", "0x10", " 5", "5,0", "null"]) {
  Deno.test(`minScore=${JSON.stringify(value)} is an invalid_parameter`, async () => {
    const query = new URLSearchParams({ category: "audio", minScore: value }).toString();
    const error = await refused(answerOf(opportunities, sixtyCards(), { query }));
    assertEquals([error.code, error.param], ["invalid_parameter", "minScore"]);
  });
}

for (
  const value of ["Audio", "AUDIO", "nope", "", " audio", "constructor", "__proto__", "audio\0"]
) {
  Deno.test(`category=${JSON.stringify(value)} is an invalid_category with the list`, async () => {
    const query = new URLSearchParams({ category: value }).toString();
    for (const route of [opportunities, briefRoute]) {
      const error = await refused(answerOf(route, sixtyCards(), { query }));
      assertEquals([error.code, error.param], ["invalid_category", "category"]);
      assertEquals(error.categories, [...CATEGORY_SLUGS]);
    }
  });
}

Deno.test("an absent category is told apart from a wrong one", async () => {
  const error = await refused(answerOf(opportunities, sixtyCards()));
  assertEquals([error.code, error.categories?.length], ["invalid_category", CATEGORY_SLUGS.length]);
  const wrongToo = await refused(answerOf(opportunities, sixtyCards(), { query: "minScore=-1" }));
  assertEquals(wrongToo.code, "invalid_parameter");
});

Deno.test("what is wrong is told as a rule, in words", async () => {
  const cases: readonly [Parameters<typeof answerOf>[0], string, string][] = [
    [opportunities, "category=audio&minScore=x", '"minScore" should be a number from 0 to 100.'],
    [opportunities, "category=audio&minScore=", '"minScore" should be a number from 0 to 100.'],
    [opportunities, "category=audio&minScore=101", '"minScore" should be a number from 0 to 100.'],
    [opportunity, "id=", '"id" should be text of 1 to 200 characters.'],
    [opportunity, `slug=${"x".repeat(201)}`, '"slug" should be text of 1 to 200 characters.'],
    [briefRoute, "category=nope", '"category" is not one of the categories.'],
  ];
  for (const [route, query, rule] of cases) {
    const error = await refused(answerOf(route, sixtyCards(), { query }));
    assertEquals(error.message, rule, query);
  }
});

Deno.test("a parameter given twice is wrong, whatever its values", async () => {
  const twice = await refused(
    answerOf(opportunities, sixtyCards(), { query: "category=audio&category=audio" }),
  );
  assertEquals(twice.code, "invalid_category");
  const ids = await refused(answerOf(opportunity, sixtyCards(), { query: "slug=a&slug=b" }));
  assertEquals(ids.code, "invalid_identifier");
});

Deno.test("a category without active cards is warming, and the error names those with some", async () => {
  const query = `category=${CATEGORY_SLUGS[20]}`;
  const error = await refused(answerOf(opportunities, sixtyCards(), { query }));
  assertEquals([error.code, error.param], ["corpus_warming", "category"]);
  assertEquals(error.categories, CATEGORY_SLUGS.slice(0, 3));
});

Deno.test("a card is found by id or by slug, whole and with the ids of its posts", async () => {
  const one = card(5);
  for (const query of [`id=${one.id}`, `slug=${one.slug}`]) {
    const { body, charge, evidenceIds } = await answerOf(opportunity, sixtyCards(), { query });
    assertEquals(Object.keys(body), [
      ...["id", "slug", "title", "category", "score", "freqScore", "intensityScore", "wtpScore"],
      ...["scoreVersion", "productAngle", "summary", "signalCount", "distinctAuthors"],
      ...["firstSeen", "lastSeen", "facts", "evidence", "builderMomentum", "fetchedAt"],
      ...["dataFrom", "dataTo"],
    ]);
    assertEquals([body["id"], body["fetchedAt"], charge], [one.id, BUILT_AT, true]);
    assertEquals(evidenceIds, ["p5"]);
  }
});

Deno.test("neither, both, empty and unknown identifiers are told apart", async () => {
  for (
    const [query, code, param] of [
      ["", "invalid_identifier", "id"],
      [`id=${card(1).id}&slug=want-1`, "invalid_identifier", "slug"],
      ["id=", "invalid_identifier", "id"],
      [`slug=${"x".repeat(201)}`, "invalid_identifier", "slug"],
      ["id=opp_nothing", "opportunity_not_found", "id"],
      ["slug=' OR 1=1 --", "opportunity_not_found", "slug"],
    ] as const
  ) {
    const error = await refused(answerOf(opportunity, sixtyCards(), { query }));
    assertEquals([error.code, error.param], [code, param], query);
  }
  for (const [param, value] of [["slug", card(1).id], ["id", "want-1"]] as const) {
    const query = `${param}=${value}`;
    const error = await refused(answerOf(opportunity, sixtyCards(), { query }));
    assertEquals([error.code, error.param], ["opportunity_not_found", param]);
    assertStringIncludes(error.message, `No active opportunity has this ${param}: ids go into id`);
    assert(!error.message.includes(value), error.message);
  }
});

Deno.test("the brief holds its three sections, each with its time", async () => {
  const { body } = await answerOf(briefRoute, sixtyCards());
  assertEquals(Object.keys(body), [
    ...["generatedAt", "dataFrom", "dataTo", "category", "trending", "opportunities", "categories"],
  ]);
  const sections = z.object({
    trending: z.object({ asOf: z.iso.datetime(), signals: z.array(z.looseObject({})) }),
    opportunities: z.object({ asOf: z.iso.datetime(), items: z.array(z.looseObject({})) }),
    categories: z.object({ asOf: z.iso.datetime(), items: z.array(z.looseObject({})) }),
  }).parse(body);
  assertEquals([body["generatedAt"], body["category"]], [BUILT_AT, null]);
  assertEquals(sections.opportunities.items.length, 10);
  assertEquals(sections.categories.items.length, CATEGORY_SLUGS.length);
  assertEquals(sections.trending.signals[0], {
    slug: "want-0",
    title: card(0).title,
    category: "audio",
    pattern: "repeat_failure",
    signalCount7d: 4,
    momentum: 1.5,
    lastSeen: card(0).lastSeen,
  });
});

Deno.test("the brief's category restricts its opportunities and nothing else", async () => {
  const slug = CATEGORY_SLUGS[1] ?? "";
  const { body } = await answerOf(briefRoute, sixtyCards(), { query: `category=${slug}` });
  const parsed = z.object({
    trending: z.object({ signals: z.array(z.object({ category: z.string() })) }),
    opportunities: z.object({ items: z.array(z.object({ category: z.string() })) }),
  }).parse(body);
  const listed = parsed.opportunities.items.map(({ category }) => category);
  assertEquals([...new Set(listed)], [slug]);
  assert(parsed.trending.signals.some(({ category }) => category !== slug));
  assertEquals(body["category"], slug);
});

Deno.test("the brief is warming only where nothing trends and nothing is open", async () => {
  assertEquals((await refused(answerOf(briefRoute, catalogueOf([])))).code, "corpus_warming");
  const still = catalogueOf([card(0, { signals7d: 0 })]);
  assertEquals((await answerOf(briefRoute, still)).charge, true);
  const other = { query: `category=${CATEGORY_SLUGS[9]}` };
  assertEquals((await refused(answerOf(briefRoute, still, other))).code, "corpus_warming");
});

Deno.test("fewer than three signals in a week are no trend", async () => {
  const cards = [
    card(0, { signals7d: 2, signals28d: 0 }),
    card(1, { signals7d: 3, signals28d: 0 }),
  ];
  const { body } = await answerOf(briefRoute, catalogueOf(cards));
  const { trending } = z.object({
    trending: z.object({ signals: z.array(z.object({ slug: z.string() })) }),
  }).parse(body);
  assertEquals(trending.signals.map(({ slug }) => slug), ["want-1"]);
});

Deno.test("momentum is 1 when steady and does not shout at small counts", () => {
  assertEquals(momentum({ signals7d: 5, signals28d: 20 }), 1);
  assertEquals(momentum({ signals7d: 1, signals28d: 0 }), 1.5);
  assert(momentum({ signals7d: 40, signals28d: 40 }) > momentum({ signals7d: 4, signals28d: 4 }));
  assert(momentum({ signals7d: 0, signals28d: 40 }) < 1);
});

Deno.test("the documented call of a category's list is answered as documented", async () => {
  const last = CATEGORY_SLUGS.at(-1) ?? "";
  for (const score of [12.5, 88]) {
    const catalogue = catalogueOf([{ ...card(1), category: last, score }]);
    const { inputExample, example } = opportunities.doc;
    const asked = new URLSearchParams(
      Object.entries(inputExample(catalogue)).map(([name, value]) => [name, String(value)]),
    );
    const { body, charge } = await answerOf(opportunities, catalogue, { query: `${asked}` });
    assertEquals({ ...body, charged: charge }, example(catalogue));
    assertEquals(charge, true);
  }
});
