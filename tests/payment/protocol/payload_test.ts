import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { privateKeyToAccount } from "viem/accounts";
import { PAYLOAD_FAULTS } from "../../../payment/protocol/payload_faults.ts";
import { readPaymentIdentifier } from "../../../payment/protocol/payment_identifier.ts";
import {
  choosePaymentHeader,
  decodePaymentPayload,
} from "../../../payment/protocol/payment_payload.ts";
import { assertQuick } from "../../support/time.ts";
import { encode, payloadV2, sign } from "../support/buyer.ts";
import { PAY_TO, TERMS } from "../support/shop.ts";

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

/** What is wrong with a header: a word of the protocol, or the name of the fault. */
function wrongWith(header: string): string | undefined {
  const decoded = decodePaymentPayload(header);
  if (decoded.ok) return undefined;
  const { wrong } = decoded;
  if (typeof wrong === "string") return wrong;
  return Object.entries(PAYLOAD_FAULTS).find(([, fault]) => fault === wrong)?.[0];
}

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

/** Headers, each with its fault. */
const MALFORMED: readonly [name: string, header: string, fault: keyof typeof PAYLOAD_FAULTS][] = [
  ["not base64", "%%%", "notBase64"],
  ["base64url", "ab-_", "notBase64"],
  ["an empty header", "", "empty"],
  ["not JSON", Buffer.from("{").toString("base64"), "notJson"],
  ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]).toString("base64"), "notJson"],
  ["null", encode(null), "notObject"],
  ["an array", encode([good]), "notObject"],
  ["a string", encode("pay"), "notObject"],
  ["a payload past 8 KB", encode({ ...good, padding: "x".repeat(9000) }), "tooLong"],
  ["a header of a megabyte", "A".repeat(1_000_000), "tooLong"],
  [
    "deep nesting",
    Buffer.from("[".repeat(4000) + "]".repeat(4000)).toString("base64"),
    "notObject",
  ],
  [
    "a deep object",
    encode({ ...good, extensions: JSON.parse('{"a":'.repeat(40) + "1" + "}".repeat(40)) }),
    "harmful",
  ],
  ["no version", encode(spoilt(["x402Version"], undefined)), "version"],
  ["a version as text", encode(spoilt(["x402Version"], "2")), "version"],
  ["no accepted", encode(spoilt(["accepted"], undefined)), "accepted"],
  ["accepted as a list", encode(spoilt(["accepted"], [])), "accepted"],
  ["a scheme that is no text", encode(spoilt(["accepted", "scheme"], 7)), "scheme"],
  ["a network that is no text", encode(spoilt(["accepted", "network"], 8453)), "network"],
  ["no payload", encode(spoilt(["payload"], undefined)), "payload"],
  ["a payload as text", encode(spoilt(["payload"], "x")), "payload"],
  ["no authorization", encode(spoilt(AUTHORIZATION, undefined)), "authorization"],
  ["a signature that is no hex", encode(spoilt(["payload", "signature"], "0xzz")), "signature"],
  ["a signature of half bytes", encode(spoilt(["payload", "signature"], "0x123")), "signature"],
  [
    "a signature without 0x",
    encode(spoilt(["payload", "signature"], "12".repeat(65))),
    "signature",
  ],
  [
    "a huge signature",
    encode(spoilt(["payload", "signature"], `0x${"12".repeat(2500)}`)),
    "signature",
  ],
  [
    "a nonce of all zeros",
    encode(spoilt([...AUTHORIZATION, "nonce"], `0x${"0".repeat(64)}`)),
    "zeroNonce",
  ],
  ["a short nonce", encode(spoilt([...AUTHORIZATION, "nonce"], "0x12")), "nonce"],
  ["a nonce that is a number", encode(spoilt([...AUTHORIZATION, "nonce"], 12)), "nonce"],
  [
    "a payer in the wrong case",
    encode(spoilt([...AUTHORIZATION, "from"], PAY_TO.toUpperCase())),
    "from",
  ],
  [
    "a payee that is too short",
    encode(spoilt([...AUTHORIZATION, "to"], PAY_TO.slice(0, -2))),
    "to",
  ],
  ["a payee that is null", encode(spoilt([...AUTHORIZATION, "to"], null)), "to"],
  ["a resource that is text", encode({ ...good, resource: "https://shop.example/" }), "resource"],
  ["a resource without address", encode({ ...good, resource: { url: 5 } }), "resource"],
  ["extensions as a list", encode({ ...good, extensions: [] }), "extensions"],
  [
    "a poisoned prototype",
    Buffer.from(JSON.stringify(good).replace("{", '{"__proto__":{"a":1},')).toString("base64"),
    "harmful",
  ],
  [
    "a poisoned extension",
    Buffer.from(
      JSON.stringify(good).replace("{", '{"extensions":{"bazaar":{"__proto__":{"a":1}}},'),
    ).toString("base64"),
    "harmful",
  ],
  [
    "a poisoned constructor",
    encode({ ...good, extensions: { constructor: { prototype: {} } } }),
    "harmful",
  ],
  ...(["value", "validAfter", "validBefore"] as const).flatMap((field) =>
    BAD_NUMBERS.map((bad): [string, string, typeof field] => [
      `${field} of ${JSON.stringify(bad)}`,
      encode(spoilt([...AUTHORIZATION, field], bad)),
      field,
    ])
  ),
];

Deno.test("whatever is malformed is refused with its fault, in next to no time", async () => {
  for (const [name, header, fault] of MALFORMED) {
    assertEquals(await assertQuick(50, () => wrongWith(header), name), fault, name);
  }
  assertEquals(({} as { a?: number }).a, undefined);
});

Deno.test("another version of the protocol is named as such", () => {
  assertEquals(wrongWith(encode(spoilt(["x402Version"], 3))), "invalid_x402_version");
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
