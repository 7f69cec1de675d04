/** What a payment over MPP buys, and every way to cheat with one that is known of the first wire too. */
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createHmac } from "node:crypto";
import type { PrivateKeyAccount } from "viem/accounts";
import { decode, encode, freshNonce, payloadV2, sign } from "./buyer.ts";
import {
  answerTo,
  authorizationHeader,
  type Challenge,
  challengeOf,
  credentialOf,
  hashOf,
  payMpp,
  receiptOf,
  requestOf,
} from "./mpp_buyer.ts";
import { errorOf, newPayer, TERMS, testSales } from "./sale_support.ts";
import { openShop, PAY_TO, type Route, type Shop } from "./shop.ts";

/** A fresh challenge, as `query` gets it. */
async function ask(shop: Shop, route: Route = "number", query = "?n=1"): Promise<Challenge> {
  const response = await shop.get(route, query);
  const body = await response.json();
  assertEquals([response.status, body.error], [402, "payment_required"]);
  return challengeOf(response);
}

/** A refusal of this wire: the reason, with a fresh challenge and the problem's details. */
async function refusal(response: Response): Promise<string> {
  assertEquals(response.headers.get("content-type"), "application/problem+json");
  assertNotEquals(challengeOf(response).id, "");
  assert(!response.headers.has("payment-receipt"));
  const { type, title, status, detail, message, charged, error, accepts } = await response.json();
  assertEquals([response.status, status, charged], [402, 402, false]);
  assertMatch(type, /^https:\/\/paymentauth\.org\/problems\/[a-z-]+$/);
  assertEquals([typeof title, detail, accepts.length], ["string", message, 1]);
  return error;
}

/** Pays for `query` with an answer that was spoilt. */
async function refused(
  shop: Shop,
  spoil: (challenge: Challenge, account: PrivateKeyAccount) => Promise<unknown> | unknown,
): Promise<string> {
  const challenge = await ask(shop);
  const credential = await spoil(challenge, newPayer());
  return await refusal(await shop.get("number", "?n=1", authorizationHeader(credential)));
}

/** A credential whose challenge says something else, with an authorization for what it says. */
const altered =
  (change: Readonly<Record<string, string>>, keeps: "hash" | "id" = "id") =>
  async (challenge: Challenge, account: PrivateKeyAccount): Promise<unknown> => {
    const other = { ...challenge, ...change };
    const nonce = hashOf(keeps === "id" ? other : challenge);
    return credentialOf(other, await answerTo(other, account, { nonce }));
  };

const base64url = (value: unknown): string =>
  btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

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
    assert(Date.parse(first.expires) - Date.now() >= 299_000, first.expires);
    assertNotEquals((await ask(shop)).id, first.id);
    assertEquals("digest" in first, false);
    const head = await fetch(`${shop.url}/v1/number?n=1`, { method: "HEAD" });
    assertNotEquals(challengeOf(head).id, first.id);
  },

  "a paid call is answered once, and repeated byte for byte with its receipt": async (shop) => {
    const headers = await payMpp(await ask(shop), newPayer());
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
    const account = newPayer();
    const pay = async () =>
      await shop.get("number", "?n=1", await payMpp(await ask(shop), account));
    const [first, second] = [await pay(), await pay()];
    assertEquals(await second.text(), await first.text());
    assertEquals(second.headers.get("payment-receipt"), first.headers.get("payment-receipt"));
    assertEquals(shop.computed, 1);
  },

  "twenty uses at once are one computation, and all get its answer": async (shop) => {
    shop.delayMs = 50;
    const headers = await payMpp(await ask(shop), newPayer());
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.get("number", "?n=1", headers)),
    );
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assertEquals(new Set(texts).size, 1);
    assertEquals(new Set(answers.map((a) => a.headers.get("payment-receipt"))).size, 1);
    assertEquals([answers[0]?.status, shop.computed], [200, 1]);
  },

  "an error charges nothing, and leaves the authorization good": async (shop) => {
    const headers = await payMpp(await ask(shop), newPayer());
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
    const headers = await payMpp(whole, newPayer());
    assertEquals(await refusal(await post("8", headers)), "invalid_challenge");
    assertEquals(await refusal(await post("7 ", headers)), "invalid_challenge");
    const bare = await payMpp(await challenge(""), newPayer());
    assertEquals(await refusal(await post("7", bare)), "invalid_challenge");
    const { digest: _left, ...without } = whole;
    const account = newPayer();
    const stripped = credentialOf(without, await answerTo(whole, account));
    assertEquals(
      await refusal(await post("7", authorizationHeader(stripped))),
      "invalid_challenge",
    );
    const paid = await post("7", headers);
    assertEquals([paid.status, (await paid.json()).n], [200, "7"]);
  },

  "a challenge of another route of the same price is good for that one alone": async (shop) => {
    const account = newPayer();
    const headers = await payMpp(await ask(shop, "other"), account);
    assertEquals(await refusal(await shop.get("number", "?n=1", headers)), "invalid_challenge");
    const paid = await shop.get("other", "?n=1", headers);
    await paid.body?.cancel();
    assertEquals(paid.status, 200);
    assertEquals(await refusal(await shop.get("number", "?n=1", headers)), "invalid_challenge");
  },

  "one payment and other parameters: one answer": async (shop) => {
    const headers = await payMpp(await ask(shop), newPayer());
    const paid = await shop.get("number", "?n=1", headers);
    await paid.body?.cancel();
    assertEquals(paid.status, 200);
    assertEquals(
      await refusal(await shop.get("number", "?n=2", headers)),
      "invalid_exact_evm_nonce_already_used",
    );
    assertEquals(shop.computed, 1);
  },

  "what is tampered with has another id than it says": async (shop) => {
    const far = "2099-01-01T00:00:00.000Z";
    const cheap = base64url({
      amount: "1",
      currency: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      methodDetails: { chainId: 8453, credentialTypes: ["authorization"], decimals: 6 },
      recipient: PAY_TO,
    });
    const opaque = base64url({ method: "GET", path: "/v1/number", random: "AAAA" });
    const changes: Record<string, string>[] = [
      { realm: "other.example" },
      { method: "tempo" },
      { intent: "session" },
      { request: cheap },
      { expires: far },
      { opaque },
      { digest: `sha-256=${"A".repeat(43)}=` },
      { id: "A".repeat(43) },
      { id: "A" },
    ];
    for (const change of changes) {
      assertEquals(
        await refused(shop, altered(change)),
        "invalid_challenge",
        JSON.stringify(change),
      );
    }
    // The last of the 43 characters holds two bits that say nothing: other spellings are other nonces.
    const spelled = async (challenge: Challenge, account: PrivateKeyAccount) => {
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const last = alphabet.indexOf(challenge.id.slice(-1));
      const id = challenge.id.slice(0, -1) + (alphabet[last ^ 1] ?? "");
      return await altered({ id })(challenge, account);
    };
    assertEquals(await refused(shop, spelled), "invalid_challenge");
    // Made with a key that is not ours.
    const forged = async (challenge: Challenge, account: PrivateKeyAccount) => {
      const { realm, request, expires } = challenge;
      const text = [realm, "evm", "charge", request, expires, "", challenge.opaque].join("|");
      const id = createHmac("sha256", "a key of one's own").update(text).digest("base64url");
      return await altered({ id })(challenge, account);
    };
    assertEquals(await refused(shop, forged), "invalid_challenge");
    assertEquals(shop.computed, 0);
  },

  "an authorization that does not answer its challenge is refused": async (shop) => {
    const other = newPayer();
    const differs =
      (terms: Parameters<typeof answerTo>[2]) =>
      async (challenge: Challenge, account: PrivateKeyAccount): Promise<unknown> =>
        credentialOf(challenge, await answerTo(challenge, account, terms));
    const cases: [Parameters<typeof refused>[1], string][] = [
      [differs({ nonce: freshNonce() }), "challenge_hash_mismatch"],
      [
        async (challenge, account) =>
          credentialOf(
            challenge,
            await answerTo(challenge, account, { nonce: hashOf(await ask(shop)) }),
          ),
        "challenge_hash_mismatch",
      ],
      [differs({ validAfter: 1 }), "challenge_window_mismatch"],
      [
        differs({ validBefore: Math.floor(Date.now() / 1000) + 3_600 }),
        "challenge_window_mismatch",
      ],
      [differs({ payTo: other.address }), "invalid_exact_evm_payload_recipient_mismatch"],
      [differs({ amount: 9_999 }), "invalid_exact_evm_payload_authorization_value_mismatch"],
      [differs({ amount: 20_000 }), "invalid_exact_evm_payload_authorization_value_mismatch"],
      [differs({ chainId: 84_532 }), "invalid_exact_evm_payload_signature"],
      [differs({ from: other.address }), "invalid_exact_evm_payload_signature"],
      [
        async (challenge, account) =>
          credentialOf(challenge, await answerTo(challenge, account), {
            source: `did:pkh:eip155:8453:${other.address}`,
          }),
        "invalid_payload",
      ],
      [
        async (challenge, account) =>
          credentialOf(challenge, await answerTo(challenge, account), {
            source: `did:pkh:eip155:1:${account.address}`,
          }),
        "invalid_payload",
      ],
    ];
    for (const [spoil, reason] of cases) assertEquals(await refused(shop, spoil), reason);
    assertEquals(shop.computed, 0);
  },

  "what is no credential is refused with a fresh challenge, and costs nothing": async (shop) => {
    const challenge = await ask(shop);
    const good = credentialOf(challenge, await answerTo(challenge, newPayer()));
    const payload = { ...good["payload"] as Record<string, unknown> };
    const credentials: unknown[] = [
      null,
      7,
      [],
      {},
      { ...good, challenge: null },
      { ...good, challenge: { ...challenge, id: 7 } },
      { ...good, challenge: { ...challenge, request: requestOf(challenge) } },
      { ...good, challenge: { ...challenge, opaque: "not base64url!" } },
      { ...good, challenge: { ...challenge, expires: undefined } },
      { ...good, challenge: { ...challenge, realm: "x".repeat(3_000) } },
      { ...good, payload: undefined },
      { ...good, payload: { ...payload, type: "hash" } },
      { ...good, payload: { ...payload, type: undefined } },
      { ...good, payload: { ...payload, value: 10_000 } },
      { ...good, payload: { ...payload, nonce: "0x00" } },
      { ...good, payload: { ...payload, signature: "0x" } },
      { ...good, payload: { ...payload, validBefore: "-1" } },
      { ...good, source: {} },
      { ...good, __proto__: undefined, extra: "x".repeat(9_000) },
    ];
    for (const credential of credentials) {
      const response = await shop.get("number", "?n=1", authorizationHeader(credential));
      assertEquals(await refusal(response), "invalid_payload", JSON.stringify(credential));
    }
    for (
      const text of ["Payment", "Payment ", "payment x", "Payment =", "PAYMENT e30", "Payment é"]
    ) {
      const headers = { Authorization: text.replace("é", "%C3%A9") };
      assertEquals(
        await refusal(await shop.get("number", "?n=1", headers)),
        "invalid_payload",
        text,
      );
    }
    assertEquals(shop.computed, 0);
  },

  "other schemes beside the credential are for others, and two credentials are none": async (
    shop,
  ) => {
    for (const Authorization of ["Bearer abc", "Basic dTpw", "Paymentish e30", ""]) {
      const bare = await shop.get("number", "?n=1", { Authorization });
      assertEquals(await errorOf(bare, 402), "payment_required", Authorization);
    }
    const { Authorization: one = "" } = await payMpp(await ask(shop), newPayer());
    const { Authorization: two = "" } = await payMpp(await ask(shop), newPayer());
    const both = await shop.get("number", "?n=1", { Authorization: `${one}, ${two}` });
    assertEquals(await refusal(both), "invalid_payload");
    for (const Authorization of [`Bearer abc, ${one}`, `${two}, Bearer abc`]) {
      const paid = await shop.get("number", "?n=1", { Authorization });
      await paid.body?.cancel();
      assertEquals(paid.status, 200);
    }
  },

  "both wires at once are refused, whichever is right": async (shop) => {
    const signed = await sign(newPayer(), TERMS);
    const first = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    const second = await payMpp(await ask(shop), newPayer());
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
      const signed = await answerTo(challenge, newPayer());
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
    const signed = await sign(newPayer(), TERMS);
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

  "the same key knows challenges of every process, and another key knows none": async (
    shop,
    database,
  ) => {
    const pay = async (at: Shop, asked: Shop) =>
      await at.get("number", "?n=1", await payMpp(await ask(asked), newPayer()));
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
    const used = await payMpp(await ask(shop), newPayer());
    const unused = await payMpp(await ask(shop), newPayer());
    const first = await shop.get("number", "?n=1", used);
    const text = await first.text();
    now += 361_000;
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
    const headers = await payMpp(await ask(on), newPayer());
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
