import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { privateKeyToAccount } from "viem/accounts";
import { readPaymentIdentifier } from "../../../payment/protocol/payment_identifier.ts";
import {
  choosePaymentHeader,
  decodePaymentPayload,
} from "../../../payment/protocol/payment_payload.ts";
import { assertQuick } from "../../support/time.ts";
import { encode, payloadV2, sign } from "../support/buyer.ts";
import { PAY_TO } from "../support/shop.ts";

const TERMS = { payTo: PAY_TO, amount: 10_000 };
const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const good = payloadV2(await sign(account, TERMS), TERMS);

/** A copy of the good payload with the value at a path replaced. */
function spoilt(path: readonly string[], value: unknown): Record<string, unknown> {
  const copy = structuredClone(good);
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[path.at(-1) ?? ""] = value;
  return copy;
}

const reason = (header: string): string => {
  const decoded = decodePaymentPayload(header);
  return decoded.ok ? "" : decoded.reason;
};

Deno.test("a payment of either version is read", () => {
  const decoded = decodePaymentPayload(encode(good));
  assert(decoded.ok);
  assertEquals(decoded.payment.version, 2);
  assertEquals(decoded.payment.authorization.from, account.address.toLowerCase());
  assertEquals(decoded.payment.authorization.value, 10_000n);
  const { payload } = good;
  const legacy = decodePaymentPayload(
    encode({ x402Version: 1, scheme: "exact", network: "base", payload }),
  );
  assert(legacy.ok);
  assertEquals([legacy.payment.version, legacy.payment.network], [1, "base"]);
});

const AUTHORIZATION = ["payload", "authorization"];
const BAD_NUMBERS = [
  "-1",
  "+1",
  "0x10",
  "1e3",
  "1.5",
  "",
  " 1",
  "01",
  "1".repeat(79),
  (2n ** 256n).toString(),
  1,
  null,
  {},
];

const MALFORMED: readonly [string, string][] = [
  ["not base64", "%%%"],
  ["base64url", "ab-_"],
  ["an empty header", ""],
  ["not JSON", Buffer.from("{").toString("base64")],
  ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]).toString("base64")],
  ["null", encode(null)],
  ["an array", encode([good])],
  ["a string", encode("pay")],
  ["a payload past 8 KB", encode({ ...good, padding: "x".repeat(9000) })],
  ["a header of a megabyte", "A".repeat(1_000_000)],
  ["deep nesting", Buffer.from("[".repeat(4000) + "]".repeat(4000)).toString("base64")],
  [
    "a deep object",
    encode({ ...good, extensions: JSON.parse('{"a":'.repeat(40) + "1" + "}".repeat(40)) }),
  ],
  ["no version", encode(spoilt(["x402Version"], undefined))],
  ["a version as text", encode(spoilt(["x402Version"], "2"))],
  ["no accepted", encode(spoilt(["accepted"], undefined))],
  ["accepted as a list", encode(spoilt(["accepted"], []))],
  ["a scheme that is no text", encode(spoilt(["accepted", "scheme"], 7))],
  ["no payload", encode(spoilt(["payload"], undefined))],
  ["a payload as text", encode(spoilt(["payload"], "x"))],
  ["no authorization", encode(spoilt(AUTHORIZATION, undefined))],
  ["a signature that is no hex", encode(spoilt(["payload", "signature"], "0xzz"))],
  ["a signature of half bytes", encode(spoilt(["payload", "signature"], "0x123"))],
  ["a signature without 0x", encode(spoilt(["payload", "signature"], "12".repeat(65)))],
  ["a huge signature", encode(spoilt(["payload", "signature"], `0x${"12".repeat(2500)}`))],
  ["a nonce of all zeros", encode(spoilt([...AUTHORIZATION, "nonce"], `0x${"0".repeat(64)}`))],
  ["a short nonce", encode(spoilt([...AUTHORIZATION, "nonce"], "0x12"))],
  ["a nonce that is a number", encode(spoilt([...AUTHORIZATION, "nonce"], 12))],
  ["a payer in the wrong case", encode(spoilt([...AUTHORIZATION, "from"], PAY_TO.toUpperCase()))],
  ["a payee that is too short", encode(spoilt([...AUTHORIZATION, "to"], PAY_TO.slice(0, -2)))],
  ["a payee that is null", encode(spoilt([...AUTHORIZATION, "to"], null))],
  ["a resource that is text", encode({ ...good, resource: "https://shop.example/" })],
  ["a resource without address", encode({ ...good, resource: { url: 5 } })],
  ["extensions as a list", encode({ ...good, extensions: [] })],
  [
    "a poisoned prototype",
    Buffer.from(JSON.stringify(good).replace("{", '{"__proto__":{"a":1},')).toString("base64"),
  ],
  [
    "a poisoned extension",
    Buffer.from(
      JSON.stringify(good).replace("{", '{"extensions":{"bazaar":{"__proto__":{"a":1}}},'),
    ).toString("base64"),
  ],
  ["a poisoned constructor", encode({ ...good, extensions: { constructor: { prototype: {} } } })],
  ...["value", "validAfter", "validBefore"].flatMap((field) =>
    BAD_NUMBERS.map((bad): [string, string] => [
      `${field} of ${JSON.stringify(bad)}`,
      encode(spoilt([...AUTHORIZATION, field], bad)),
    ])
  ),
];

Deno.test("whatever is malformed is refused as invalid_payload, in next to no time", async () => {
  for (const [name, header] of MALFORMED) {
    assertEquals(await assertQuick(50, () => reason(header), name), "invalid_payload", name);
  }
  assertEquals(({} as { a?: number }).a, undefined);
});

Deno.test("another version of the protocol is named as such", () => {
  assertEquals(reason(encode(spoilt(["x402Version"], 3))), "invalid_x402_version");
});

Deno.test("two payment headers must say the same", () => {
  assertEquals(choosePaymentHeader(null, null).kind, "none");
  assertEquals(choosePaymentHeader("a", "b").kind, "conflict");
  assertEquals(choosePaymentHeader("a", "a"), { kind: "one", value: "a", legacy: true });
  assertEquals(choosePaymentHeader("a", null), { kind: "one", value: "a", legacy: false });
});

Deno.test("payment identifiers have 16 to 128 harmless characters", () => {
  const read = (id: unknown) =>
    readPaymentIdentifier({ "payment-identifier": { info: { required: false, id } } });
  assertEquals(readPaymentIdentifier(null), { ok: true, id: null });
  assertEquals(readPaymentIdentifier({ bazaar: {} }), { ok: true, id: null });
  assertEquals(read(undefined), { ok: true, id: null });
  assertEquals(read("a".repeat(16)), { ok: true, id: "a".repeat(16) });
  for (
    const bad of ["a".repeat(15), "a".repeat(129), "a b".repeat(8), 7, null, `${"a".repeat(16)}\n`]
  ) {
    assertEquals(read(bad).ok, false, JSON.stringify(bad));
  }
  assertEquals(readPaymentIdentifier({ "payment-identifier": "x" }).ok, false);
});
