/** What is sold, and to whom: the operator's pages and commands over a service that sold something. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createAdmin } from "../../routes/admin/mod.ts";
import { cardReport, dollarsOf, paymentQuery } from "../../routes/admin/reports.ts";
import { EXAMPLE_CATALOGUE } from "../../routes/pipeline/example.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { findCard, searchCards } from "../../db/corpus/opportunities.ts";
import { findPayments } from "../../db/ledger/lookups.ts";
import { openLedger } from "../../db/ledger/mod.ts";
import { newClaim, randomHex, takeClaim } from "../payment/support/claims.ts";
import { minedData, temporaryDirectory, testBoth, testEmbedded } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { run, serve } from "../support/program.ts";
import { until } from "../support/time.ts";

const TOKEN = "correct horse battery";
const authorization = `Bearer ${TOKEN}`;

/** What any checker of accessibility asks first, and what the page's policy refuses. */
function assertSound(html: string, path: string): void {
  assertEquals(html.match(/<h1[\s>]/g)?.length, 1, `${path}: one h1`);
  assertMatch(html, /^\s*<!doctype html>\s*<html lang="en">/, path);
  assertMatch(html, /<main>.*<\/main>/s, path);
  assertEquals(html.match(/<title>[^<]+<\/title>/g)?.length !== undefined, true, path);
  assert(!/<script|\son\w+=|\sstyle=|javascript:/i.test(html), `${path}: script or inline style`);
  for (const [, before = ""] of html.matchAll(/(<label>[^<]*)?<(?:input|select)[\s>]/g)) {
    assert(before.length > "<label>".length, `${path}: a field without a label`);
  }
  for (const [region] of html.matchAll(/<div\s+class="table[^>]*>/g)) {
    assertMatch(region, /role="region"\s+aria-label="[^"]+"\s+tabindex="0"/, path);
  }
  for (const [head] of html.matchAll(/<th[\s>][^>]*>/g)) {
    assertMatch(head, /scope="(col|row)"/, path);
  }
}

Deno.test("an operator finds a sold call by payer, transaction and request id, and sees what was answered", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: minedData(directory.path), ADMIN_TOKEN: TOKEN };
  await using service = await serve(env);
  const sold = await createPayer().fetch(`${service.base}/v1/opportunities/trending`);
  const { opportunities: [card] } = await sold.json();
  const requestId = sold.headers.get("x-request-id") ?? "";
  const receipt = JSON.parse(atob(sold.headers.get("payment-response") ?? ""));
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`${service.base}${path}`, { headers: { authorization } });
    const html = await response.text();
    assertEquals(response.status, 200, path);
    assertSound(html, path);
    return html;
  };
  assertStringIncludes(await get("/admin"), 'href="/admin/payments"');

  let found = "";
  await until(async () => {
    found = await get(`/admin/payments?q=${requestId}&state=settled`);
    return found.includes("1 found");
  }, "the request's id is kept");
  const [, path = ""] = /href="(\/admin\/payments\/\d+)"/.exec(found) ?? [];
  for (const known of [receipt.payer, receipt.transaction, path.split("/").at(-1) ?? ""]) {
    assertStringIncludes(await get(`/admin/payments?q=${known}`), `href="${path}"`);
  }
  const refused = await get(`/admin/payments?q=${receipt.payer}&state=refused`);
  assertStringIncludes(refused, "0 found");
  assertStringIncludes(refused, "payment-identifier", "the search says what it finds");
  const payment = await get(path);
  for (
    const text of [requestId, receipt.transaction, card.id, "/v1/opportunities/trending", "0.01"]
  ) {
    assertStringIncludes(payment, text);
  }
  const told = await run(["payment", requestId], env);
  assertEquals(told.code, 0, told.stderr);
  assertStringIncludes(told.stdout, `payer: ${receipt.payer.toLowerCase()}`);
  assertStringIncludes(told.stdout, card.id);
  const paid = await createPayer().header(`${service.base}/v1/brief`);
  const byTool = await fetch(`${service.base}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "getBrief",
        _meta: { "x402/payment": JSON.parse(atob(paid["payment-signature"] ?? "")) },
      },
    }),
  });
  const toolAnswer = await byTool.text();
  assertStringIncludes(toolAnswer, '"charged":true');
  const toolId = byTool.headers.get("x-request-id") ?? "";
  await until(
    async () => (await get(`/admin/payments?q=${toolId}&state=settled`)).includes("1 found"),
    "the id of a tool's answer leads to its payment",
  );
  const { answer, ...row } = JSON.parse(
    (await run(["payment", receipt.payer, "--json"], env)).stdout,
  );
  assertEquals([row.state, row.units, answer.requests[0].requestId], [
    "settled",
    10_000,
    requestId,
  ]);
  assertEquals(Object.keys(row).filter((name) => /sign|nonce|finger/.test(name)), []);
  const unknown = await run(["payment", "nobody's"], env);
  assertEquals([unknown.code, unknown.stderr], [1, `demand: no payment is known by "nobody's"\n`]);

  const word = card.title.split(" ").at(-1);
  assertStringIncludes(await get(`/admin/cards?q=${word}&state=active`), `/admin/cards/${card.id}`);
  assertStringIncludes(await get("/admin/cards?q=%25"), "0 found");
  const page = await get(`/admin/cards/${card.slug}`);
  for (const text of ["Why it scores", "willingness to pay", "Evidence", "askingForProduct"]) {
    assertStringIncludes(page, text);
  }
  const shown = await run(["show", card.id], env);
  const [, said, factors = ""] = /Why it scores ([\d.]+): 100 x ([\d. x]+) \(/.exec(shown.stdout) ??
    [];
  assertEquals(said, String(card.score));
  const product = factors.split(" x ").reduce((product, factor) => product * Number(factor), 100);
  assert(Math.abs(product - card.score) < 0.1, `${factors} make ${product}, not ${card.score}`);
  assertMatch(shown.stdout, /\d+ authors,\s+weighed\s+by\s+age\s+and\s+certainty:\s+\d/);
  assertEquals(shown.stdout.match(/lift:/g)?.length ?? 0, /\blift \d/.test(shown.stdout) ? 1 : 0);
  assert(!/^\s*\w+: *$|\b(rejected|owned|considered) *(,|$)/m.test(shown.stdout), shown.stdout);
  const searched = await run(["show", word], env);
  assertStringIncludes(searched.stdout, card.title);
  const none = await run(["show", "no", "such", "thing"], env);
  assertEquals(none.code, 1);
  assertStringIncludes(none.stderr, 'demand: no card has the id or slug "no such thing"');
  for (
    const path of ["/admin/cards/none", "/admin/payments/999999", "/admin/payments/x", "/admin/x"]
  ) {
    const response = await fetch(`${service.base}${path}`, { headers: { authorization } });
    await response.text();
    assertEquals(response.status, 404, path);
  }
});

testBoth("a payment is found by its payment-identifier, whatever that looks like", async (
  { database },
) => {
  const ledger = openLedger(database);
  const names = [crypto.randomUUID(), crypto.randomUUID().toUpperCase(), `0x${randomHex(32)}`];
  for (const named of [...names, `0x${randomHex(20)}`, "a-name-of-its-own"]) {
    const { id } = await takeClaim(ledger, newClaim({ paymentIdentifier: named }));
    const found = await findPayments(database.sql, paymentQuery(named, null), 9);
    assertEquals(found.map((row) => row.id), [id], named);
    const settled = await findPayments(database.sql, paymentQuery(named, "settled"), 9);
    assertEquals(settled.length, 0);
  }
  const payer = randomHex(20);
  for (const rail of ["test:one", "two"]) await ledger.claim(newClaim({ payer, rail }));
  const ofPayer = await findPayments(database.sql, paymentQuery(`0x${payer}`, null), 9);
  assertEquals(ofPayer.map(({ rail }) => rail).sort(), ["test:one", "two"]);
  assertEquals((await findPayments(database.sql, paymentQuery("", null), 9)).length, 7);
});

Deno.test("ten wrong tokens in a minute close the door for that address, and are logged with it", async () => {
  await using test = await testEmbedded();
  const logged: unknown[] = [];
  const log: Log = { ...silentLog, warn: (event, fields) => logged.push({ event, ...fields }) };
  let now = new Date("2026-11-20T12:00:00.000Z");
  const admin = createAdmin({
    token: TOKEN,
    version: "0.1.0",
    log,
    requestId: () => "r1",
    database: test.database,
    now: () => now,
    catalogue: () => EXAMPLE_CATALOGUE,
    payments: () => {
      throw new Error("not asked for");
    },
    requests: () => [],
  });
  const statusOf = async (token: string, client: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await admin(new Request("http://x/admin/cards", { headers }), client);
    return status;
  };
  for (let i = 0; i < 10; i++) assertEquals(await statusOf("wrong", "192.0.2.1"), 401);
  assertEquals([await statusOf("wrong", "192.0.2.1"), await statusOf(TOKEN, "192.0.2.1")], [
    429,
    429,
  ]);
  assertEquals(await statusOf(TOKEN, "192.0.2.2"), 200);
  now = new Date(now.getTime() + 61_000);
  assertEquals(await statusOf(TOKEN, "192.0.2.1"), 200);
  assertEquals(logged.length, 10);
  assertEquals(logged[0], {
    event: "a wrong token at /admin",
    client: "192.0.2.1",
    moreAllowed: 9,
  });
});

Deno.test("words of a search are text, and a link of a source is one of the web", async () => {
  await using test = await testEmbedded();
  const { sql } = test.database;
  const [card] = EXAMPLE_CATALOGUE.cards;
  const hostile = {
    ...card,
    title: "<b>50% off_</b>",
    evidence: [{ quote: "q", permalink: "javascript:alert(1)", upvotes: 1, subreddit: "s" }],
  };
  await sql`insert into opportunities (id, key, state, slug, category, score, card)
    values ('opp_1', 'k', 'dormant', 'a', 'c', 1, ${JSON.stringify(hostile)}::text::jsonb)`;
  const search = (...words: string[]) => searchCards(sql, { words, state: null, limit: 5 });
  assertEquals((await search("50%", "OFF_")).length, 1);
  assertEquals([(await search("5%f")).length, (await search("%")).length], [0, 1]);
  assertEquals((await search("\\")).length, 0);
  const report = cardReport(
    await findCard(sql, "opp_1") ?? (() => {
      throw new Error("not found");
    })(),
  );
  assertEquals(report.tables.at(-1)?.rows, [["q", "s", 1, "javascript:alert(1)"]]);
  assertEquals([dollarsOf(10_000), dollarsOf(1)], ["0.01", "0.000001"]);
});

Deno.test("a card is told as the catalogue reads it, and one that it cannot read is said to be none", () => {
  const [card] = EXAMPLE_CATALOGUE.cards;
  assert(card?.facts !== undefined);
  const reported = (stored: unknown) =>
    cardReport({
      id: card.id,
      state: "active",
      mergedInto: null,
      slug: card.slug,
      changedAt: null,
      card: stored,
      formerSlugs: [],
    });
  // The database keeps no order of fields.
  const facts = Object.fromEntries(Object.entries(card.facts).reverse());
  const [, told] = reported({ ...card, facts }).tables;
  assertEquals(told?.rows.slice(0, 2).map(([name]) => name), ["product", "want"]);
  const unreadable = reported({ ...card, facts: { ...facts, authors: "many" } });
  assertStringIncludes(String(new Map(unreadable.facts).get("card")), "another version");
  assertEquals(unreadable.tables, []);
});
