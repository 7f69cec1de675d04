/** The stock client and validator of MPP, unmodified, against a service whose payments settle on a chain. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { evm, Mppx } from "mppx/client";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { PAID_ROUTES } from "../../../routes/all.ts";
import { RICH_KEYS, startChain, type TestChain, USDC } from "../../doubles/chain.ts";
import { startFacilitator } from "../../doubles/facilitator.ts";
import { type RunningService, startService } from "../../routes/shop.ts";
import { sixtyCards } from "../../support/cards.ts";
import { newAccount } from "../../support/accounts.ts";
import { testBoth, testDatabase, testEmbedded } from "../../support/database.ts";
import { receiptOf } from "./mpp_buyer.ts";
import { PAY_TO } from "../support/shop.ts";

const PRICES = PAID_ROUTES.map(({ row }) => Math.round(Number(row.price) * 1_000_000));
const SUM = BigInt(PRICES.reduce((sum, price) => sum + price, 0));
const DOLLARS = 5_000_000n;

/** A fetch that pays by MPP, as its documentation has it. */
function mppFetch(account: PrivateKeyAccount): typeof fetch {
  const methods = [evm({ account, currencies: [USDC], networks: [8453], ...DOMAIN })];
  return Mppx.create({ methods, polyfill: false }).fetch;
}
const DOMAIN = { authorization: { name: "USD Coin", version: "2" } };

/** The documented call of each paid route. */
function calls(): readonly [path: string, init: RequestInit][] {
  return PAID_ROUTES.map(({ row, doc }) => {
    const input = doc.inputExample(sixtyCards());
    if (row.method === "POST") {
      const headers = { "Content-Type": "application/json" };
      return [row.path, { method: "POST", headers, body: JSON.stringify(input) }];
    }
    const query = new URLSearchParams(Object.entries(input).map(([k, v]) => [k, String(v)]));
    return [`${row.path}?${query}`, {}];
  });
}

/** Buys every route, and gives the transactions. */
async function buyAll(service: RunningService, account: PrivateKeyAccount): Promise<string[]> {
  const pay = mppFetch(account);
  const transactions: string[] = [];
  for (const [path, init] of calls()) {
    const response = await pay(`${service.url}${path}`, init);
    const body = await response.json();
    assertEquals([response.status, body.charged], [200, true], `${path} ${JSON.stringify(body)}`);
    const { reference = "", method, status } = receiptOf(response);
    assertEquals([method, status], ["evm", "success"]);
    transactions.push(reference);
  }
  assertEquals(new Set(transactions).size, PAID_ROUTES.length);
  return transactions;
}

async function assertPaid(chain: TestChain, payer: string, transactions: string[]): Promise<void> {
  assertEquals(await chain.balance(payer), DOLLARS - SUM);
  for (const transaction of transactions) {
    const receipt = z.object({ status: z.literal("0x1") });
    receipt.parse(await chain.rpc("eth_getTransactionReceipt", [transaction]));
  }
}

testBoth("the stock client buys every route, and the money moves", async ({ database }) => {
  await using chain = await startChain();
  const settlementPrivateKey = RICH_KEYS[0] ?? null;
  await using facilitator = await startFacilitator(chain.url);
  const live = { rpcUrl: chain.url, payTo: PAY_TO };
  const modes = [
    { ...live, mode: "onchain", settlementPrivateKey },
    { ...live, mode: "facilitator", facilitatorUrl: facilitator.url },
  ] as const;
  for (const payment of modes) {
    const account = await chain.account(DOLLARS);
    await using service = await startService({ database, payment });
    await assertPaid(chain, account.address, await buyAll(service, account));
  }
});

testBoth(
  "the stock client buys in mode test, and is told why it is refused",
  async ({ database }) => {
    await using service = await startService({ database });
    const account = newAccount();
    await buyAll(service, account);
    const pay = mppFetch(account);
    const missing = await pay(`${service.url}/v1/opportunity?slug=nothing`);
    assertEquals([missing.status, (await missing.json()).error.code], [
      404,
      "opportunity_not_found",
    ]);
    const wrong = await pay(`${service.url}/v1/opportunities`);
    assertEquals([wrong.status, (await wrong.json()).error.code], [400, "invalid_category"]);
  },
);

const summary = z.object({
  summary: z.object({
    passed: z.number(),
    failed: z.number(),
    warnings: z.number(),
    suggested: z.number(),
    skipped: z.number(),
  }),
  endpoints: z.array(z.object({
    path: z.string(),
    payment: z.array(z.object({ label: z.string(), severity: z.string() })),
  })),
});

/** Runs the command as a person would who has a key. */
async function mppx(key: string, args: readonly string[]): Promise<[string, string]> {
  const bin = new URL("../../../node_modules/mppx/dist/bin.js", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", bin, ...args],
    env: { MPPX_PRIVATE_KEY: key, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  return [new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)];
}

/** Runs the validator, with consent to pay. */
async function validate(url: string, key: string, args: readonly string[]) {
  const [text, errors] = await mppx(key, ["validate", url, "--yes", "--output-json", ...args]);
  const start = text.indexOf("{");
  assertNotEquals(start, -1, `${text}${errors}`);
  return { report: summary.parse(JSON.parse(text.slice(start))), text };
}

Deno.test({
  name: "the stock command buys every route on either wire",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    for (const protocol of ["mpp", "x402"]) {
      const key = generatePrivateKey();
      for (const [path, { body }] of calls()) {
        const data = typeof body === "string" ? ["--json-body", body] : [];
        const args = [`${service.url}${path}`, "--protocol", protocol, "--silent", ...data];
        const [text, errors] = await mppx(key, args);
        assert(text.includes('"charged":true'), `${protocol} ${path} ${text} ${errors}`);
      }
    }
  },
});

Deno.test({
  name: "the validator of MPP passes whole, paying for every route on a chain",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using test = await testDatabase();
    await using chain = await startChain();
    const key = generatePrivateKey();
    const { address } = privateKeyToAccount(key);
    await chain.mint(address, DOLLARS);
    const payment = {
      mode: "onchain",
      rpcUrl: chain.url,
      payTo: PAY_TO,
      settlementPrivateKey: RICH_KEYS[0] ?? null,
    } as const;
    await using service = await startService({ database: test.database, payment });
    // Its --query goes to every route that it finds, and a parameter that a route does not know is refused.
    for (const [call, { body }] of calls()) {
      const { pathname, searchParams } = new URL(call, service.url);
      const { report, text } = await validate(service.url, key, [
        ...["--endpoint", `${typeof body === "string" ? "POST" : "GET"}:${pathname}`],
        ...[...searchParams].flatMap(([name, value]) => ["--query", `${name}=${value}`]),
        ...(typeof body === "string" ? ["--body", body] : []),
      ]);
      const { passed, ...others } = report.summary;
      assertEquals(others, { failed: 0, warnings: 0, suggested: 0, skipped: 0 }, text);
      assert(passed > 0);
      assert(
        report.endpoints.some(({ payment }) =>
          payment.some(({ label }) => label === "Payment: successful")
        ),
        text,
      );
    }
    assertEquals(await chain.balance(address), DOLLARS - SUM);
  },
});
