/** Buyers who sign a new payment for what they bought a moment ago, as the official client does. */
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { dropAnswersQuoting } from "../../../db/ledger/cleanup.ts";
import type { Database } from "../../../db/sql.ts";
import { newAccount } from "../../support/accounts.ts";
import { until } from "../../support/time.ts";
import { payV1, payV2 } from "../support/buyer.ts";
import { errorOf, testSales } from "../support/sale.ts";
import { openShop, type Route, type Shop, TERMS } from "../support/shop.ts";

const ANEW = { "Cache-Control": "no-cache" };

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly receipt: string | null;
}

async function read(response: Response): Promise<Answered> {
  const { status, headers } = response;
  return { status, text: await response.text(), receipt: headers.get("payment-response") };
}

type Payer = ReturnType<typeof newAccount>;

/** Buys with a payment that is signed for this call alone. */
const buy = async (
  shop: Shop,
  payer: Payer,
  query = "?n=1",
  { route = "number" as Route, headers = {}, more = {} } = {},
): Promise<Answered> =>
  await read(await shop.get(route, query, { ...await payV2(payer, TERMS, more), ...headers }));

const rowsOf = async ({ sql }: Database, payer: Payer): Promise<string[]> =>
  (await sql<{ state: string }[]>`
    select state from payments where payer = decode(${payer.address.slice(2)}, 'hex')
    order by id`).map(({ state }) => state);

const named = (id: string) => ({
  more: { extensions: { "payment-identifier": { info: { required: false, id } } } },
});

testSales("payments signed anew for one purchase", {
  "the first answer and its receipt come again, and nothing of the new payment is kept": async (
    shop,
    database,
  ) => {
    for (const route of ["number", "read"] as const) {
      const payer = newAccount();
      const first = await buy(shop, payer, "?n=1&m=2", { route });
      assertEquals(first.status, 200);
      for (const query of ["?n=1&m=2", "?m=2&n=1"]) {
        assertEquals(await buy(shop, payer, query, { route }), first);
      }
      assertEquals(await rowsOf(database, payer), ["settled"]);
      const old = await shop.get(route, "?n=1&m=2", await payV1(payer, TERMS));
      assertEquals(await read(old), first);
    }
  },

  "another input, route or payer is another purchase": async (shop, database) => {
    const payer = newAccount();
    const first = await buy(shop, payer);
    assertNotEquals(await buy(shop, payer, "?n=2"), first);
    assertNotEquals(await buy(shop, payer, "?n=1", { route: "other" }), first);
    assertEquals(await rowsOf(database, payer), ["settled", "settled", "settled"]);
    const stranger = newAccount();
    assertNotEquals((await buy(shop, stranger)).receipt, first.receipt);
    assertEquals(await rowsOf(database, stranger), ["settled"]);
  },

  "JSON that says the same is the same purchase": async (shop, database) => {
    const payer = newAccount();
    const post = async (body: string): Promise<Answered> => {
      const headers = await payV2(payer, TERMS);
      return await read(await fetch(`${shop.url}/v1/posted`, { method: "POST", body, headers }));
    };
    const first = await post('{"query":"a","category":"b"}');
    assertEquals(await post('{ "category": "b",\n "query": "a" }'), first);
    assertNotEquals(await post('{"query":"b","category":"a"}'), first);
    assertEquals((await rowsOf(database, payer)).length, 2);
  },

  "no-cache asks for a new purchase, and is the one that is repeated then": async (
    shop,
    database,
  ) => {
    const payer = newAccount();
    const first = await buy(shop, payer);
    const second = await buy(shop, payer, "?n=1", { headers: ANEW });
    assertEquals(second.status, 200);
    assertNotEquals(second, first);
    assertEquals(await buy(shop, payer), second);
    assertEquals(await rowsOf(database, payer), ["settled", "settled"]);
    const other = { headers: { "Cache-Control": "max-age=0" } };
    assertEquals(await buy(shop, payer, "?n=1", other), second);
  },

  "a purchase is the payer's for fifteen minutes": async (shop, database) => {
    const payer = newAccount();
    const first = await buy(shop, payer);
    const age = (minutes: number) =>
      database.sql`
      update payments set settled_at = settled_at - ${minutes} * interval '1 minute'
      where payer = decode(${payer.address.slice(2)}, 'hex')`;
    await age(14);
    assertEquals(await buy(shop, payer), first);
    await age(2);
    assertNotEquals(await buy(shop, payer), first);
    assertEquals((await rowsOf(database, payer)).length, 2);
  },

  "an answer whose evidence was removed is not repeated, and not sold once more": async (
    shop,
    database,
  ) => {
    const payer = newAccount();
    const first = await buy(shop, payer, "?n=old");
    await dropAnswersQuoting(database.sql, ["post-old"]);
    const fresh = await payV2(payer, TERMS);
    const again = await shop.get("number", "?n=old", fresh);
    assertEquals(again.headers.get("payment-response"), first.receipt);
    const { error, charged } = await again.json();
    assertEquals([again.status, error.code, charged], [410, "answer_removed", true]);
    assertStringIncludes(error.message, "a payment other than that one was not charged");
    assertEquals(await rowsOf(database, payer), ["settled"]);
    // What the error says buys the answer that is there now.
    assertStringIncludes(error.message, "Cache-Control: no-cache");
    assertEquals(error.param, "Cache-Control");
    const anew = await shop.get("number", "?n=old", { ...fresh, "Cache-Control": "no-cache" });
    assertEquals([anew.status, (await anew.json()).count], [200, 2]);
    assertEquals(await rowsOf(database, payer), ["settled", "settled"]);
  },

  "two in flight are one purchase, here and on another replica": async (shop, database) => {
    await using other = await openShop({ database });
    shop.delayMs = other.delayMs = 300;
    const payer = newAccount();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => buy(n % 2 === 0 ? shop : other, payer)),
    );
    assertEquals(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    assertEquals(answers[0]?.status, 200);
    assertEquals(shop.computed + other.computed, 1);
    assertEquals(await rowsOf(database, payer), ["settled"]);
  },

  "a purchase that failed is made by the next payment": async (shop, database) => {
    const payer = newAccount();
    shop.failure = new Error("broken");
    assertEquals((await buy(shop, payer)).status, 500);
    shop.failure = null;
    assertEquals((await buy(shop, payer)).status, 200);
    assertEquals((await rowsOf(database, payer)).toSorted(), ["released", "settled"]);
  },

  "an identifier finds its purchase for a day, and is in the way of others": async (
    shop,
    { sql },
  ) => {
    const payer = newAccount();
    const mine = named(`order_${crypto.randomUUID()}`);
    const first = await buy(shop, payer, "?n=1", mine);
    assertEquals(await buy(shop, payer, "?n=1", mine), first);
    assertEquals(await buy(shop, payer, "?n=1", named(`order_${crypto.randomUUID()}`)), first);
    assertEquals((await buy(shop, payer, "?n=2", mine)).status, 409);
    assertEquals((await buy(shop, payer, "?n=1", { ...mine, headers: ANEW })).status, 409);
    await sql`update payments set settled_at = settled_at - interval '23 hours'
      where payer = decode(${payer.address.slice(2)}, 'hex')`;
    assertEquals(await buy(shop, payer, "?n=1", mine), first);
  },

  "what was bought is given again while nothing new is sold": async (shop) => {
    const payer = newAccount();
    const first = await buy(shop, payer);
    shop.payments.close();
    assertEquals(await buy(shop, payer), first);
    const other = await shop.get("number", "?n=2", await payV2(payer, TERMS));
    assertEquals(await errorOf(other, 503), "overloaded");
  },

  "a signature that is nobody's finds no purchase": async (shop) => {
    const payer = newAccount();
    await buy(shop, payer);
    const forged = await payV2(newAccount(), { ...TERMS, from: payer.address });
    const reason = "invalid_exact_evm_payload_signature";
    assertEquals(await errorOf(await shop.get("number", "?n=1", forged), 402), reason);
    const late = await payV2(payer, { ...TERMS, validBefore: Math.floor(Date.now() / 1000) - 60 });
    const expired = "invalid_exact_evm_payload_authorization_valid_before";
    assertEquals(await errorOf(await shop.get("number", "?n=1", late), 402), expired);
  },

  "what an owner left behind before anything was sent makes way, for good": async (
    shop,
    database,
  ) => {
    const payer = newAccount();
    const stalled = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await using slow = await openShop({
      database,
      onCompute: () => {
        begun.resolve();
        return stalled.promise;
      },
    });
    const first = buy(slow, payer);
    await begun.promise;
    await database.sql`update payments set lease_until = clock_timestamp() - interval '1 second'
      where payer = decode(${payer.address.slice(2)}, 'hex')`;
    const second = await buy(shop, payer);
    assertEquals(second.status, 200);
    stalled.resolve();
    assertEquals((await first).status, 503, "its owner woke up too late");
    assertEquals((await rowsOf(database, payer)).toSorted(), ["released", "settled"]);
  },

  "a settlement that was left open is finished for the buyer who signed anew": async (
    shop,
    database,
  ) => {
    for (const route of ["number", "read"] as const) {
      const payer = newAccount();
      const first = await buy(shop, payer, "?n=1", { route });
      // As its owner's death left it: nobody knows what became of it.
      await database.sql`
        update payments q set state = 'settling', tx = null, settled_at = null, owner = 'dead',
          lease_until = clock_timestamp() - interval '1 second', valid_after = 0,
          signature = decode(repeat('11', 65), 'hex')
        where payer = decode(${payer.address.slice(2)}, 'hex')`;
      assertEquals(await buy(shop, payer, "?n=1", { route }), first);
      const [row] = await database.sql`
        select state, signature, valid_after from payments
        where payer = decode(${payer.address.slice(2)}, 'hex')`;
      assertEquals(row, { state: "settled", signature: null, valid_after: null });
    }
  },
});

testSales("answers made before their claims", {
  "what cannot be computed claims nothing, and what was bought is repeated": async (
    shop,
    database,
  ) => {
    const payer = newAccount();
    shop.failure = new Error("broken");
    assertEquals((await buy(shop, payer, "?n=1", { route: "read" })).status, 500);
    shop.failure = null;
    shop.worth = false;
    const free = await buy(shop, payer, "?n=1", { route: "read" });
    assertEquals([free.status, JSON.parse(free.text).charged], [200, false]);
    assertEquals(await rowsOf(database, payer), []);
    shop.worth = true;
    const headers = await payV2(payer, TERMS);
    const bought = await read(await shop.get("read", "?n=1", headers));
    shop.worth = false;
    assertEquals(await read(await shop.get("read", "?n=1", headers)), bought);
    shop.failure = new Error("broken");
    assertEquals(await read(await shop.get("read", "?n=1", headers)), bought);
    assertEquals(await buy(shop, payer, "?n=1", { route: "read" }), bought);
  },

  "a sale takes two statements": async (_shop, database) => {
    let [begun, ended] = [0, 0];
    await using shop = await openShop({
      database: {
        short: async (statement) => {
          begun++;
          return await database.short(statement).finally(() => ended++);
        },
        durable: () => database.durable(),
        answers: () => database.answers(),
      },
    });
    await until(() => begun > 0 && begun === ended, "what a start looks at was looked at");
    const before = begun;
    assertEquals((await buy(shop, newAccount(), "?n=1", { route: "read" })).status, 200);
    assertEquals(begun - before, 2);
  },

  "one that quotes what was removed a moment ago is not sold": async (shop, database) => {
    await database
      .sql`insert into seen_posts (id, seen_on, forgotten) values ('post-gone', now(), true)`;
    const payer = newAccount();
    const late = await shop.get("read", "?n=gone", await payV2(payer, TERMS));
    assertEquals(await errorOf(late, 503), "overloaded");
    assertEquals(await rowsOf(database, payer), []);
    assert((await buy(shop, payer, "?n=1", { route: "read" })).status === 200);
  },
});
