/** Payments that are not what was asked for. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { newAccount } from "../../support/accounts.ts";
import { decode, encode, nowSeconds, payloadV2, sign } from "../support/buyer.ts";
import { testSales } from "../support/sale.ts";
import { TERMS } from "../support/shop.ts";

testSales("payments that do not fit", {
  "are refused in the protocol's words": async (shop) => {
    const payer = newAccount();
    const accepted = (more: Record<string, unknown>) => async (): Promise<string> => {
      const payload = payloadV2(await sign(payer, TERMS), TERMS);
      return encode({ ...payload, accepted: { ...payload["accepted"] as object, ...more } });
    };
    const signed = (terms: Parameters<typeof sign>[1]) => async () =>
      encode(payloadV2(await sign(payer, terms), TERMS));
    const tampered = async (): Promise<string> => {
      const { signature, authorization } = await sign(payer, TERMS);
      const flipped = `${signature.slice(0, 20)}${signature[20] === "0" ? "1" : "0"}${
        signature.slice(21)
      }`;
      return encode(payloadV2({ signature: flipped as `0x${string}`, authorization }, TERMS));
    };
    const wrapped = async (): Promise<string> => {
      const { signature, authorization } = await sign(payer, TERMS);
      const text = `${signature}${"00".repeat(31)}${"6492".repeat(16)}` as const;
      return encode(payloadV2({ signature: text, authorization }, TERMS));
    };
    const mismatch = "invalid_exact_evm_payload";
    const terms = "invalid_payment_requirements";
    const cases: [make: () => Promise<string>, reason: string, says?: string][] = [
      [accepted({ scheme: "upto" }), "unsupported_scheme"],
      [accepted({ network: "eip155:1" }), "invalid_network"],
      [accepted({ network: "base" }), "invalid_network"],
      [accepted({ asset: `0x${"11".repeat(20)}` }), terms, "accepted.asset"],
      [accepted({ payTo: payer.address }), terms, "accepted.payTo"],
      [accepted({ amount: "1" }), terms, "accepted.amount"],
      [accepted({ amount: 10000 }), terms, "accepted.amount"],
      [accepted({ maxTimeoutSeconds: 9 }), terms, "accepted.maxTimeoutSeconds"],
      [signed({ ...TERMS, payTo: payer.address }), `${mismatch}_recipient_mismatch`],
      [signed({ ...TERMS, amount: 9_999 }), `${mismatch}_authorization_value_mismatch`],
      [signed({ ...TERMS, amount: 10_001 }), `${mismatch}_authorization_value_mismatch`],
      [
        signed({ ...TERMS, validBefore: nowSeconds() - 1 }),
        `${mismatch}_authorization_valid_before`,
        "validBefore has passed",
      ],
      [
        signed({ ...TERMS, validBefore: nowSeconds() + 30 }),
        `${mismatch}_authorization_valid_before`,
        "validBefore is too soon",
      ],
      [
        signed({ ...TERMS, validBefore: nowSeconds() + 86_500 }),
        `${mismatch}_authorization_valid_before`,
        "validBefore is more than a day ahead",
      ],
      [
        signed({ ...TERMS, validAfter: nowSeconds() + 60 }),
        `${mismatch}_authorization_valid_after`,
        "validAfter is not in the past",
      ],
      [signed({ ...TERMS, from: newAccount().address }), `${mismatch}_signature`],
      [signed({ ...TERMS, chainId: 1 }), `${mismatch}_signature`],
      [tampered, `${mismatch}_signature`],
      [wrapped, "eip6492_factory_not_allowed"],
    ];
    for (const [make, reason, says] of cases) {
      const headers = { "PAYMENT-SIGNATURE": await make() };
      const response = await shop.get("number", "?n=1", headers);
      assertEquals(decode(response.headers.get("payment-required"))["error"], reason);
      const body = await response.json();
      assertEquals([response.status, body.error, body.charged], [402, reason, false]);
      if (says !== undefined) {
        assertEquals(body.param, says.split(" ")[0]);
        assertStringIncludes(body.message, says);
      }
    }
    assertEquals(shop.computed, 0);
  },
});
