/** Names that payment/ shares with `@x402/core` mean what they mean there. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type * as official from "@x402/core/types";
import { assertEquals } from "@std/assert";
import type { PaymentRequirements } from "../../../payment/protocol/payment_required.ts";

/** The package's types of the protocol; the compiler refuses one that it does not export. */
interface Official {
  readonly PaymentPayload: official.PaymentPayload;
  readonly PaymentRequired: official.PaymentRequired;
  readonly PaymentRequirements: official.PaymentRequirements;
  readonly ResourceInfo: official.ResourceInfo;
  readonly SettleRequest: official.SettleRequest;
  readonly SettleResponse: official.SettleResponse;
  readonly SupportedResponse: official.SupportedResponse;
  readonly VerifyRequest: official.VerifyRequest;
  readonly VerifyResponse: official.VerifyResponse;
}

/**
 * Those that payment/ exports too. `PaymentRequirements` has the same fields, as the next line proves;
 * `PaymentRequired` writes the document of that name, which challenge_test.ts decodes with the package, and
 * `PaymentPayload` is what is read of one, of either version.
 */
const SHARED: readonly (keyof Official)[] = [
  "PaymentPayload",
  "PaymentRequired",
  "PaymentRequirements",
];
type Field = keyof PaymentRequirements;
type OfficialField = keyof Official["PaymentRequirements"];
const isSameFields: [Field, OfficialField] extends [OfficialField, Field] ? true : false = true;

const NAMES: Readonly<Record<keyof Official, true>> = {
  PaymentPayload: true,
  PaymentRequired: true,
  PaymentRequirements: isSameFields,
  ResourceInfo: true,
  SettleRequest: true,
  SettleResponse: true,
  SupportedResponse: true,
  VerifyRequest: true,
  VerifyResponse: true,
};

Deno.test("a type of payment/ has a name of @x402/core only where it is that part of the protocol", () => {
  const root = new URL("../../../payment", import.meta.url).pathname;
  const exported = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(join(root, file), "utf8").matchAll(/^export (?:interface|type) (\w+)/gm),
    ]).map(([, name = ""]) => name);
  assertEquals(exported.filter((name) => name in NAMES).sort(), [...SHARED]);
});
