/** Credentials of MPP that were made to cheat, sent over HTTP. */
import { assertEquals } from "@std/assert";
import { createHmac } from "node:crypto";
import type { PrivateKeyAccount } from "viem/accounts";
import { PAYLOAD_FAULTS } from "../../../payment/protocol/payload_faults.ts";
import { newAccount } from "../../support/accounts.ts";
import { freshNonce } from "../support/buyer.ts";
import {
  answerTo,
  ask,
  authorizationHeader,
  type Challenge,
  credentialOf,
  hashOf,
  refusal,
  requestOf,
} from "./mpp_buyer.ts";
import { testSales } from "../support/sale.ts";
import { PAY_TO, type Shop } from "../support/shop.ts";

/** Pays for `query` with an answer that was spoilt. */
async function refused(
  shop: Shop,
  spoil: (challenge: Challenge, account: PrivateKeyAccount) => Promise<unknown> | unknown,
): Promise<string> {
  const challenge = await ask(shop);
  const credential = await spoil(challenge, newAccount());
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

testSales("credentials made to cheat", {
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
    const other = newAccount();
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
    const good = credentialOf(challenge, await answerTo(challenge, newAccount()));
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

  "what is wrong with a credential is told, and in which field": async (shop) => {
    const challenge = await ask(shop);
    const good = credentialOf(challenge, await answerTo(challenge, newAccount()));
    const payload = { ...good["payload"] as Record<string, unknown> };
    const one = authorizationHeader(good)["Authorization"] ?? "";
    const cases: [keyof typeof PAYLOAD_FAULTS, Record<string, string>][] = [
      ["empty", { Authorization: "Payment" }],
      ["notBase64url", { Authorization: "Payment a+b" }],
      ["severalCredentials", { Authorization: `${one}, ${one}` }],
      ["twoProtocols", { Authorization: one, "PAYMENT-SIGNATURE": "e30=" }],
      ["payload", authorizationHeader({ ...good, payload: 7 })],
      ["challenge", authorizationHeader({ ...good, challenge: { ...challenge, id: 7 } })],
      ["type", authorizationHeader({ ...good, payload: { ...payload, type: "hash" } })],
      ["nonce", authorizationHeader({ ...good, payload: { ...payload, nonce: "0x00" } })],
      ["signature", authorizationHeader({ ...good, payload: { ...payload, signature: "0x" } })],
      ["source", authorizationHeader({ ...good, source: {} })],
      ["source", authorizationHeader({ ...good, source: "did:pkh:eip155:1:0x00" })],
    ];
    for (const [name, headers] of cases) {
      const { param = null, message, detail } = await (await shop.get("number", "?n=1", headers))
        .json();
      const fault = PAYLOAD_FAULTS[name];
      assertEquals([param, message, detail], [fault.param, fault.message, fault.message], name);
    }
    assertEquals(shop.computed, 0);
  },
});
