import { assert, assertEquals, assertLess, assertThrows } from "@std/assert";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import { validateDiscoveryExtension } from "@x402/extensions/bazaar";
import { OperatorError } from "../../../core/errors.ts";
import { createPaymentRequired } from "../../../payment/protocol/payment_required.ts";
import { baseUnits } from "../../../payment/evm/networks.ts";
import type { PaymentSettings } from "../../../payment/mod.ts";
import { createRail } from "../../../payment/protocol/rail.ts";
import { checkPaymentSettings } from "../../../payment/settle/payment_settings.ts";
import { OFFERS, PAY_TO, TEST_SETTINGS } from "../support/shop.ts";

const rail = createRail(TEST_SETTINGS);

Deno.test("a challenge says what to pay, and its entries have no field too many", () => {
  const challenge = createPaymentRequired(OFFERS.number, rail, TEST_SETTINGS);
  const required = decodePaymentRequiredHeader(challenge.header("insufficient_funds"));
  assertEquals(required.x402Version, 2);
  assertEquals(required.error, "insufficient_funds");
  assertEquals(required.accepts, [{
    scheme: "exact",
    network: "eip155:8453",
    amount: "10000",
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    payTo: PAY_TO,
    maxTimeoutSeconds: 300,
    extra: { name: "USD Coin", version: "2" },
  }]);
  const body = JSON.parse(challenge.body("insufficient_funds"));
  assertEquals(body.accepts[0].price, "$0.01");
  assertEquals(body.accepts[0].mimeType, "application/json");
  assertEquals(body.terms, "https://shop.example/terms.txt");
  assertEquals(body.error, "insufficient_funds");
});

Deno.test("directories accept the description of every offer, and headers stay under 8 KB", () => {
  for (const offer of Object.values(OFFERS)) {
    const challenge = createPaymentRequired(offer, rail, TEST_SETTINGS);
    const extension = challenge.extensions["bazaar"] as Parameters<
      typeof validateDiscoveryExtension
    >[0];
    assertEquals(validateDiscoveryExtension(extension), { valid: true }, offer.path);
    assertLess(challenge.header("x".repeat(80)).length, 8192);
  }
});

Deno.test("an offer whose examples are too long for a header is refused at start", () => {
  const output = { text: "x".repeat(8000) };
  const offer = { ...OFFERS.number, bazaar: { ...OFFERS.number.bazaar, output } };
  assertThrows(() => createPaymentRequired(offer, rail, TEST_SETTINGS), OperatorError, "shorten");
});

Deno.test("prices become token units without rounding", () => {
  assertEquals(baseUnits("0.01"), 10_000);
  assertEquals(baseUnits("0.25"), 250_000);
  assertEquals(baseUnits("3"), 3_000_000);
  assertEquals(baseUnits("0.000001"), 1);
  for (const bad of ["", "1.", ".5", "-1", "1e3", "$1", "0.0000001"]) {
    assertThrows(() => baseUnits(bad), TypeError);
  }
});

const live = {
  ...TEST_SETTINGS,
  mode: "facilitator",
  facilitatorUrl: "https://f.example",
} as const;
const onchain = { ...TEST_SETTINGS, mode: "onchain", rpcUrl: "https://r.example" } as const;

const WRONG: readonly [string, PaymentSettings, RegExp][] = [
  ["a payee that is no address", { ...live, payTo: "me" }, /^PAY_TO: should be 0x and 40/],
  ["a payee with a wrong checksum", { ...live, payTo: PAY_TO.replace("Bc6a", "bc6a") }, /checksum/],
  ["no payee in a live mode", { ...live, payTo: null }, /^PAY_TO: is needed/],
  ["the zero address in a live mode", { ...live, payTo: `0x${"0".repeat(40)}` }, /zero address/],
  ["an unknown network", { ...live, network: "eip155:1" }, /X402_NETWORK.*eip155:8453/],
  ["a token that is no address", { ...live, asset: "usdc" }, /USDC_ADDRESS/],
  ["no facilitator", { ...live, facilitatorUrl: null }, /^FACILITATOR_URL: is needed/],
  ["a key without its secret", { ...live, facilitatorKeyId: "k" }, /FACILITATOR_KEY_SECRET/],
  ["no key to broadcast with", onchain, /^SETTLEMENT_PRIVATE_KEY: is needed/],
  ["a factory that is none", { ...live, walletFactories: ["0x12"] }, /^WALLET_FACTORIES: should/],
  [
    "factories in mode test",
    { ...TEST_SETTINGS, walletFactories: [PAY_TO] },
    /^WALLET_FACTORIES: needs/,
  ],
  [
    "no chain to write to",
    { ...onchain, settlementPrivateKey: "1".repeat(64), rpcUrl: null },
    /RPC_URL/,
  ],
];

for (const [name, settings, message] of WRONG) {
  Deno.test(`${name} stops the start`, () => {
    const error = assertThrows(() => checkPaymentSettings(settings), OperatorError);
    assert(message.test(error.message), error.message);
  });
}

Deno.test("mode test without a payee names the zero address, whose signatures nobody can spend", () => {
  assertEquals(createRail({ ...TEST_SETTINGS, payTo: null }).payTo, `0x${"0".repeat(40)}`);
});

Deno.test("the header names the address that was asked for, while it is short enough to be read", () => {
  const challenge = createPaymentRequired(OFFERS.number, rail, TEST_SETTINGS);
  const urlOf = (header: string) => decodePaymentRequiredHeader(header).resource?.url;
  const own = "https://shop.example/v1/number";
  assertEquals(urlOf(challenge.header("payment_required", "?n=7&m=%20")), `${own}?n=7&m=%20`);
  for (const length of [6_000, 100_000]) {
    const long = challenge.header("payment_required", `?n=${"x".repeat(length)}`);
    assertLess(long.length, 8192);
    assertEquals(urlOf(long), own);
  }
});
