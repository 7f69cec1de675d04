/** Many calls of every kind, from a fixed seed, each answer compared with the document. */
import { assert, assertEquals } from "@std/assert";
import { PAID_ROUTES } from "../../routes/all.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";
import { testEmbedded } from "../support/database.ts";
import { documentOf, matcher, schemaAt } from "./openapi_support.ts";
import { payingFetch } from "../support/official_client.ts";
import { startService } from "./shop.ts";

const ROUNDS = 400;
const PAYING_EVERY = 8;

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const VALUES: readonly unknown[] = [
  ...["audio", "Audio", "", " ", "want-1", "opp_22222222222222", "kettle that lasts", "ab"],
  ...["x".repeat(201), "\u0000\u0007", "\ud800", "🫖🫖🫖", "שלום עולם", "'; drop table posts; --"],
  ...["../../etc/passwd", "%00", "<script>alert(1)</script>", "a:* & !b | (c", "true", "1e309"],
  ...[0, -1, 50, 101, 0.5, NaN, 1e308, null, true, [], {}, ["audio"], { query: "kettle" }],
];

const BODIES: readonly string[] = ["", "{", "[]", "null", '"text"', "7", "{}{}", '{"query":'];
const TYPES: readonly (string | null)[] = [
  ...["application/json", "application/json; charset=utf-8", "text/plain", "multipart/form-data"],
  null,
];
const PAYMENTS: readonly string[] = [
  "",
  "x",
  "bnVsbA==",
  "e30=",
  "eyJ4NDAyVmVyc2lvbiI6Mn0=",
  "=====",
];

Deno.test({
  name:
    "whatever is sent, the answer is one that the document names, and only a payment is charged",
  fn: async () => {
    await using test = await testEmbedded();
    const rateLimits = { ...RATE_LIMITS, challenges: 100_000, free: 100_000 };
    await using service = await startService({ database: test.database, settings: { rateLimits } });
    const document = await documentOf(service.call);
    const matches = matcher(document);
    const random = generator(20261120);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const pay = payingFetch();
    const seen = new Map<number, number>();

    for (let round = 0; round < ROUNDS; round++) {
      const { row: { path, method }, doc } = pick(PAID_ROUTES);
      const own = Object.keys(doc.input.shape);
      // What a route does not know is refused before all else.
      const names = own.length === 0 || random() < 0.1 ? [...own, "other"] : own;
      const given = Array.from(
        { length: Math.floor(random() * 4) },
        () => [pick(names), pick(VALUES)],
      );
      const query = given.map(([name, value]) =>
        `${name}=${encodeURIComponent(String(value).toWellFormed())}`
      ).join("&");
      const headers = new Headers();
      const init: RequestInit = { method, headers };
      const type = pick(TYPES);
      if (method === "POST" && type !== null) headers.set("Content-Type", type);
      if (method === "POST") {
        init.body = random() < 0.3 ? pick(BODIES) : JSON.stringify(Object.fromEntries(given));
      }
      const paying = round % PAYING_EVERY === 0;
      if (!paying && random() < 0.2) headers.set("PAYMENT-SIGNATURE", pick(PAYMENTS));
      const url = `${service.url}${path}?${random() < 0.8 ? query : ""}`;
      const response = await (paying ? pay : fetch)(url, init);
      const what = `${method} ${url} ${String(init.body)} ${type}: ${response.status}`;
      const body = await response.json();
      seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
      const pointer = schemaAt(document, path, method, response.status);
      assert(pointer !== undefined, `not in the document: ${what}`);
      assertEquals(matches(pointer, body), null, `${what} ${JSON.stringify(body)}`);
      assert(response.status !== 500, what);
      const isPaid = paying && response.headers.has("PAYMENT-RESPONSE");
      assertEquals(body.charged, response.status === 200 ? isPaid : false, what);
    }
    for (const status of [200, 400, 402, 404, 415]) assert(seen.has(status), `never ${status}`);
  },
});
