/** What a buyer may do with a payment, and what it gets for it. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { DAY_MS } from "../../../core/clock.ts";
import { ServiceError } from "../../../core/errors.ts";
import { revenueSince } from "../../../db/ledger/lookups.ts";
import { newAccount } from "../../support/accounts.ts";
import { decode, payV1, payV2 } from "../support/buyer.ts";
import { openShop, type Shop, TERMS } from "../support/shop.ts";
import { errorOf, pay, testSales } from "../support/sale.ts";

testSales("the sale of answers", {
  "a call without a payment is challenged, whether or not its input is complete": async (shop) => {
    for (const query of ["?n=1", ""]) {
      const bare = await shop.get("number", query);
      assertEquals(bare.headers.get("cache-control"), "no-store");
      assertEquals(decode(bare.headers.get("payment-required"))["x402Version"], 2);
      assertEquals(await errorOf(bare, 402), "payment_required");
    }
    const wrong = await (await shop.get("number", "?n=wrong")).json();
    assertEquals(wrong.problem, {
      status: 400,
      code: "invalid_parameter",
      message: "n is wrong",
      param: "n",
    });
    assertEquals(
      await errorOf(await shop.get("number", "", await pay()), 400),
      "invalid_parameter",
    );
    assertEquals(shop.computed, 0);
  },

  "a paid call is answered once, and repeated byte for byte with its receipt": async (shop) => {
    const headers = await pay();
    const first = await shop.get("number", "?n=1", headers);
    assertEquals(first.status, 200);
    assertEquals(first.headers.get("cache-control"), "no-store");
    const receipt = first.headers.get("payment-response");
    assertEquals(decode(receipt)["success"], true);
    assertMatch(String(decode(receipt)["transaction"]), /^0x7e577e57[0-9a-f]{56}$/);
    const text = await first.text();
    assertEquals(JSON.parse(text), { n: "1", count: 1, charged: true, paymentMode: "test" });
    const again = await shop.get("number", "?n=1", headers);
    assertEquals(await again.text(), text);
    assertEquals(again.headers.get("payment-response"), receipt);
    assertEquals(shop.computed, 1);
  },

  "the old header and the old payload are taken, with the old receipt": async (shop) => {
    const response = await shop.get("number", "?n=1", await payV1(newAccount(), TERMS));
    assertEquals(response.status, 200);
    await response.body?.cancel();
    assertEquals(decode(response.headers.get("x-payment-response"))["network"], "base");
    assertEquals(decode(response.headers.get("payment-response"))["network"], "eip155:8453");
    const { "PAYMENT-SIGNATURE": header = "" } = await pay();
    const moved = await shop.get("number", "?n=1", { "X-PAYMENT": header });
    assertEquals(moved.status, 200);
    await moved.body?.cancel();
    const { "X-PAYMENT": old = "" } = await payV1(newAccount(), TERMS);
    const both = await shop.get("number", "?n=1", {
      "X-PAYMENT": old,
      "PAYMENT-SIGNATURE": header,
    });
    assertEquals(await errorOf(both, 402), "invalid_payload");
  },

  "twenty uses at once are one computation, and all get its answer": async (shop) => {
    shop.delayMs = 50;
    const headers = await pay();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await shop.get("number", "?n=1", headers);
        return [response.status, await response.text()].join(" ");
      }),
    );
    assertEquals(new Set(answers).size, 1);
    assertMatch(answers[0] ?? "", /^200 /);
    assertEquals(shop.computed, 1);
  },

  "of more uses at once than may wait for a purchase, the rest is told to come back": async (
    shop,
  ) => {
    shop.delayMs = 1_500;
    const payer = newAccount();
    const same = await payV2(payer, TERMS);
    const statuses = await Promise.all(Array.from({ length: 120 }, async (_, n) => {
      // Signed anew, it is the same purchase.
      const headers = n % 2 === 0 ? same : await payV2(payer, TERMS);
      const response = await shop.get("number", "?n=1", headers);
      if (response.status === 503) {
        assert(Number(response.headers.get("retry-after")) >= 1);
        assertEquals(await errorOf(response, 503), "overloaded");
      } else await response.body?.cancel();
      return response.status;
    }));
    assertEquals(statuses.filter((status) => status === 200).length, 100);
    assertEquals(statuses.filter((status) => status === 503).length, 20);
    assertEquals(shop.computed, 1);
    const again = await shop.get("number", "?n=1", same);
    await again.body?.cancel();
    assertEquals(again.status, 200);
  },

  "one payment buys one of six bodies": async (shop) => {
    const headers = await pay();
    const statuses = await Promise.all(["a", "b", "c", "d", "e", "f"].map(async (body) => {
      const response = await fetch(`${shop.url}/v1/posted`, { method: "POST", body, headers });
      await response.body?.cancel();
      return response.status;
    }));
    assertEquals(statuses.toSorted(), [200, 402, 402, 402, 402, 402]);
    assertEquals(shop.computed, 1);
  },

  "a payment for one resource buys no other": async (shop) => {
    const headers = await pay();
    const first = await shop.get("number", "?n=1", headers);
    await first.body?.cancel();
    const reason = "invalid_exact_evm_nonce_already_used";
    assertEquals(await errorOf(await shop.get("other", "?n=1", headers), 402), reason);
    assertEquals(await errorOf(await shop.get("number", "?n=2", headers), 402), reason);
    const named = await pay({ resource: { url: "https://shop.example/v1/number" } });
    assertEquals(await errorOf(await shop.get("other", "?n=1", named), 402), "invalid_payload");
    for (
      const url of [
        "https://evil.example/v1/number",
        "http://shop.example/v1/number",
        "https://shop.example:1/v1/number",
        "ftp://shop.example/v1/number",
        "https://shop.example/v1/number?n=2",
        "https://shop.example/v1/number?n=1&n=1",
        "https://shop.example/v1/number/",
      ]
    ) {
      const elsewhere = await pay({ resource: { url } });
      assertEquals(
        await errorOf(await shop.get("number", "?n=1", elsewhere), 402),
        "invalid_payload",
        url,
      );
    }
    const whole = await pay({ resource: { url: "https://shop.example/v1/number?n=1" } });
    const right = await shop.get("number", "?n=1", whole);
    assertEquals(right.status, 200);
    await right.body?.cancel();
    const unused = await shop.get("number", "?n=1", named);
    assertEquals(unused.status, 200);
    await unused.body?.cancel();
  },

  "HEAD runs nothing, paid or not": async (shop) => {
    const headers = await pay();
    for (const sent of [{}, headers]) {
      const response = await fetch(`${shop.url}/v1/number?n=1`, { method: "HEAD", headers: sent });
      assertEquals(response.status, 402);
      assertEquals(response.headers.has("payment-required"), true);
    }
    assertEquals(shop.computed, 0);
  },

  "what fails to compute is not charged, and the payment stays good for anything": async (shop) => {
    const headers = await pay();
    shop.failure = new ServiceError("model_unavailable", "down");
    assertEquals(
      await errorOf(await shop.get("number", "?n=1", headers), 503),
      "model_unavailable",
    );
    shop.failure = new Error("secret");
    const broken = await shop.get("number", "?n=1", headers);
    assertEquals((await broken.clone().text()).includes("secret"), false);
    assertEquals(await errorOf(broken, 500), "internal");
    shop.failure = null;
    const other = await shop.get("other", "?n=5", headers);
    assertEquals((await other.json()).charged, true);
  },

  "a compute past its budget ends as a timeout, uncharged": async (shop) => {
    const headers = await pay();
    shop.delayMs = 5_300;
    assertEquals(await errorOf(await shop.get("number", "?n=1", headers), 504), "compute_timeout");
    shop.delayMs = 0;
    assertEquals((await (await shop.get("number", "?n=1", headers)).json()).charged, true);
  },

  "an answer below the threshold is delivered and settles nothing": async (shop) => {
    const headers = await pay();
    shop.worth = false;
    const free = await shop.get("number", "?n=1", headers);
    assertEquals(free.headers.has("payment-response"), false);
    assertEquals((await free.json()).charged, false);
    shop.worth = true;
    assertEquals((await (await shop.get("number", "?n=2", headers)).json()).charged, true);
  },

  "what is not there is said before the claim; what was bought is repeated": async (shop) => {
    const headers = await pay();
    shop.unavailable = new ServiceError("opportunity_not_found", "gone");
    assertEquals(
      await errorOf(await shop.get("number", "?n=1", headers), 404),
      "opportunity_not_found",
    );
    assertEquals(await errorOf(await shop.get("number", "?n=1"), 402), "payment_required");
    shop.unavailable = null;
    const bought = await (await shop.get("number", "?n=1", headers)).text();
    shop.unavailable = new ServiceError("corpus_warming", "not yet");
    assertEquals(await (await shop.get("number", "?n=1", headers)).text(), bought);
    assertEquals(shop.computed, 1);
    // What is made before the claim says so itself, and is not looked for beforehand.
    assertEquals((await shop.get("read", "?n=1", await pay())).status, 200);
  },

  "a payer has as many calls in flight as are set, few of them costly or live": async (
    _shop,
    database,
  ) => {
    const open = (all: number, costly: number) =>
      openShop({ database, settings: { payerInFlight: { all, costly, live: 2 } } });
    const many = async (shop: Shop, route: "number" | "slow", count: number) => {
      const payer = newAccount();
      // Longer than the others wait for one to end.
      shop.delayMs = 3_000;
      const headers = await Promise.all(Array.from({ length: count }, () => payV2(payer, TERMS)));
      const statuses = await Promise.all(headers.map(async (header, n) => {
        const response = await shop.get(route, `?n=${n}`, header);
        if (response.status === 429) assert(Number(response.headers.get("retry-after")) >= 1);
        await response.body?.cancel();
        return response.status;
      }));
      return statuses.toSorted();
    };
    await using costly = await open(8, 4);
    assertEquals(await many(costly, "slow", 4), [200, 200, 429, 429]);
    assertEquals(await many(costly, "number", 6), [...Array(4).fill(200), 429, 429]);
    await using any = await open(3, 4);
    assertEquals(await many(any, "number", 5), [...Array(3).fill(200), 429, 429]);
  },

  "calls beyond that wait for one of the others to end": async (_shop, database) => {
    const payerInFlight = { all: 2, costly: 2, live: 2 };
    await using shop = await openShop({ database, settings: { payerInFlight } });
    shop.delayMs = 100;
    const payer = newAccount();
    const headers = await Promise.all(Array.from({ length: 10 }, () => payV2(payer, TERMS)));
    const statuses = await Promise.all(headers.map(async (header, n) => {
      const response = await shop.get("number", `?n=${n}`, header);
      await response.body?.cancel();
      return response.status;
    }));
    assertEquals(statuses, Array(10).fill(200));
  },

  "twenty distinct payments at once are twenty answers": async (shop) => {
    shop.delayMs = 100;
    const payer = newAccount();
    for (const route of ["number", "read"] as const) {
      const headers = await Promise.all(Array.from({ length: 20 }, () => payV2(payer, TERMS)));
      const answers = await Promise.all(headers.map(async (header, n) => {
        const response = await shop.get(route, `?n=${n}`, header);
        return [response.status, (await response.json()).n];
      }));
      assertEquals(answers, Array.from({ length: 20 }, (_, n) => [200, String(n)]));
    }
  },

  "revenue counts what was settled, by day and route": async (shop, { sql }) => {
    const yesterday = new Date(Date.now() - DAY_MS);
    const before = await revenueSince(sql, yesterday, "test");
    const count = (rows: typeof before) =>
      rows.filter(({ route }) => route === "GET /v1/other").reduce(
        (sum, row) => sum + Math.round(row.dollars * 1_000_000),
        0,
      );
    await (await shop.get("other", "?n=1", await pay())).body?.cancel();
    assertEquals(count(await revenueSince(sql, yesterday, "test")) - count(before), 10_000);
    assertEquals((await shop.unresolved()).settling, 0);
  },
});
