/** What indexers send to a paid route before they list it, and what they are told. */
import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import { unserved } from "../../gauge/mod.ts";
import { lacking } from "../../mining/cards/listings.ts";
import { PAID_ROUTES } from "../../routes/all.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";
import { testEmbedded } from "../support/database.ts";
import { documentOf, matcher, schemaAt } from "./openapi_support.ts";
import { type RunningService, startService } from "./shop.ts";
import { VERDICTS } from "./support.ts";
import { card, catalogueOf, sixtyCards } from "../support/cards.ts";

const NAMES = ["category", "minScore", "id", "slug", "query"];
const VALUES = ["", "null", "sample", "string", "undefined", "0", "[object Object]"];

/** The calls of probes to a route: nothing, each value for one parameter and for all, and bodies of every kind. */
function probesOf(method: string): readonly [search: string, init: RequestInit][] {
  const searches = [
    "",
    ...VALUES.flatMap((value) => [
      ...NAMES.map((name) => `?${new URLSearchParams({ [name]: value })}`),
      `?${new URLSearchParams(NAMES.map((name) => [name, value]))}`,
    ]),
    "?category=audio&category=audio",
  ];
  if (method === "GET") return searches.map((search) => [search, { method }]);
  const json = { "Content-Type": "application/json" };
  const bodies: [BodyInit, HeadersInit][] = [
    ...VALUES.map((value): [string, HeadersInit] => [JSON.stringify({ query: value }), json]),
    ...["", "null", "{}", "[]", "{", '"string"', '{"query":null}', '{"query":7}'].map(
      (body): [string, HeadersInit] => [body, json],
    ),
    ["query=sample", { "Content-Type": "application/x-www-form-urlencoded" }],
    [JSON.stringify({ query: "x".repeat(20_000) }), json],
    [new Uint8Array([0xff, 0xfe]), json],
  ];
  return [
    ...searches.map((search): [string, RequestInit] => [search, { method }]),
    ...bodies.map(([body, headers]): [string, RequestInit] => ["", { method, body, headers }]),
  ];
}

const told = z.looseObject({
  error: z.literal("payment_required"),
  message: z.string(),
  howToPay: z.string(),
  docs: z.url(),
  paymentMode: z.literal("test"),
  problem: z.object({
    status: z.number(),
    code: z.string(),
    message: z.string(),
    param: z.string().optional(),
    categories: z.array(z.string()).optional(),
  }).optional(),
});

Deno.test({
  name: "whatever a probe sends is challenged, and told what a paid call would be refused for",
  fn: async () => {
    await using test = await testEmbedded();
    await using service = await startService({
      database: test.database,
      settings: { rateLimits: { ...RATE_LIMITS, challenges: 100_000, free: 100_000 } },
    });
    const document = await documentOf(service.call);
    const matches = matcher(document);
    const codes = new Set<string>();
    for (const { row: { path, method } } of PAID_ROUTES) {
      const pointer = schemaAt(document, path, method, 402);
      assert(pointer !== undefined);
      for (const [search, init] of probesOf(method)) {
        const response = await service.call(`${path}${search}`, init);
        const text = await response.text();
        const what = `${method} ${path}${search} ${String(init.body).slice(0, 60)}: ${text}`;
        assertEquals(response.status, 402, what);
        assertLess(text.length, 2048, what);
        const body = told.parse(JSON.parse(text));
        assertEquals(matches(pointer, body), null, what);
        decodePaymentRequiredHeader(response.headers.get("PAYMENT-REQUIRED") ?? "");
        assertStringIncludes(response.headers.get("WWW-Authenticate") ?? "", "Payment id=");
        if (body.problem === undefined) continue;
        codes.add(body.problem.code);
        assertEquals(body.problem.code === "invalid_category", "categories" in body.problem, what);
      }
    }
    assertEquals([...codes].sort(), [
      "body_too_large",
      "invalid_body",
      "invalid_category",
      "invalid_identifier",
      "invalid_parameter",
      "invalid_query",
      "opportunity_not_found",
      "unsupported_media_type",
    ]);
    assertEquals(service.payments.status().inFlight, 0);
  },
});

async function statuses(service: RunningService): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { row: { path, method } } of PAID_ROUTES) {
    for (const verb of [method, "HEAD"]) {
      const response = await service.call(path, { method: verb });
      const text = await response.text();
      const code = verb === "HEAD" || response.status === 402
        ? String(response.status)
        : JSON.parse(text).error.code;
      found[path] = found[path] === undefined ? code : `${found[path]} ${code}`;
    }
  }
  return found;
}

Deno.test({
  name: "routes that cannot answer any call now are 503 before anyone signs",
  fn: async () => {
    await using test = await testEmbedded();
    let catalogue = catalogueOf([], { lastMinedAt: null });
    let searchable = true;
    let looked = 0;
    await using service = await startService({
      database: test.database,
      catalogue: () => catalogue,
      verdicts: {
        ...VERDICTS,
        ready: (verb) => {
          if (catalogue.signalCount === 0) return Promise.reject(lacking(catalogue, "None."));
          if (verb === "gauge") return Promise.resolve();
          looked++;
          return searchable
            ? Promise.resolve()
            : Promise.reject(new ServiceError("source_unavailable", "No source."));
        },
      },
    });
    const all = PAID_ROUTES.map(({ row }) => row.path);
    const expected = (code: string) => Object.fromEntries(all.map((path) => [path, code]));
    assertEquals(await statuses(service), expected("corpus_warming 503"));
    for (const { row, doc } of PAID_ROUTES) assert(doc.errors.includes("corpus_warming"), row.path);
    catalogue = catalogueOf([card(0)]);
    looked = 0;
    assertEquals(await statuses(service), expected("402 402"));
    assertEquals(looked, 2, "once for each call");
    searchable = false;
    assertEquals(await statuses(service), {
      ...expected("402 402"),
      "/v1/gauge/live": "source_unavailable 503",
    });
    // A category without cards is no reason to close the route.
    const empty = await service.call("/v1/opportunities?category=pets");
    const { problem } = await empty.json();
    assertEquals([empty.status, problem.status, problem.code], [402, 503, "corpus_warming"]);
  },
});

const DOCUMENTS = [
  ...["/llms.txt", "/llms-full.txt", "/openapi.json", "/discovery", "/.well-known/x402"],
  ...["/.well-known/agent-card.json"],
];

/** Whether each of the verdict routes is named in a document. */
async function namesIn(service: RunningService, path: string): Promise<[boolean, boolean]> {
  const text = await (await service.call(path)).text();
  return [/\/v1\/gauge(?!\/live)/.test(text), text.includes("/v1/gauge/live")];
}

async function toolsOf(service: RunningService): Promise<[boolean, boolean]> {
  const response = await service.call("/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const text = await response.text();
  return [text.includes('"gaugeDemand"'), text.includes('"gaugeDemandLive"')];
}

Deno.test({
  name:
    "routes that the configuration cannot serve are in no document and no tool, and cost nothing",
  fn: async () => {
    const cases: ["model" | "none", boolean, boolean, [boolean, boolean]][] = [
      ["model", true, false, [true, true]],
      ["model", false, true, [true, true]],
      ["model", false, false, [true, false]],
      ["none", true, false, [false, false]],
    ];
    for (const [synthesis, hasSource, demonstration, offered] of cases) {
      await using test = await testEmbedded();
      const catalogue = catalogueOf(sixtyCards().cards, { demonstration });
      await using service = await startService({
        database: test.database,
        catalogue: () => catalogue,
        settings: { synthesis, hasSource },
        verdicts: {
          ...VERDICTS,
          ready: () => synthesis === "model" ? Promise.resolve() : Promise.reject(unserved()),
        },
      });
      for (const path of DOCUMENTS) {
        assertEquals(await namesIn(service, path), offered, `${path} ${synthesis} ${hasSource}`);
      }
      assertEquals(await toolsOf(service), offered);
      if (synthesis === "model") continue;
      const response = await service.call("/v1/gauge?query=kettle", { method: "POST" });
      const { error } = await response.json();
      assertEquals([response.status, error.code], [503, "model_unavailable"]);
    }
  },
});
