/** What a payment over MPP buys, and what it is good for. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { newAccount } from "../../support/accounts.ts";
import { decode, encode, payloadV2, sign } from "../support/buyer.ts";
import {
  answerTo,
  ask,
  authorizationHeader,
  challengeOf,
  credentialOf,
  payMpp,
  receiptOf,
  refusal,
  requestOf,
} from "./mpp_buyer.ts";
import { errorOf, testSales } from "../support/sale.ts";
import { openShop, PAY_TO, type Shop, TERMS } from "../support/shop.ts";

testSales("payment by MPP", {
  "a challenge says what to pay, and each is one of its kind": async (shop) => {
    const first = await ask(shop);
    const { amount, currency, recipient, methodDetails } = requestOf(first);
    assertEquals([amount, recipient], ["10000", PAY_TO]);
    assertEquals(currency, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
    assertEquals(methodDetails, {
      chainId: 8453,
      credentialTypes: ["authorization"],
      decimals: 6,
    });
    assertEquals([first.realm, first["method"], first["intent"]], [
      "shop.example",
      "evm",
      "charge",
    ]);
    assert(Date.parse(first.expires) - Date.now() > 290_000, first.expires);
    assertNotEquals((await ask(shop)).id, first.id);
    assertEquals("digest" in first, false);
    const head = await fetch(`${shop.url}/v1/number?n=1`, { method: "HEAD" });
    assertNotEquals(challengeOf(head).id, first.id);
  },

  "a paid call is answered once, and repeated byte for byte with its receipt": async (shop) => {
    const headers = await payMpp(await ask(shop), newAccount());
    const first = await shop.get("number", "?n=1", headers);
    assertEquals(first.status, 200);
    assertEquals(first.headers.get("cache-control"), "private, no-store");
    assertEquals(first.headers.has("payment-response"), false);
    const { method, status, reference = "", timestamp = "" } = receiptOf(first);
    assertEquals([method, status], ["evm", "success"]);
    assertMatch(reference, /^0x7e577e57[0-9a-f]{56}$/);
    assertEquals(new Date(timestamp).toISOString(), timestamp);
    const text = await first.text();
    assertEquals(JSON.parse(text), { n: "1", count: 1, charged: true, paymentMode: "test" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const again = await shop.get("number", "?n=1", headers);
    assertEquals(await again.text(), text);
    assertEquals(again.headers.get("payment-receipt"), first.headers.get("payment-receipt"));
    assertEquals(shop.computed, 1);
  },

  "a retry that answers a fresh challenge gets the first answer and receipt": async (shop) => {
    const account = newAccount();
    const pay = async () =>
      await shop.get("number", "?n=1", await payMpp(await ask(shop), account));
    const [first, second] = [await pay(), await pay()];
    assertEquals(await second.text(), await first.text());
    assertEquals(second.headers.get("payment-receipt"), first.headers.get("payment-receipt"));
    assertEquals(shop.computed, 1);
  },

  "twenty uses at once are one computation, and all get its answer": async (shop) => {
    shop.delayMs = 50;
    const headers = await payMpp(await ask(shop), newAccount());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.get("number", "?n=1", headers)),
    );
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assertEquals(new Set(texts).size, 1);
    assertEquals(new Set(answers.map((a) => a.headers.get("payment-receipt"))).size, 1);
    assertEquals([answers[0]?.status, shop.computed], [200, 1]);
  },

  "an error charges nothing, and leaves the authorization good": async (shop) => {
    const headers = await payMpp(await ask(shop), newAccount());
    assertEquals(
      await errorOf(await shop.get("number", "?n=wrong", headers), 400),
      "invalid_parameter",
    );
    shop.failure = new Error("broken");
    assertEquals(await errorOf(await shop.get("number", "?n=1", headers), 500), "internal");
    shop.failure = null;
    shop.worth = false;
    const free = await shop.get("number", "?n=1", headers);
    assertEquals([free.status, free.headers.has("payment-receipt")], [200, false]);
    assertEquals((await free.json()).charged, false);
    shop.worth = true;
    const paid = await shop.get("number", "?n=1", headers);
    assertEquals([paid.status, (await paid.json()).charged], [200, true]);
  },

  "a body is bound by its digest, and an empty one by none": async (shop) => {
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(`${shop.url}/v1/posted`, { method: "POST", body, headers });
    const challenge = async (body: string) => {
      const response = await post(body);
      await response.body?.cancel();
      return challengeOf(response);
    };
    const whole = await challenge("7");
    assertMatch(whole["digest"] ?? "", /^sha-256=[A-Za-z0-9+/]{43}=$/);
    const headers = await payMpp(whole, newAccount());
    assertEquals(await refusal(await post("8", headers)), "invalid_challenge");
    assertEquals(await refusal(await post("7 ", headers)), "invalid_challenge");
    const bare = await payMpp(await challenge(""), newAccount());
    assertEquals(await refusal(await post("7", bare)), "invalid_challenge");
    const { digest: _left, ...without } = whole;
    const account = newAccount();
    const stripped = credentialOf(without, await answerTo(whole, account));
    assertEquals(
      await refusal(await post("7", authorizationHeader(stripped))),
      "invalid_challenge",
    );
    const paid = await post("7", headers);
    assertEquals([paid.status, (await paid.json()).n], [200, "7"]);
  },

  "a challenge of another route of the same price is good for that one alone": async (shop) => {
    const account = newAccount();
    const headers = await payMpp(await ask(shop, "other"), account);
    assertEquals(await refusal(await shop.get("number", "?n=1", headers)), "invalid_challenge");
    const paid = await shop.get("other", "?n=1", headers);
    await paid.body?.cancel();
    assertEquals(paid.status, 200);
    assertEquals(await refusal(await shop.get("number", "?n=1", headers)), "invalid_challenge");
  },

  "one payment and other parameters: one answer": async (shop) => {
    const headers = await payMpp(await ask(shop), newAccount());
    const paid = await shop.get("number", "?n=1", headers);
    await paid.body?.cancel();
    assertEquals(paid.status, 200);
    assertEquals(
      await refusal(await shop.get("number", "?n=2", headers)),
      "invalid_exact_evm_nonce_already_used",
    );
    assertEquals(shop.computed, 1);
  },

  "other schemes beside the credential are for others, and two credentials are none": async (
    shop,
  ) => {
    for (const Authorization of ["Bearer abc", "Basic dTpw", "Paymentish e30", ""]) {
      const bare = await shop.get("number", "?n=1", { Authorization });
      assertEquals(await errorOf(bare, 402), "payment_required", Authorization);
    }
    const { Authorization: one = "" } = await payMpp(await ask(shop), newAccount());
    const { Authorization: two = "" } = await payMpp(await ask(shop), newAccount());
    const both = await shop.get("number", "?n=1", { Authorization: `${one}, ${two}` });
    assertEquals(await refusal(both), "invalid_payload");
    for (const Authorization of [`Bearer abc, ${one}`, `${two}, Bearer abc`]) {
      const paid = await shop.get("number", "?n=1", { Authorization });
      await paid.body?.cancel();
      assertEquals(paid.status, 200);
    }
  },

  "both wires at once are refused, whichever is right": async (shop) => {
    const signed = await sign(newAccount(), TERMS);
    const first = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    const second = await payMpp(await ask(shop), newAccount());
    const junk = { Authorization: "Payment e30" };
    for (const headers of [{ ...first, ...second }, { ...first, ...junk }]) {
      assertEquals(await refusal(await shop.get("number", "?n=1", headers)), "invalid_payload");
    }
    const old = { "X-PAYMENT": first["PAYMENT-SIGNATURE"], ...second };
    assertEquals(await refusal(await shop.get("number", "?n=1", old)), "invalid_payload");
    for (const headers of [first, second]) {
      const paid = await shop.get("number", "?n=1", headers);
      await paid.body?.cancel();
      assertEquals(paid.status, 200);
    }
  },

  "an authorization made for one wire is never good on the other": async (shop) => {
    for (const paysFirst of [true, false]) {
      const challenge = await ask(shop);
      const signed = await answerTo(challenge, newAccount());
      const credential = authorizationHeader(credentialOf(challenge, signed));
      if (paysFirst) {
        const paid = await shop.get("number", "?n=1", credential);
        await paid.body?.cancel();
        assertEquals(paid.status, 200);
      }
      const crossed = [
        { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) },
        {
          "X-PAYMENT": encode({
            x402Version: 1,
            scheme: "exact",
            network: "base",
            payload: signed,
          }),
        },
      ];
      for (const headers of crossed) {
        for (const query of ["?n=1", "?n=2"]) {
          const answer = await shop.get("number", query, headers);
          assertEquals(await errorOf(answer, 402), "authorization_of_mpp");
        }
      }
      const paid = await shop.get("number", "?n=1", credential);
      await paid.body?.cancel();
      assertEquals(paid.status, 200, "it is good on its own wire all the same");
    }
    // The other way round there is no challenge that it answers.
    const challenge = await ask(shop);
    const signed = await sign(newAccount(), TERMS);
    const credential = authorizationHeader(credentialOf(challenge, signed));
    assertEquals(
      await refusal(await shop.get("number", "?n=1", credential)),
      "challenge_window_mismatch",
    );
    const own = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    const paid = await shop.get("number", "?n=1", own);
    assertEquals([paid.status, decode(paid.headers.get("payment-response"))["success"]], [
      200,
      true,
    ]);
    await paid.body?.cancel();
  },

  "one authorization on both wires at different replicas is one answer": async (shop, database) => {
    await using replica = await openShop({ database });
    for (const first of ["mpp", "x402"]) {
      const challenge = await ask(shop);
      const own = await answerTo(challenge, newAccount());
      const credential = authorizationHeader(credentialOf(challenge, own));
      const crossed = { "PAYMENT-SIGNATURE": encode(payloadV2(own, TERMS)) };
      const calls = [
        () => shop.get("number", "?n=1", credential),
        () => replica.get("number", "?n=1", crossed),
      ];
      if (first === "x402") calls.reverse();
      const before = shop.computed + replica.computed;
      const statuses: number[] = [];
      for (const call of calls) {
        const response = await call();
        statuses.push(response.status);
        const { error } = await response.json();
        if (response.status === 402) assertEquals(error, "invalid_exact_evm_nonce_already_used");
      }
      assertEquals(statuses, [200, 402], first);
      assertEquals(shop.computed + replica.computed - before, 1);
    }
    const challenge = await ask(shop);
    const own = await answerTo(challenge, newAccount());
    const both = await Promise.all([
      shop.get("number", "?n=1", authorizationHeader(credentialOf(challenge, own))),
      replica.get("number", "?n=1", { "PAYMENT-SIGNATURE": encode(payloadV2(own, TERMS)) }),
    ]);
    await Promise.all(both.map((response) => response.body?.cancel()));
    assertEquals(both.map(({ status }) => status).sort(), [200, 402]);
  },

  "the same key knows challenges of every process, and another key knows none": async (
    shop,
    database,
  ) => {
    const pay = async (at: Shop, asked: Shop) =>
      await at.get("number", "?n=1", await payMpp(await ask(asked), newAccount()));
    await using replica = await openShop({ database });
    const paid = await pay(replica, shop);
    await paid.body?.cancel();
    assertEquals(paid.status, 200, "the key is kept in the database");
    const settings = { mppSecretKey: "another key of 32 characters or more" };
    await using other = await openShop({ database, settings });
    assertEquals(await refusal(await pay(shop, other)), "invalid_challenge");
    assertEquals(await refusal(await pay(other, shop)), "invalid_challenge");
    const renamed = { baseUrl: "https://elsewhere.example" };
    await using elsewhere = await openShop({ database, settings: renamed });
    assertEquals(await refusal(await pay(shop, elsewhere)), "invalid_challenge");
  },

  "a challenge that has run out is refused, but for what it bought before": async (
    _shop,
    database,
  ) => {
    let now = Date.now();
    await using shop = await openShop({ database, now: () => new Date(now) });
    const used = await payMpp(await ask(shop), newAccount());
    const unused = await payMpp(await ask(shop), newAccount());
    const first = await shop.get("number", "?n=1", used);
    const text = await first.text();
    now += 301_000;
    assertEquals(
      await refusal(await shop.get("number", "?n=1", unused)),
      "invalid_exact_evm_payload_authorization_valid_before",
    );
    const again = await shop.get("number", "?n=1", used);
    assertEquals([again.status, await again.text()], [200, text]);
    assertEquals(again.headers.get("payment-receipt"), first.headers.get("payment-receipt"));
    assertEquals(shop.computed, 1);
  },

  "with the wire off nothing speaks of it, and a credential is no payment": async (
    on,
    database,
  ) => {
    const headers = await payMpp(await ask(on), newAccount());
    await using off = await openShop({ database, settings: { mpp: false } });
    for (const sent of [{}, headers, { Authorization: "Payment e30" }]) {
      const response = await off.get("number", "?n=1", sent);
      assertEquals(response.headers.has("www-authenticate"), false);
      const body = await response.json();
      assertEquals([response.status, body.error], [402, "payment_required"]);
      assertEquals(JSON.stringify(body).includes("MPP"), false);
    }
  },
});
