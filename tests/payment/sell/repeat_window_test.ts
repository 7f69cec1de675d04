/** How long what was bought is given again, and when it is gone. */
import { assertEquals } from "@std/assert";
import { cleanUpLedger, dropAnswersQuoting } from "../../../db/ledger/cleanup.ts";
import { rememberRequests } from "../../../db/ledger/requests.ts";
import { paymentAnswer } from "../../../db/ledger/lookups.ts";
import { newAccount } from "../../support/accounts.ts";
import { nowSeconds, payV2 } from "../support/buyer.ts";
import { errorOf, pay, testSales } from "../support/sale.ts";
import { openShop, TERMS } from "../support/shop.ts";

const identified = (id: string) => ({
  extensions: { "payment-identifier": { info: { required: false, id } } },
});

testSales("answers that were bought", {
  "a payment identifier keeps an answer, and belongs to one purchase": async (shop, { sql }) => {
    const payer = newAccount();
    const id = `order_${crypto.randomUUID()}`;
    const headers = await payV2(payer, TERMS, identified(id));
    const first = await (await shop.get("number", "?n=1", headers)).text();
    const second = await payV2(payer, TERMS, identified(id));
    assertEquals(await errorOf(await shop.get("number", "?n=2", second), 409), "payment_conflict");
    assertEquals(await errorOf(await shop.get("number", "?n=2", headers), 409), "payment_conflict");
    const foreign = await pay(identified(id));
    assertEquals((await (await shop.get("number", "?n=1", foreign)).json()).charged, true);
    await sql`update payments set settled_at = settled_at - interval '23 hours' where payment_id = ${id}`;
    assertEquals(await (await shop.get("number", "?n=1", headers)).text(), first);
    const malformed = await pay(identified("short"));
    assertEquals(
      await errorOf(await shop.get("number", "?n=1", malformed), 400),
      "invalid_parameter",
    );
    await sql`update payments set settled_at = settled_at - interval '2 hours' where payment_id = ${id}`;
    const late = await errorOf(await shop.get("number", "?n=1", headers), 402);
    assertEquals(late, "invalid_exact_evm_nonce_already_used");
  },

  "an answer without an identifier is given again for fifteen minutes": async (shop, { sql }) => {
    const payer = newAccount();
    const headers = await payV2(payer, TERMS);
    const first = await (await shop.get("number", "?n=1", headers)).text();
    const age = (minutes: number) =>
      sql`
      update payments set settled_at = settled_at - ${minutes} * interval '1 minute'
      where payer = decode(${payer.address.slice(2)}, 'hex')`;
    await age(14);
    assertEquals(await (await shop.get("number", "?n=1", headers)).text(), first);
    await age(2);
    const late = await errorOf(await shop.get("number", "?n=1", headers), 402);
    assertEquals(late, "invalid_exact_evm_nonce_already_used");
  },

  "an answer whose evidence was removed is gone, and its receipt stays": async (shop, { sql }) => {
    const headers = await pay();
    const first = await shop.get("number", "?n=gone", headers);
    await first.body?.cancel();
    assertEquals(await dropAnswersQuoting(sql, ["post-none", "post-gone"]), 1);
    assertEquals(await dropAnswersQuoting(sql, []), 0);
    const again = await shop.get("number", "?n=gone", headers);
    assertEquals(again.headers.get("payment-response"), first.headers.get("payment-response"));
    const { error, charged } = await again.json();
    assertEquals([again.status, error.code, charged], [410, "answer_removed", true]);
  },

  "an answer that quotes what was removed a moment ago is not sold": async (shop, { sql }) => {
    await sql`insert into seen_posts (id, seen_on, forgotten) values ('post-late', now(), true)`;
    const headers = await pay();
    const late = await shop.get("number", "?n=late", headers);
    assertEquals(late.headers.has("payment-response"), false);
    assertEquals(await errorOf(late, 503), "overloaded");
    const kept = await sql`select from payment_answers where evidence_ids @> '{post-late}'`;
    assertEquals(kept.length, 0);
    // Made again of what is left.
    await sql`delete from seen_posts where id = 'post-late'`;
    const again = await shop.get("number", "?n=late", headers);
    assertEquals([again.status, (await again.json()).charged], [200, true]);
  },

  "an answer that was stored while its post was removed is dropped by the cleanup": async (
    shop,
    database,
  ) => {
    const headers = await pay();
    const { sql } = database;
    await (await shop.get("number", "?n=race", headers)).body?.cancel();
    await sql`insert into seen_posts (id, seen_on, forgotten) values ('post-race', now(), true)`;
    await cleanUpLedger(database, shop.payments.status().rail, null);
    const again = await shop.get("number", "?n=race", headers);
    await again.body?.cancel();
    assertEquals(again.status, 410);
  },

  "a settled payment is repeated after its authorization has run out": async (shop, database) => {
    const payer = newAccount();
    const headers = await payV2(payer, { ...TERMS, validBefore: nowSeconds() + 100 });
    const first = await (await shop.get("number", "?n=1", headers)).text();
    await using later = await openShop({ database, now: () => new Date(Date.now() + 120_000) });
    assertEquals(await (await later.get("number", "?n=1", headers)).text(), first);
    await database.sql`delete from payment_answers`;
    await database.sql`delete from payments where payer = decode(${payer.address.slice(2)}, 'hex')`;
    const unknown = await errorOf(await later.get("number", "?n=1", headers), 402);
    assertEquals(unknown, "invalid_exact_evm_payload_authorization_valid_before");
  },

  "the first requests that a payment answered are kept, however often it is given again": async (
    _shop,
    { sql, short },
  ) => {
    const remember = rememberRequests(short);
    const prefix = crypto.randomUUID();
    const [transaction, other] = [`0x${prefix}`, `0x${prefix}other`];
    for (const from of [0, 30, 60]) {
      const requests = Array.from({ length: 30 }, (_, n) => from + n);
      await Promise.all(
        requests.map((n) =>
          remember({ requestId: `${prefix}/${n}`, transaction, at: new Date(n * 1000) })
        ),
      );
    }
    await remember({ requestId: prefix, transaction: other, at: new Date(0) });
    const kept = (await paymentAnswer(sql, { id: -1, transaction })).requests;
    assertEquals(kept.length, 50);
    assertEquals(kept.at(-1)?.requestId, `${prefix}/49`);
    const stored = await sql`select from payment_requests where tx in (${transaction}, ${other})`;
    assertEquals(stored.length, 51);
  },
});
