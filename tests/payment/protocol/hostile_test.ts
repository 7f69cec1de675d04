/** Payments made to break, cheat or stall the shop, sent to it over HTTP. */
import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { privateKeyToAccount } from "viem/accounts";
import { PAYLOAD_FAULTS } from "../../../payment/protocol/payload_faults.ts";
import type { Hex } from "../../doubles/chain.ts";
import { newAccount } from "../../support/accounts.ts";
import { testBoth } from "../../support/database.ts";
import { assertQuick } from "../../support/time.ts";
import {
  decode,
  encode,
  freshNonce,
  nowSeconds,
  payloadV2,
  sign,
  type Terms,
} from "../support/buyer.ts";
import { openShop, PAY_TO, TERMS } from "../support/shop.ts";

const OTHER = privateKeyToAccount(`0x${"22".repeat(32)}`).address;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const payer = newAccount();

type Headers = Record<string, string>;
type Json = Record<string, unknown>;

const v2 = (value: unknown): Headers => ({ "PAYMENT-SIGNATURE": encode(value) });

/** A payment that is right but for what `spoil` does to a copy of its payload. */
async function spoilt(spoil: (payload: Json) => void, terms: Partial<Terms> = {}) {
  const all = { ...TERMS, ...terms };
  const payload = structuredClone(payloadV2(await sign(payer, all), all));
  spoil(payload);
  return v2(payload);
}

const within = (payload: Json, ...path: string[]): Json =>
  path.reduce((at, key) => at[key] as Json, payload);
const signatureOf = (payload: Json): string => String(within(payload, "payload")["signature"]);
const resign = (change: (digits: string) => string) => (payload: Json): void => {
  within(payload, "payload")["signature"] = `0x${change(signatureOf(payload).slice(2))}`;
};
const term = (name: string, value: unknown) => (payload: Json): void => {
  within(payload, "accepted")[name] = value;
};
const authorization = (name: string, value: unknown) => (payload: Json): void => {
  within(payload, "payload", "authorization")[name] = value;
};
/** The same signature with the other s, and the v that goes with it. */
const malleated = resign((digits) => {
  const s = (ORDER - BigInt(`0x${digits.slice(64, 128)}`)).toString(16).padStart(64, "0");
  return digits.slice(0, 64) + s + (digits.endsWith("1b") ? "1c" : "1b");
});

const SIGNATURES: Record<string, (payload: Json) => void> = {
  "a malleated signature": malleated,
  "a signature with v of 0 or 1": resign((d) => d.slice(0, 128) + (d.endsWith("1b") ? "00" : "01")),
  "a signature with the other v": resign((d) => d.slice(0, 128) + (d.endsWith("1b") ? "1c" : "1b")),
  "a signature with a chain's v": resign((d) => d.slice(0, 128) + "25"),
  "a signature without v": resign((d) => d.slice(0, 128)),
  "a signature with something after it": resign((d) => `${d}00`),
  "a signature of zeros": resign(() => "00".repeat(65)),
  "a signature of ones": resign(() => "ff".repeat(65)),
  "a signature whose r is the order": resign((d) =>
    ORDER.toString(16).padStart(64, "0") + d.slice(64)
  ),
  "a signature whose s is zero": resign((d) => d.slice(0, 64) + "0".repeat(64) + d.slice(128)),
  "a signature with one bit changed": resign((d) => (d.startsWith("0") ? "1" : "0") + d.slice(1)),
  "one byte of signature": resign(() => "1b"),
  "a signature of the longest kind": resign(() => "ab".repeat(2047)),
  "another's account": authorization("from", OTHER.toLowerCase()),
  "the zero address": authorization("from", `0x${"0".repeat(40)}`),
  "our own account": authorization("from", PAY_TO.toLowerCase()),
  "another nonce than was signed": authorization("nonce", freshNonce()),
  "a later end than was signed": authorization("validBefore", String(nowSeconds() + 500)),
  "an earlier begin than was signed": authorization("validAfter", "0"),
};

const CODES: Record<string, [string, (payload: Json) => void]> = {
  "another scheme": ["unsupported_scheme", term("scheme", "upto")],
  "the scheme in capitals": ["unsupported_scheme", term("scheme", "EXACT")],
  "an empty scheme": ["unsupported_scheme", term("scheme", "")],
  "another network": ["invalid_network", term("network", "eip155:1")],
  "the old network's name in version 2": ["invalid_network", term("network", "base")],
  "a network with a space": ["invalid_network", term("network", "eip155:8453 ")],
  "another token": ["invalid_payment_requirements", term("asset", OTHER)],
  "a token that is a name": ["invalid_payment_requirements", term("asset", "USDC")],
  "no token": ["invalid_payment_requirements", term("asset", undefined)],
  "a longer time": ["invalid_payment_requirements", term("maxTimeoutSeconds", 301)],
  "another payee in the terms": ["invalid_payment_requirements", term("payTo", OTHER)],
  "another payee in the transfer": [
    "invalid_exact_evm_payload_recipient_mismatch",
    authorization("to", OTHER),
  ],
  "a lower price in the terms": ["invalid_payment_requirements", term("amount", "9999")],
  "a price as a number": ["invalid_payment_requirements", term("amount", 10_000)],
  "a price in hex": ["invalid_payment_requirements", term("amount", "0x2710")],
  "one unit less": [
    "invalid_exact_evm_payload_authorization_value_mismatch",
    authorization("value", "9999"),
  ],
  "one unit more": [
    "invalid_exact_evm_payload_authorization_value_mismatch",
    authorization("value", "10001"),
  ],
  "nothing": [
    "invalid_exact_evm_payload_authorization_value_mismatch",
    authorization("value", "0"),
  ],
  "the price and 2^64": [
    "invalid_exact_evm_payload_authorization_value_mismatch",
    authorization("value", (2n ** 64n + 10_000n).toString()),
  ],
  "an address of ours that is another's": [
    "invalid_payload",
    (payload) => payload["resource"] = { url: "https://shop.example/v1/other" },
  ],
  "an address that is none": [
    "invalid_payload",
    (payload) => payload["resource"] = { url: "\ud800" },
  ],
  "an address that runs": [
    "invalid_payload",
    (payload) => payload["resource"] = { url: "javascript:alert(1)" },
  ],
  "version 3": ["invalid_x402_version", (payload) => payload["x402Version"] = 3],
  "version 2.5": ["invalid_x402_version", (payload) => payload["x402Version"] = 2.5],
  "a list of payloads": ["invalid_payload", (payload) => payload["payload"] = [payload["payload"]]],
  "a nonce of zeros": ["invalid_payload", authorization("nonce", `0x${"0".repeat(64)}`)],
  "a nonce in other digits": ["invalid_payload", authorization("nonce", `0x${"٣".repeat(64)}`)],
  "a poisoned prototype": [
    "invalid_payload",
    (payload) => payload["extensions"] = JSON.parse('{"a":{"__proto__":{"polluted":true}}}'),
  ],
};

const WINDOWS: Record<string, [string, Partial<Terms>]> = {
  "one that has run out": ["valid_before", { validBefore: nowSeconds() - 1 }],
  "one that runs out meanwhile": ["valid_before", { validBefore: nowSeconds() + 20 }],
  "one that never runs out": ["valid_before", { validBefore: 4_102_444_800 }],
  "one that has not begun": ["valid_after", { validAfter: nowSeconds() + 100 }],
  "one that begins when it ends": [
    "valid_after",
    { validAfter: nowSeconds() + 200, validBefore: nowSeconds() + 200 },
  ],
};

async function hostile(): Promise<[name: string, headers: Headers, reason: string][]> {
  const list: [string, Headers, string][] = [];
  for (const [name, spoil] of Object.entries(SIGNATURES)) {
    list.push([name, await spoilt(spoil), "invalid_exact_evm_payload_signature"]);
  }
  for (const [name, [reason, spoil]] of Object.entries(CODES)) {
    list.push([name, await spoilt(spoil), reason]);
  }
  for (const [name, [reason, terms]] of Object.entries(WINDOWS)) {
    const code = `invalid_exact_evm_payload_authorization_${reason}`;
    list.push([name, await spoilt(() => {}, terms), code]);
  }
  const foreign = await spoilt(() => {}, { chainId: 1 });
  list.push([
    "one that was signed for another chain",
    foreign,
    "invalid_exact_evm_payload_signature",
  ]);
  const wrapped = resign((d) => `${"0".repeat(24)}${OTHER.slice(2)}${d}${"6492".repeat(16)}`);
  list.push([
    "a wallet of an unknown factory",
    await spoilt(wrapped),
    "eip6492_factory_not_allowed",
  ]);
  const good = payloadV2(await sign(payer, TERMS), TERMS);
  const text = JSON.stringify(good);
  const raw = (bytes: string): Headers => ({
    "PAYMENT-SIGNATURE": Buffer.from(bytes).toString("base64"),
  });
  const twice = { ...v2(good), "X-PAYMENT": encode(payloadV2(await sign(payer, TERMS), TERMS)) };
  const malformed: [string, Headers][] = [
    ["both headers, with different contents", twice],
    ["a header sent twice", { "PAYMENT-SIGNATURE": `${encode(good)}, ${encode(good)}` }],
    ["no base64", { "PAYMENT-SIGNATURE": "<script>" }],
    ["no JSON", raw(text.slice(0, -1))],
    ["two JSON values", raw(text + text)],
    ["more than 8 KB", raw(text.replace("{", `{"x":"${"x".repeat(8192)}",`))],
    ["deep nesting", raw(text.replace("{", `{"x":${"[".repeat(3000)}${"]".repeat(3000)},`))],
    ["an empty header", { "PAYMENT-SIGNATURE": "" }],
    ["a key that is given again as null", raw(text.replace(/}$/, ',"payload":null}'))],
    ["a number past all numbers", raw(text.replace('"value":"10000"', '"value":1e400'))],
    ["version 1 with the terms of version 2", v2({ ...good, x402Version: 1 })],
  ];
  return [
    ...list,
    ...malformed.map(([name, headers]) => [name, headers, "invalid_payload"] as const),
  ]
    .map(([name, headers, reason]) => [name, headers, reason]);
}

testBoth("no hostile payment is served, charged, remembered or answered late", async (test) => {
  const { database } = test;
  await using shop = await openShop({ database });
  const attempts = await hostile();
  assert(attempts.length >= 60, `${attempts.length}`);
  for (const [name, headers, reason] of attempts) {
    const response = await assertQuick(1_000, () => shop.get("number", "?n=1", headers), name);
    const body = await response.json();
    assertEquals([response.status, body.error, body.charged], [402, reason, false], name);
    const challenge = decode(response.headers.get("PAYMENT-REQUIRED"));
    assertEquals([challenge["error"], body.accepts.length], [reason, 1], name);
  }
  assertEquals(({} as { polluted?: boolean }).polluted, undefined);
  assertEquals(shop.computed, 0);
  const [rows] = await database.sql<{ rows: number }[]>`
    select count(*) as rows from payments`;
  assertEquals(rows?.rows, 0, "nothing was claimed");
  const nonce: Hex = freshNonce();
  const right = v2(payloadV2(await sign(payer, { ...TERMS, nonce }), TERMS));
  assertEquals((await (await shop.get("number", "?n=1", right)).json()).charged, true);
});

/** The payment of a good payload, with another resource. */
const forResource = (url: unknown): Promise<Headers> =>
  spoilt((payload) => payload["resource"] = url === null ? null : { url });

testBoth(
  "a payment that cannot be read is told what is wrong, and in which field",
  async ({ database }) => {
    await using shop = await openShop({ database });
    const good = v2(payloadV2(await sign(payer, TERMS), TERMS));
    const raw = (value: string): Headers => ({ "PAYMENT-SIGNATURE": value });
    const cases: [keyof typeof PAYLOAD_FAULTS, Headers][] = [
      ["zeroNonce", await spoilt(authorization("nonce", `0x${"0".repeat(64)}`))],
      ["notBase64", raw("<secret>")],
      ["notObject", v2(null)],
      ["notObject", v2([])],
      ["empty", raw("")],
      ["tooLong", raw("A".repeat(15_000))],
      ["twoHeaders", { ...good, "X-PAYMENT": encode("secret") }],
      ["resourceHost", await forResource("https://secret.example/v1/number")],
      ["resourceHost", await forResource("secret")],
      ["resourcePath", await forResource("https://shop.example/v1/secret")],
      ["resourceQuery", await forResource("https://shop.example/v1/number?n=secret")],
      ["resource", await forResource(null)],
      ["value", await spoilt(authorization("value", "secret"))],
    ];
    for (const [name, headers] of cases) {
      const response = await shop.get("number", "?n=1", headers);
      const text = await response.text();
      const { error, message, param = null, charged } = JSON.parse(text);
      const told = [response.status, charged, { param, message, reason: error }];
      assertEquals(told, [402, false, { ...PAYLOAD_FAULTS[name] }], name);
      assert(!text.includes("secret"), `${name}: what was sent is not repeated`);
    }
    assertEquals(shop.computed, 0);
  },
);
