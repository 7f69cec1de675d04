/** The payment-identifier extension: an identifier that the buyer chooses, known to buyer and seller alone. */
import { isObject, type JsonObject } from "../../core/json.ts";

export const PAYMENT_IDENTIFIER = "payment-identifier";

const ID = /^[A-Za-z0-9_-]{16,128}$/;

/** As a 402 advertises it: optional, with the schema of its `info`. */
export const paymentIdentifierExtension = {
  info: { required: false },
  schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
    },
    required: ["required"],
  },
} as const;

type IdentifierReading =
  | { readonly ok: true; readonly id: string | null }
  | { readonly ok: false };

/** The identifier that came with a payment: null for none, not ok for a malformed one. */
export function readPaymentIdentifier(extensions: JsonObject | null): IdentifierReading {
  const extension = extensions !== null && Object.hasOwn(extensions, PAYMENT_IDENTIFIER)
    ? extensions[PAYMENT_IDENTIFIER]
    : undefined;
  if (extension === undefined) return { ok: true, id: null };
  if (!isObject(extension) || !isObject(extension["info"])) return { ok: false };
  const { id } = extension["info"];
  if (id === undefined) return { ok: true, id: null };
  return typeof id === "string" && ID.test(id) ? { ok: true, id } : { ok: false };
}
