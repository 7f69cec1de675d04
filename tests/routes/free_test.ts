import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { gunzipSync } from "node:zlib";
import { parseInput } from "../../gauge/input.ts";
import { CATEGORY_SLUGS } from "../../mining/categories.ts";
import type { ErrorBody } from "../../routes/pipeline/errors.ts";
import { ServiceError } from "../../core/errors.ts";
import type { Verdicts } from "../../routes/pipeline/deps.ts";
import { appOf, movedClock, VERDICTS } from "./support.ts";
import { BUILT_AT, card, catalogueOf, sixtyCards } from "../support/cards.ts";

const errorOf = async (response: Response): Promise<ErrorBody> => await response.json();

Deno.test("the category index lists every category with count, top score and time", async () => {
  const response = await appOf()("/v1/categories");
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("Content-Type"), "application/json");
  const body = await response.json();
  assertEquals(Object.keys(body), ["categories", "generatedAt", "dataFrom", "dataTo"]);
  assertEquals(body.generatedAt, BUILT_AT);
  assertEquals(body.categories.map((entry: { slug: string }) => entry.slug), [...CATEGORY_SLUGS]);
  assertEquals(body.categories[0], {
    slug: "audio",
    title: "Headphones, speakers and audio gear",
    opportunityCount: 20,
    topScore: 90,
    lastUpdated: BUILT_AT,
    newestPost: card(0).lastSeen,
  });
  assertEquals(body.categories[5].opportunityCount, 0);
  assertEquals(body.categories[5].topScore, 0);
});

Deno.test("the sample is a full card with its note and without a charge", async () => {
  const response = await appOf()("/v1/sample/opportunity");
  const body = await response.json();
  assertEquals(Object.keys(body), [
    ...["id", "slug", "title", "category", "score", "freqScore", "intensityScore", "wtpScore"],
    ...["scoreVersion", "productAngle", "summary", "signalCount", "distinctAuthors"],
    ...["firstSeen", "lastSeen", "facts", "evidence", "builderMomentum", "fetchedAt"],
    ...["dataFrom", "dataTo"],
    ...["sample", "note", "cardAsOf"],
  ]);
  assertEquals(body.sample, true);
  assertEquals(body.builderMomentum, null);
  assertEquals(body.cardAsOf, BUILT_AT);
  assertEquals(Object.keys(body.evidence[0]), [
    ...["quote", "permalink", "upvotes", "subreddit", "postedAt"],
  ]);
});

Deno.test("the sample verdict has the fields of a verdict, its note, and no charge", async () => {
  const response = await appOf({ verdicts: VERDICTS })("/v1/sample/verdict");
  const body = await response.json();
  assertEquals([response.status, response.headers.get("RateLimit-Limit")], [200, "10"]);
  assertEquals(Object.keys(body), [
    ...["query", "verdictScore", "demandTemperature", "rationale", "funnel", "topEvidence"],
    ...["relatedOpportunities", "cache", "fetchedAt", "dataFrom", "dataTo"],
    ...["sample", "note", "verdictAsOf"],
  ]);
  assertEquals([body.query, body.sample, body.verdictAsOf], [
    "headphones, cable frays",
    true,
    BUILT_AT,
  ]);
});

Deno.test("documents show the sample verdict itself, or an invented one while it cannot be had", async () => {
  const shown = async (verdicts: Verdicts) => {
    const call = appOf({ verdicts, catalogue: sixtyCards() });
    const { paths } = await (await call("/openapi.json")).json();
    const { example } =
      paths["/v1/sample/verdict"].get.responses["200"].content["application/json"];
    const guide = await (await call("/llms-full.txt")).text();
    assertStringIncludes(guide, example.rationale.slice(0, 20));
    return [example, await (await call("/v1/sample/verdict")).json()];
  };
  const [example, answer] = await shown(VERDICTS);
  assertEquals(example, answer);
  const [invented] = await shown({
    ...VERDICTS,
    sample: () => Promise.reject(new ServiceError("source_unavailable", "No.")),
  });
  assertStringIncludes(invented.rationale, "214 people");
});

Deno.test("a sample verdict is asked of whole characters, however long the card's title", async () => {
  const verdicts: Verdicts = {
    ...VERDICTS,
    parse: (input) => parseInput(input, CATEGORY_SLUGS),
  };
  const { facts: _, ...untold } = card(0, { title: `${"x".repeat(199)}🎧` });
  const catalogue = catalogueOf([untold]);
  const response = await appOf({ verdicts, catalogue })("/v1/sample/verdict");
  assertEquals([response.status, (await response.json()).query], [200, "x".repeat(199)]);
});

Deno.test("a sample verdict that failed is tried again, and one is made for each catalogue", async () => {
  let [current, made] = [sixtyCards(), 0];
  const verdicts: typeof VERDICTS = {
    ...VERDICTS,
    sample: (input) => {
      if (made++ === 0) return Promise.reject(new ServiceError("overloaded", "Not now."));
      return VERDICTS.sample(input);
    },
  };
  const call = appOf({ verdicts, catalogue: () => current });
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await call("/v1/sample/verdict")).status);
  assertEquals([statuses, made], [[503, 200, 200], 2]);
  current = sixtyCards();
  assertEquals([(await call("/v1/sample/verdict")).status, made], [200, 3]);
});

Deno.test("there is no sample verdict before there are cards, nor where none are sold", async () => {
  const empty = await appOf({ verdicts: VERDICTS, catalogue: catalogueOf([]) })(
    "/v1/sample/verdict",
  );
  assertEquals([empty.status, (await errorOf(empty)).error.code], [503, "corpus_warming"]);
  const call = appOf({ verdicts: VERDICTS, settings: { synthesis: "none" } });
  const none = await call("/v1/sample/verdict");
  const { error } = await errorOf(none);
  assertEquals([none.status, error.code], [503, "model_unavailable"]);
  // Only the header, which every 503 has: nothing changes before the settings do.
  assertEquals([error.retryable, error.retryAfterSeconds], [false, undefined]);
  assertEquals(none.headers.get("Retry-After"), "300");
  assert(!(await (await call("/llms.txt")).text()).includes("/v1/sample/verdict"));
});

Deno.test("a card says that authors are unknown only where they are", async () => {
  const call = appOf({ catalogue: catalogueOf([card(0, { authorsKnown: false })]) });
  assertEquals((await (await call("/v1/sample/opportunity")).json()).authorsKnown, false);
});

Deno.test("the sample of an empty index is a warming 503 with Retry-After", async () => {
  const response = await appOf({ catalogue: catalogueOf([]) })("/v1/sample/opportunity");
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("Retry-After"), "60");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const body = await errorOf(response);
  assertEquals(body.error.code, "corpus_warming");
  assertEquals(body.error.retryable, true);
  assertEquals(body.error.requestId, response.headers.get("X-Request-Id"));
  assertEquals(body.charged, false);
});

Deno.test("where nothing had enough people for a card nothing is warming, and no sooner answer is promised", async () => {
  const catalogue = catalogueOf([], { warming: false, signalCount: 338 });
  const call = appOf({ verdicts: VERDICTS, catalogue });
  for (const path of ["/v1/sample/opportunity", "/v1/sample/verdict"]) {
    const response = await call(path);
    assertEquals([response.status, response.headers.get("Retry-After")], [503, "1800"], path);
    const { error } = await errorOf(response);
    assertEquals([error.code, error.retryAfterSeconds], ["corpus_warming", 1800]);
    assertEquals(
      error.message,
      "There is no card: no want has the people of late, the quotes and the facts that one needs.",
    );
  }
  const { corpus } = await (await call("/health")).json();
  assertEquals([corpus.warming, corpus.signals], [false, 338]);
});

Deno.test("a known tag gets a 304 without a body, and a new catalogue a new tag", async () => {
  let current = sixtyCards();
  const call = appOf({ catalogue: () => current });
  const etag = (await call("/v1/categories")).headers.get("ETag") ?? "";
  assertMatch(etag, /^"[\w-]{22}"$/);
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const again = await call("/v1/categories", { headers: { "If-None-Match": header } });
    assertEquals([again.status, await again.text()], [304, ""]);
    assertEquals(again.headers.get("ETag"), etag);
  }
  current = catalogueOf([card(1)]);
  const changed = await call("/v1/categories", { headers: { "If-None-Match": etag } });
  assertEquals(changed.status, 200);
  assertNotEquals(changed.headers.get("ETag"), etag);
});

Deno.test("health says status, payment mode, version and corpus", async () => {
  const response = await appOf()("/health");
  assertEquals(response.status, 200);
  assertEquals(await response.json(), {
    status: "ok",
    paymentMode: "test",
    version: "0.1.0",
    sales: "open",
    corpus: {
      opportunities: 60,
      signals: 720,
      lastMinedAt: BUILT_AT,
      newestPost: card(0).lastSeen,
      warming: false,
    },
  });
});

Deno.test("health and readiness are 503 without a database, liveness is not", async () => {
  const call = appOf({ health: () => Promise.reject(new Error("connection refused")) });
  const health = await call("/health");
  assertEquals([health.status, (await health.json()).status], [503, "unavailable"]);
  assertEquals(health.headers.get("Retry-After"), "5");
  assertEquals((await call("/readyz")).status, 503);
  assertEquals((await call("/livez")).status, 200);
});

Deno.test("readiness alone says no while the process drains", async () => {
  const call = appOf({
    health: () => Promise.resolve({ database: true, ledger: true, sales: false, accepting: false }),
  });
  const ready = await call("/readyz");
  assertEquals([ready.status, (await ready.json()).reason], [503, "stopping"]);
  assertEquals((await call("/health")).status, 200);
});

Deno.test("readiness says no while payments cannot be written down, and health says why", async () => {
  const call = appOf({
    health: () => Promise.resolve({ database: true, ledger: false, sales: false, accepting: true }),
  });
  const ready = await call("/readyz");
  assertEquals([ready.status, (await ready.json()).reason], [503, "ledger"]);
  const health = await call("/health");
  const { status, sales } = await health.json();
  assertEquals([health.status, status, sales], [200, "ok", "stopped"]);
});

Deno.test("health says that sales are stopped while nothing can be settled, which no other process mends", async () => {
  const call = appOf({
    health: () => Promise.resolve({ database: true, ledger: true, sales: false, accepting: true }),
  });
  const { status, sales } = await (await call("/health")).json();
  assertEquals([status, sales], ["ok", "stopped"]);
  assertEquals((await call("/readyz")).status, 200);
});

Deno.test("the database is asked at most once a second", async () => {
  const { advance, ...clocks } = movedClock();
  let asked = 0;
  const call = appOf({
    ...clocks,
    health: () => {
      asked++;
      return Promise.resolve({ database: true, ledger: true, sales: true, accepting: true });
    },
  });
  await Promise.all([call("/health"), call("/health"), call("/health")]);
  assertEquals(asked, 1);
  advance(1000);
  await call("/health");
  assertEquals(asked, 2);
});

Deno.test("a parameter that a free route with data does not know is a 400, elsewhere it is passed over", async () => {
  const call = appOf({ verdicts: VERDICTS });
  for (const path of ["/v1/categories", "/v1/sample/opportunity", "/v1/sample/verdict"]) {
    for (const method of ["GET", "HEAD"]) {
      assertEquals((await call(`${path}?category=kitchen`, { method })).status, 400, path);
    }
    const response = await call(`${path}?minScore=50`);
    const { error } = await errorOf(response);
    assertEquals([error.code, error.param], ["invalid_parameter", "minScore"]);
    assertEquals(error.message, '"minScore" is no parameter here: there are none.');
    assertEquals((await call(`${path}?`)).status, 200, path);
  }
  for (const path of ["/health", "/llms.txt", "/openapi.json", "/docs", "/"]) {
    assertEquals((await call(`${path}?utm_source=a`)).status, 200, path);
  }
});

Deno.test("an unknown address is 404 and a wrong method 405 with Allow", async () => {
  const call = appOf();
  const missing = await call("/v1/nothing");
  assertEquals([missing.status, (await errorOf(missing)).error.code], [404, "not_found"]);
  const wrong = await call("/v1/categories", { method: "DELETE" });
  assertEquals([wrong.status, (await errorOf(wrong)).error.code], [405, "method_not_allowed"]);
  assertEquals(wrong.headers.get("Allow"), "GET, HEAD, OPTIONS");
});

Deno.test("an address with a slash at its end leads to the one without", async () => {
  const call = appOf();
  const docs = await call("/docs/?a=b");
  assertEquals([docs.status, docs.headers.get("Location")], [308, "/docs?a=b"]);
  for (const path of ["//evil.example/", "/v1/nothing/", "/docs//"]) {
    assertEquals((await call(path)).status, 404, path);
  }
});

Deno.test("code in what the home page says is marked as code", async () => {
  const home = await (await appOf()("/", { headers: { accept: "text/html" } })).text();
  assertStringIncludes(home, "<code>export EVM_PRIVATE_KEY=");
});

Deno.test("a browser gets a page that leads on where nothing is, and the terms as a page", async () => {
  const call = appOf();
  const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
  const missing = await call("/nothing", browser);
  assertEquals([missing.status, missing.headers.get("Cache-Control")], [404, "no-store"]);
  const links = [...(await missing.text()).matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path);
  assert(links.includes("/docs"));
  for (const path of links) assertEquals((await call(path ?? "", browser)).status, 200, path);
  assertStringIncludes(await (await call("/terms", browser)).text(), '<h2 id="payment">');
  assertEquals(await (await call("/terms")).text(), await (await call("/terms.txt")).text());
});

Deno.test("the home page lists categories with their cards, the reference what is on it", async () => {
  const call = appOf();
  const browser = { headers: { accept: "text/html" } };
  const home = (await (await call("/", browser)).text()).replace(/\s+/g, " ");
  assertMatch(home, /<code>audio<\/code><\/td> <td>20<\/td>/);
  const reference = await (await call("/docs", browser)).text();
  const targets = [...reference.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  assert(targets.includes("getOpportunity") && targets.includes("errors"));
  for (const id of targets) assertStringIncludes(reference, `id="${id}"`);
});

Deno.test("HEAD answers with the headers of GET and no body, its length and errors too", async () => {
  const call = appOf();
  for (
    const [path, status] of [["/v1/categories", 200], ["/health", 200], ["/v1/no", 404]] as const
  ) {
    const get = await call(path);
    const head = await call(path, { method: "HEAD" });
    assertEquals([head.status, await head.text()], [status, ""], path);
    assertEquals(head.headers.get("ETag"), get.headers.get("ETag"), path);
    const length = new TextEncoder().encode(await get.text()).length;
    assertEquals(head.headers.get("Content-Length"), String(length), path);
  }
});

Deno.test("what a cache may keep says that browsers of other origins are told more", async () => {
  const call = appOf();
  for (const path of ["/v1/categories", "/v1/sample/opportunity", "/openapi.json"]) {
    const plain = await call(path);
    const tag = plain.headers.get("ETag") ?? "";
    const same = await call(path, {
      headers: { "If-None-Match": tag, Origin: "https://a.example" },
    });
    assertEquals([plain.status, same.status], [200, 304], path);
    const told = [plain, same].map(({ headers }) => headers.get("Vary"));
    assertEquals(told, ["Origin, Accept-Encoding", "Origin, Accept-Encoding"], path);
  }
});

Deno.test("free documents are compressed for who takes gzip, under a weak tag, by HEAD too", async () => {
  const call = appOf();
  const asked = { headers: { "Accept-Encoding": "br, GZIP;q=0.5" } };
  for (const path of ["/openapi.json", "/docs", "/llms.txt", "/v1/categories"]) {
    const plain = await call(path, { headers: { "Accept-Encoding": "gzip;q=0, br" } });
    assertEquals(plain.headers.get("Content-Encoding"), null, path);
    const body = new Uint8Array(await plain.arrayBuffer());
    const zipped = await call(path, asked);
    const { headers } = zipped;
    const tag = `W/${plain.headers.get("ETag")}`;
    assertEquals([headers.get("Content-Encoding"), headers.get("ETag")], ["gzip", tag], path);
    assertMatch(headers.get("Vary") ?? "", /\bAccept-Encoding$/, path);
    const bytes = new Uint8Array(await zipped.arrayBuffer());
    assert(bytes.length < body.length / 2, path);
    assertEquals(new Uint8Array(gunzipSync(bytes)), body, path);
    const head = await call(path, { ...asked, method: "HEAD" });
    assertEquals(
      [head.headers.get("Content-Encoding"), head.headers.get("Content-Length")],
      ["gzip", String(bytes.length)],
      path,
    );
    for (const known of [tag, plain.headers.get("ETag") ?? ""]) {
      const same = await call(path, { headers: { ...asked.headers, "If-None-Match": known } });
      assertEquals(
        [same.status, await same.text(), same.headers.get("ETag")],
        [304, "", tag],
        path,
      );
      assertEquals(same.headers.get("Content-Encoding"), null, path);
    }
  }
  for (const path of ["/robots.txt", "/health", "/v1/no"]) {
    const { headers } = await call(path, asked);
    assertEquals(headers.get("Content-Encoding"), null, `${path}: short, or made for this call`);
  }
});

Deno.test("browsers of other origins may ask, pay and read our headers", async () => {
  const call = appOf();
  const preflight = await call("/v1/categories", {
    method: "OPTIONS",
    headers: { Origin: "https://a.example", "Access-Control-Request-Method": "GET" },
  });
  assertEquals(preflight.status, 204);
  assertEquals(preflight.headers.get("Access-Control-Allow-Methods"), "GET, HEAD, OPTIONS");
  assertMatch(preflight.headers.get("Access-Control-Allow-Headers") ?? "", /PAYMENT-SIGNATURE/);
  for (const path of ["/v1/categories", "/v1/nothing"]) {
    const { headers } = await call(path, { headers: { Origin: "https://a.example" } });
    assertEquals(headers.get("Access-Control-Allow-Origin"), "*");
    const exposed = headers.get("Access-Control-Expose-Headers") ?? "";
    for (const name of ["PAYMENT-REQUIRED", "PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE", "ETag"]) {
      assert(exposed.includes(name), name);
    }
  }
});

Deno.test("a failure of ours says nothing of its cause, and the log says all", async () => {
  const lines: unknown[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (event: string, fields?: Readonly<Record<string, unknown>>) =>
      void lines.push([event, fields]),
  };
  const cause = new Error("password=hunter2");
  const call = appOf({
    log,
    catalogue: () => {
      throw cause;
    },
  });
  const response = await call("/v1/categories");
  const text = await response.text();
  assertEquals(response.status, 500);
  assert(!text.includes("hunter2"), text);
  assertEquals(JSON.parse(text).error.code, "internal");
  assertEquals(lines, [["request failed", { requestId: "req-0", code: "internal", cause }]]);
});

Deno.test("every request is reported once with its route and status", async () => {
  const seen: string[] = [];
  const call = appOf({
    observe: ({ route, status, method }) => seen.push(`${method} ${route} ${status}`),
  });
  await call("/health?x=1");
  await call("/nothing");
  await call("/v1/categories", { method: "HEAD" });
  assertEquals(seen, [
    "GET /health 200",
    "GET null 404",
    "HEAD /v1/categories 200",
  ]);
});
