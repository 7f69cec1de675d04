import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "zod";
import { OperatorError } from "../../core/errors.ts";
import { CATEGORY_SLUGS } from "../../mining/categories.ts";
import { REASON_MEANS } from "../../payment/mod.ts";
import { wantsHtml } from "../../routes/documents/document.ts";
import { EXAMPLE_CATALOGUE } from "../../routes/pipeline/example.ts";
import { parseFamily } from "../../routes/pipeline/family_catalogue.ts";
import { DATA_ROUTES, DOCUMENT_ROUTES } from "../../routes/pipeline/route_table.ts";
import { appOf, SETTINGS } from "./support.ts";
import { card, catalogueOf } from "../support/cards.ts";

const BROWSER = { headers: { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const PAGES = ["/", "/docs", "/changelog"];
/** The one that is there only where the operator gave a contact has its own test. */
const { securityText: _contact, ...ALWAYS } = DOCUMENT_ROUTES;
const PATHS = [...Object.values(ALWAYS).map(({ path }) => path), "/.well-known/family"];

Deno.test("every document has its type, a tag, and is 304 when it is known", async () => {
  const call = appOf();
  for (const path of PATHS) {
    const first = await call(path);
    const bytes = (await first.arrayBuffer()).byteLength;
    assertEquals(first.status, 200, path);
    const most = path === "/openapi.json" ? 140_000 : 60_000;
    assert(bytes > 40 && bytes < most, `${path} has ${bytes} bytes`);
    assertMatch(first.headers.get("Content-Type") ?? "", /json|text\/|icon/);
    assertEquals(first.headers.get("Cache-Control"), "public, max-age=300");
    const tag = first.headers.get("ETag") ?? "";
    const again = await call(path, { headers: { "If-None-Match": tag } });
    assertEquals([again.status, await again.text()], [304, ""], path);
  }
});

Deno.test("browsers get pages where a person may look, agents the plain form", async () => {
  const call = appOf();
  for (const path of PAGES) {
    const page = await call(path, BROWSER);
    const plain = await call(path, { headers: { Accept: "*/*" } });
    assertMatch(page.headers.get("Content-Type") ?? "", /^text\/html/);
    assertMatch(plain.headers.get("Content-Type") ?? "", /^text\/(plain|markdown)/);
    for (const { headers } of [page, plain]) {
      assertEquals(headers.get("Vary"), "Origin, Accept, Accept-Encoding");
    }
    assert(page.headers.get("ETag") !== plain.headers.get("ETag"));
  }
  assertEquals(wantsHtml("application/json"), false);
  assertEquals(wantsHtml("text/html;q=0, */*"), false);
  assertEquals(wantsHtml("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), true);
  assertEquals(wantsHtml("text/html;q=0.5, text/plain;q=0.4"), true);
  assertEquals(wantsHtml("text/html;q=0.5, text/plain;q=0.8"), false);
  assertEquals(wantsHtml("text/markdown, text/html, */*"), false);
  assertEquals(wantsHtml(null), false);
});

Deno.test("who asks for JSON alone gets it at / and /docs, and who likes text as well gets text", async () => {
  const call = appOf();
  for (const [path, same] of [["/", "/discovery"], ["/docs", "/openapi.json"]] as const) {
    for (const accept of ["application/json", "application/json, text/plain;q=0.5, */*;q=0.1"]) {
      const json = await call(path, { headers: { Accept: accept } });
      assertEquals(json.headers.get("Content-Type"), "application/json", path);
      assertEquals(json.headers.get("Vary"), "Origin, Accept, Accept-Encoding", path);
      assertEquals(await json.json(), await (await call(same)).json(), path);
    }
    for (const accept of ["*/*", "application/json, text/plain, */*", "application/json;q=0"]) {
      const text = await call(path, { headers: { Accept: accept } });
      assertMatch(text.headers.get("Content-Type") ?? "", /^text\/plain/, accept);
    }
  }
  const changes = await call("/changelog", { headers: { Accept: "application/json" } });
  assertMatch(changes.headers.get("Content-Type") ?? "", /^text\/markdown/);
});

Deno.test("pages are small, run nothing, and fetch nothing from elsewhere", async () => {
  const call = appOf();
  for (const path of PAGES) {
    const response = await call(path, BROWSER);
    const text = await response.text();
    assert(text.length < 60_000, `${path} has ${text.length} characters`);
    assert(!/<script|\son\w+=|\sstyle=|<iframe|@import|url\(/i.test(text), path);
    assert(!/(src|href)="(https?:)?\/\/(?!example\.com|demand\.test)/.test(text), path);
    assertMatch(text, /<html lang="en">[\s\S]*<main id="main">[\s\S]*<h1>/);
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    assertMatch(policy, /default-src 'none'; style-src 'sha256-[\w+/]+=*';/);
    assert(!policy.includes("unsafe"), policy);
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
    assert(policy.includes(btoa(String.fromCharCode(...new Uint8Array(digest)))), path);
  }
});

Deno.test("hostile text stays text on every page, and only web addresses become links", async () => {
  const hostile = '</script><script>alert(1)</script>"><img src=x onerror=alert(1)>';
  const own = card(0, {
    title: hostile,
    summary: hostile,
    productAngle: hostile,
    category: hostile,
    slug: hostile,
    evidence: [
      { quote: hostile, permalink: "javascript:alert(1)", upvotes: 1, subreddit: hostile },
      { quote: "fine", permalink: `https://example.com/"onclick="x`, upvotes: 2, subreddit: "a" },
    ],
  });
  const call = appOf({ catalogue: catalogueOf([own]) });
  for (const path of ["/", "/docs"]) {
    const text = await (await call(path, BROWSER)).text();
    assert(!/<script|<img|href="javascript:/i.test(text), path);
    assert(!text.includes('"onclick="x'), path);
    assert(text.includes("&lt;script&gt;alert(1)"), path);
  }
});

Deno.test("an empty corpus has its pages too", async () => {
  const call = appOf({ catalogue: catalogueOf([], { lastMinedAt: null }) });
  for (const path of PATHS) assertEquals((await call(path, BROWSER)).status, 200, path);
});

const addresses = z.object({ documents: z.record(z.string(), z.string()) });

Deno.test("the home page counts the categories without cards where there are any", async () => {
  for (
    const [empty, says] of [
      [0, ""],
      [1, "1 more category has none now; "],
      [2, "2 more categories have none now; "],
    ] as const
  ) {
    const filled = CATEGORY_SLUGS.slice(empty).map((category, n) => card(n, { category }));
    const home = await (await appOf({ catalogue: catalogueOf(filled) })("/", BROWSER)).text();
    assertStringIncludes(home, `<p>${says}<a href="/v1/categories">`);
  }
});

Deno.test("discovery lists every price and every document, and each address answers", async () => {
  const call = appOf();
  const body = await (await call("/discovery")).json();
  const priced = z.object({
    routes: z.array(
      z.object({ path: z.string(), price: z.object({ amount: z.string() }).nullable() }),
    ),
  }).parse(body).routes.map(({ path, price }) => [path, price?.amount ?? null]);
  assertEquals(priced, Object.values(DATA_ROUTES).map(({ path, price }) => [path, price]));
  const { documents } = addresses.parse(body);
  for (const [name, address] of Object.entries(documents)) {
    const { status } = await call(address.slice("http://demand.test".length));
    assertEquals(status, name === "mcp" ? 405 : 200, name);
  }
});

Deno.test("the resources under .well-known are the paid routes", async () => {
  const body = await (await appOf()("/.well-known/x402")).json();
  const paid = Object.values(DATA_ROUTES).filter(({ price }) => price !== null);
  assertEquals(body.resources, paid.map(({ path }) => `http://demand.test${path}`));
});

Deno.test("the agent card has what A2A 1.0 asks for, and a skill for each data route", async () => {
  const body = await (await appOf()("/.well-known/agent-card.json")).json();
  for (const key of ["name", "description", "version", "supportedInterfaces", "capabilities"]) {
    assert(key in body, key);
  }
  assertEquals(body.supportedInterfaces[0].url, "http://demand.test/mcp");
  assertEquals(body.skills.length, Object.keys(DATA_ROUTES).length);
});

Deno.test("the long guide holds every route with its price, and every pattern", async () => {
  const text = await (await appOf()("/llms-full.txt")).text();
  for (const { method, path, price } of Object.values(DATA_ROUTES)) {
    assert(
      text.includes(`### ${method} ${path}: ${price === null ? "free" : `$${price} a call`}`),
      path,
    );
  }
  for (const word of ["repeat_failure", "frustration", "settlement_pending", "If-None-Match"]) {
    assert(text.includes(word), word);
  }
  for (const [word, means] of Object.entries(REASON_MEANS)) {
    assert(text.includes(`- \`${word}\`: ${means}`), word);
  }
  assertStringIncludes(text, "and after a 429, the same payment is good");
  const limits =
    "30 calls of /v1/categories, 10 of /v1/sample/opportunity, 10 of /v1/sample/verdict, 30 of /.well-known/family";
  assert(text.includes(limits), limits);
});

Deno.test("where nothing is paid by MPP no document teaches it", async () => {
  const taught = async (mppCurrency: string | null): Promise<string[]> => {
    const call = appOf({ settings: { mppCurrency } });
    const { changelog: _history, ...documents } = ALWAYS;
    const texts = Object.values(documents).map(async ({ path }) => {
      const text = await (await call(path, path === "/" ? BROWSER : {})).text();
      return text.match(
        /MPP(?!X)|WWW-Auth|Payment-Receipt|problem\+json|RFC 9457|_mpp\b|\w*challenge_\w+|invalid_challenge/g,
      );
    });
    return [...new Set((await Promise.all(texts)).flatMap((found) => found ?? []))];
  };
  assert((await taught(SETTINGS.mppCurrency)).length > 5);
  assertEquals(await taught(null), []);
});

Deno.test("without a model no document speaks of verdicts", async () => {
  const call = appOf({ settings: { synthesis: "none" } });
  for (const path of ["/llms.txt", "/llms-full.txt", "/skill.md", "/openapi.json", "/", "/docs"]) {
    const text = await (await call(path, BROWSER)).text();
    assert(!/\/v1\/(?:sample\/verdict|gauge)|check the demand/.test(text), path);
  }
});

Deno.test("removal within two days is promised where a source is asked, and nowhere else", async () => {
  const removalIn = async (hasSource: boolean): Promise<string> => {
    const call = appOf({ settings: { hasSource } });
    const { sections } = await (await call("/terms.json")).json();
    return sections.find(({ id }: { readonly id: string }) => id === "removal").text;
  };
  assertStringIncludes(await removalIn(true), "within 48 hours");
  assert(!(await removalIn(false)).includes("48 hours"));
});

Deno.test("the invented card counts people as cards do: each once, by the newest post", () => {
  const [invented] = EXAMPLE_CATALOGUE.cards;
  assertEquals(
    [invented?.signalCount, invented?.distinctAuthors],
    [invented?.facts?.authors, invented?.facts?.authors],
  );
});

Deno.test("the terms say the same as text and as JSON", async () => {
  const call = appOf();
  const text = await (await call("/terms.txt")).text();
  const { sections } = await (await call("/terms.json")).json();
  assertEquals(sections.length, 6);
  for (const { title, text: words } of sections) {
    assert(text.includes(title) && text.includes(words));
  }
});

Deno.test("the icon is an icon, and the rules for crawlers keep the operator's page out", async () => {
  const call = appOf();
  const bytes = new Uint8Array(await (await call("/favicon.ico")).arrayBuffer());
  assertEquals([...bytes.slice(0, 6)], [0, 0, 1, 0, 1, 0]);
  assertMatch(await (await call("/robots.txt")).text(), /^User-agent: \*\nDisallow: \/admin$/m);
});

const FAMILY = {
  maker: { name: "Maker", url: "https://maker.example" },
  products: [{ name: "A", description: "B", url: "https://a.example" }],
};

Deno.test("the sibling catalogue lies under the maker's word, 30 calls a minute", async () => {
  const family = parseFamily(JSON.stringify(FAMILY), "family.json");
  const call = appOf({ settings: { familySlug: "maker", family } });
  const response = await call("/.well-known/maker");
  assertEquals(await response.json(), FAMILY);
  assertEquals(response.headers.get("RateLimit-Limit"), "30");
  assertEquals((await call("/.well-known/family")).status, 404);
});

for (
  const [what, text] of [
    ["no JSON", "{"],
    ["no products", '{"products": []}'],
    [
      "an unknown field",
      '{"products": [{"name": "A", "description": "B", "url": "https://a.example", "x": 1}]}',
    ],
    ["an address that is none", '{"products": [{"name": "A", "description": "B", "url": "a"}]}'],
    [
      "a script for an address",
      '{"products": [{"name": "A", "description": "B", "url": "javascript:1"}]}',
    ],
  ] as const
) {
  Deno.test(`a sibling catalogue with ${what} stops the start`, () => {
    assertThrows(() => parseFamily(text, "family.json"), OperatorError, "FAMILY_FILE: family.json");
  });
}

Deno.test("the operator's contact stands in the terms and in the OpenAPI document, and not where there is none", async () => {
  const read = async (contact: string | null): Promise<[string, unknown]> => {
    const client = appOf({ settings: { contact } });
    const terms = await (await client("/terms.txt")).text();
    const { info } = await (await client("/openapi.json")).json();
    return [terms, info.contact];
  };
  const [terms, contact] = await read("help@demand.example");
  assertStringIncludes(terms, "Write to the operator at help@demand.example");
  assertEquals(contact, { name: "Demand Intelligence Service", email: "help@demand.example" });
  const [without, own] = await read(null);
  assertEquals(without.includes("Write to"), false);
  assertEquals(own, { name: "Demand Intelligence Service", url: `${SETTINGS.baseUrl}/docs` });
});

Deno.test("a demonstration says so, and live verdicts that cannot be had are no offer", async () => {
  const guide = async (hasSource: boolean, demonstration: boolean): Promise<string> => {
    const catalogue = catalogueOf([card(1)], { demonstration });
    const client = appOf({ settings: { hasSource }, catalogue });
    return await (await client("/llms-full.txt")).text();
  };
  const demonstration = await guide(false, true);
  assertStringIncludes(demonstration, "its posts are invented");
  assertStringIncludes(demonstration, "/v1/gauge/live");
  const real = await guide(false, false);
  assertEquals(real.includes("its posts are invented"), false);
  assertEquals(real.includes("/v1/gauge/live"), false);
  assertStringIncludes(await guide(true, false), "/v1/gauge/live");
});
