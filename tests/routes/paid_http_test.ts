import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { validateDiscoveryExtension } from "@x402/extensions/bazaar";
import { z } from "zod";
import { PAID_ROUTES } from "../../routes/all.ts";
import type { PaidRoute } from "../../routes/pipeline/paid_route.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";
import { startRpc } from "../doubles/rpc.ts";
import { encode, payloadV2, payV2, sign } from "../payment/support/buyer.ts";
import { newAccount } from "../support/accounts.ts";
import { testDatabase, testEmbedded } from "../support/database.ts";
import { type RunningService, startService } from "./shop.ts";
import { VERDICTS } from "./support.ts";
import { card, catalogueOf, sixtyCards } from "../support/cards.ts";

const PRICES: Readonly<Record<string, string>> = {
  "/v1/opportunities/trending": "10000",
  "/v1/opportunities": "20000",
  "/v1/opportunity": "50000",
  "/v1/brief": "250000",
  "/v1/gauge": "30000",
  "/v1/gauge/live": "100000",
};

function callOf({ row, doc }: PaidRoute): { path: string; init: RequestInit } {
  const input = doc.inputExample(sixtyCards());
  if (row.method === "POST") {
    const headers = { "Content-Type": "application/json" };
    return { path: row.path, init: { method: "POST", headers, body: JSON.stringify(input) } };
  }
  const query = new URLSearchParams(Object.entries(input).map(([k, v]) => [k, String(v)]));
  return { path: `${row.path}?${query}`, init: {} };
}

async function challengeOf(response: Response) {
  assertEquals(response.status, 402);
  const header = response.headers.get("PAYMENT-REQUIRED") ?? "";
  assert(header.length < 8192, `${header.length}`);
  const accepts = z.array(z.looseObject({ amount: z.string(), network: z.string() }));
  const body = z.looseObject({ accepts, terms: z.string() }).parse(await response.json());
  const inHeader = z.looseObject({ accepts, extensions: z.looseObject({}) }).parse(
    JSON.parse(Buffer.from(header, "base64").toString()),
  );
  return { body, inHeader };
}

const CASES: Record<string, (service: RunningService) => Promise<void>> = {
  "every paid route answers an official client as it declares, and says charged": async (
    service,
  ) => {
    for (const route of PAID_ROUTES) {
      const { path, init } = callOf(route);
      const response = await service.pay(path, init);
      const body = await response.json();
      assertEquals(response.status, 200, `${path} ${JSON.stringify(body)}`);
      assertEquals([body.charged, body.paymentMode], [true, "test"]);
      assertEquals(route.doc.answer.parse(body), body, path);
      assertEquals(response.headers.get("Cache-Control"), "no-store");
      assert(response.headers.has("PAYMENT-RESPONSE"), path);
      const id = response.headers.get("X-Request-Id");
      const { charge } = service.records.find(({ requestId }) => requestId === id) ?? {};
      assertEquals(charge?.usd, route.row.price);
      assert(/^0x[0-9a-fA-F]{40}$/.test(charge?.payer ?? ""), charge?.payer);
    }
  },

  "every paid route is challenged at its price, bare and complete, by HEAD too": async (
    service,
  ) => {
    for (const route of PAID_ROUTES) {
      const { path, init } = callOf(route);
      let length: string | null = null;
      const calls: [string, RequestInit][] = [
        [path, init],
        [route.row.path, { method: route.row.method }],
      ];
      for (const [target, sent] of calls) {
        const response = await service.call(target, sent);
        length = response.headers.get("Content-Length");
        const { body, inHeader } = await challengeOf(response);
        assertEquals(body.accepts[0]?.amount, PRICES[route.row.path], path);
        assertEquals(body.accepts[0]?.network, "eip155:8453");
        assertEquals(body.terms, `${service.url}/terms.txt`);
        assertEquals(inHeader.accepts[0]?.amount, body.accepts[0]?.amount);
      }
      const head = await service.call(route.row.path, { method: "HEAD" });
      assertEquals([head.status, await head.text()], [402, ""], path);
      assertEquals(head.headers.get("Content-Length"), length, path);
    }
  },

  "the challenge describes the call so that directories accept it": async (service) => {
    for (const route of PAID_ROUTES) {
      const { inHeader } = await challengeOf(
        await service.call(route.row.path, {
          method: route.row.method,
        }),
      );
      const extension = z.custom<Parameters<typeof validateDiscoveryExtension>[0]>().parse(
        inHeader.extensions["bazaar"],
      );
      const verdict = validateDiscoveryExtension(extension);
      assertEquals(verdict, { valid: true }, `${route.row.path} ${JSON.stringify(verdict)}`);
    }
  },

  "what is wrong is said with the challenge, and is an error with a payment": async (service) => {
    for (const query of ["category=nope", "category=audio&minScore=-1"]) {
      const bare = await service.call(`/v1/opportunities?${query}`);
      const { problem } = await bare.json();
      assertEquals([bare.status, problem.status], [402, 400], query);
      const paid = await service.pay(`/v1/opportunities?${query}`);
      const { error, charged } = await paid.json();
      assertEquals([paid.status, error.code, charged], [400, problem.code, false], query);
    }
  },

  "a query in the address pays for a verdict, and a wrong body is refused with a payment": async (
    service,
  ) => {
    const paid = await service.pay("/v1/gauge?query=kettle", { method: "POST" });
    const body = await paid.json();
    assertEquals([paid.status, body.query, body.charged], [200, "kettle", true]);
    const large = JSON.stringify({ query: "kettle", padding: "x".repeat(17_000) });
    const cases: [string, string, number, string][] = [
      ["{", "application/json", 400, "invalid_body"],
      ["query=kettle", "application/x-www-form-urlencoded", 415, "unsupported_media_type"],
      [large, "application/json", 413, "body_too_large"],
    ];
    for (const [text, type, status, code] of cases) {
      const headers = { "Content-Type": type };
      const init = { method: "POST", headers, body: text };
      const bare = await service.call("/v1/gauge", init);
      const { problem } = await bare.json();
      assertEquals([bare.status, problem.status, problem.code], [402, status, code]);
      const refused = await service.pay("/v1/gauge", init);
      assertEquals([refused.status, (await refused.json()).error.code], [status, code]);
    }
    const get = await service.call("/v1/gauge");
    assertEquals([get.status, get.headers.get("Allow")], [405, "POST, HEAD, OPTIONS"]);
    await get.body?.cancel();
  },

  "an unknown id is challenged, and 404 with a payment": async (service) => {
    const bare = await service.call("/v1/opportunity?slug=nothing");
    const { problem } = await bare.json();
    assertEquals([bare.status, problem.status, problem.code, problem.param], [
      402,
      404,
      "opportunity_not_found",
      "slug",
    ]);
    assertStringIncludes(problem.message, "/v1/opportunities?category= list ids and slugs");
    const paid = await service.pay("/v1/opportunity?slug=nothing");
    assertEquals(paid.status, 404);
    assert(!paid.headers.has("PAYMENT-RESPONSE"));
    const { error, charged } = await paid.json();
    assertEquals([error.code, charged], ["opportunity_not_found", false]);
  },

  "a list that is emptied by minScore is delivered and not charged": async (service) => {
    const response = await service.pay("/v1/opportunities?category=audio&minScore=100");
    const body = await response.json();
    assertEquals([response.status, body.charged, body.opportunities], [200, false, []]);
    assert(!response.headers.has("PAYMENT-RESPONSE"));
  },
};

Deno.test({
  name: "the paid routes over HTTP",
  fn: async (t) => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    for (const [name, run] of Object.entries(CASES)) await t.step(name, () => run(service));
  },
});

Deno.test({
  name: "a warming corpus takes no money, and challenges are limited apart from payments",
  fn: async () => {
    await using test = await testEmbedded();
    let catalogue = catalogueOf([]);
    const rateLimits = { ...RATE_LIMITS, challenges: 6 };
    await using service = await startService({
      database: test.database,
      catalogue: () => catalogue,
      settings: { rateLimits },
    });
    const warming = await service.pay("/v1/opportunities/trending");
    assertEquals([warming.status, (await warming.json()).error.code], [503, "corpus_warming"]);
    assert(warming.headers.has("Retry-After"));
    catalogue = catalogueOf([card(0)]);
    // What was bought does not count; what a payment got for nothing does, like one that was refused.
    for (const minScore of [0, 0, 100]) {
      const response = await service.pay(`/v1/opportunities?category=audio&minScore=${minScore}`);
      assertEquals([response.status, (await response.json()).charged], [200, minScore === 0]);
    }
    // The client's four calls were challenged first.
    for (const status of [402, 402, 429, 429]) {
      const response = await service.call("/v1/brief");
      await response.body?.cancel();
      assertEquals([response.status, response.headers.has("Retry-After")], [
        status,
        status === 429,
      ]);
    }
    // Nor does what was bought count when it is bought, but each time that it is given again.
    const terms = { payTo: `0x${"0".repeat(40)}`, amount: 250_000 };
    const bought = await payV2(newAccount(), terms);
    for (const repeated of [false, true, true]) {
      const response = await service.call("/v1/brief", { headers: bought });
      assertEquals([response.status, (await response.json()).charged], [200, true]);
      assertEquals(service.records.at(-1)?.charge?.repeated, repeated);
    }
    const bad = { "PAYMENT-SIGNATURE": "bm90IGEgcGF5bWVudA==" };
    for (const status of [402, 402, 402, 429]) {
      const response = await service.call("/v1/brief", { headers: bad });
      await response.body?.cancel();
      assertEquals(response.status, status);
    }
  },
});

Deno.test({
  name: "a payer's calls that payment turns away count in the limit of their address",
  fn: async () => {
    await using test = await testDatabase();
    const goOn = Promise.withResolvers<void>();
    await using service = await startService({
      database: test.database,
      settings: { rateLimits: { ...RATE_LIMITS, challenges: 2 } },
      payment: { payerInFlight: { all: 1, costly: 1, live: 1 } },
      verdicts: {
        ...VERDICTS,
        gauge: async (query, signal) => {
          await goOn.promise;
          return await VERDICTS.gauge(query, signal);
        },
      },
    });
    const gauge = async (query: string, headers: Record<string, string> = {}) => {
      const response = await service.call("/v1/gauge", {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ query }),
      });
      return { status: response.status, body: await response.json() };
    };
    const { body: { accepts: [{ payTo, amount }] } } = await gauge("kettle that leaks");
    const terms = { payTo, amount: Number(amount) };
    const payer = newAccount();
    const first = gauge("kettle that leaks", await payV2(payer, terms));
    const turnedAway = await Promise.all(
      ["one more", "two more"].map(async (query) => await gauge(query, await payV2(payer, terms))),
    );
    for (const { status, body } of turnedAway) {
      assertEquals([status, body.error.message], [
        429,
        "Too many calls of this payer are in flight.",
      ]);
    }
    const limited = await gauge("three more", await payV2(payer, terms));
    assertEquals(limited.status, 429);
    assertMatch(limited.body.error.message, /^At most 2 calls a minute/);
    goOn.resolve();
    assertEquals((await first).status, 200);
  },
});

Deno.test({
  name: "a signature that only the chain can judge counts before it is asked, unless it is sold",
  fn: async () => {
    await using test = await testDatabase();
    await using rpc = startRpc(null);
    rpc.canned.set("eth_chainId", "0x2105");
    const rateLimits = { ...RATE_LIMITS, signatures: 3 };
    const { database } = test;
    await using service = await startService({
      database,
      settings: { rateLimits },
      rpcUrl: rpc.url,
    });
    rpc.canned.set("eth_getCode", "0x60");
    rpc.canned.set("eth_call", `0x1626ba7e${"0".repeat(56)}`);
    const terms = { payTo: `0x${"0".repeat(40)}`, amount: 250_000 };
    const call = async (): Promise<number> => {
      const signer = newAccount();
      const from = newAccount();
      const payload = payloadV2(await sign(signer, { ...terms, from: from.address }), terms);
      const headers = { "PAYMENT-SIGNATURE": encode(payload) };
      const response = await service.call("/v1/brief", { headers });
      await response.body?.cancel();
      return response.status;
    };
    for (let n = 0; n < 6; n++) assertEquals(await call(), 200, "what is sold is given back");
    rpc.fault = "away";
    const calls = [];
    for (let n = 0; n < 5; n++) calls.push(await call());
    assertEquals(calls, [503, 503, 503, 429, 429]);
    const asked = rpc.methods.length;
    assertEquals([await call(), rpc.methods.length], [429, asked]);
    const account = await service.pay("/v1/brief");
    await account.body?.cancel();
    assertEquals(account.status, 200, "others of the same address are not kept out");
  },
});

Deno.test({
  name: "the example in a challenge follows the catalogue, and a payment for an older one is good",
  fn: async () => {
    await using test = await testDatabase();
    const before = catalogueOf([card(1), card(2)]);
    const after = catalogueOf([card(2), card(3)]);
    let answered: readonly unknown[] = [];
    await using service = await startService({
      database: test.database,
      catalogue: () => answered.length < 2 ? before : after,
    });
    answered = service.records;
    const offered = async () => {
      const { inHeader: { extensions } } = await challengeOf(
        await service.call("/v1/opportunity?slug=want-2"),
      );
      const { bazaar } = z.object({
        bazaar: z.object({
          info: z.object({ input: z.looseObject({ queryParams: z.unknown() }) }),
        }),
      }).parse(extensions);
      return bazaar.info.input.queryParams;
    };
    assertEquals(await offered(), { slug: "want-1" });
    assertEquals((await service.pay("/v1/opportunity?slug=want-2")).status, 200);
    assertEquals(await offered(), { slug: "want-2" });
  },
});
