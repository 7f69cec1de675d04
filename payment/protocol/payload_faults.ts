/**
 * What can be wrong with a field of a payment: one closed table. Nothing in it repeats what was
 * sent.
 */
import { REASON, type Reason } from "./reasons.ts";

/**
 * A fault: the field that it is in, null for the header as a whole, what is wrong there, and the
 * reason it gives.
 */
export class PayloadFault {
  constructor(
    readonly param: string | null,
    readonly message: string,
    readonly reason: Reason = REASON.payload,
  ) {}
}

const header = (message: string): PayloadFault => new PayloadFault(null, message);
const field = (param: string, is: string): PayloadFault =>
  new PayloadFault(param, `${param} ${is}`);
/** Of a member of `accepted` that differs from the entry that the payment would pay. */
const notOurs = (param: string): PayloadFault =>
  new PayloadFault(param, `${param} is not that of accepts[].`, REASON.requirements);

const ADDRESS =
  "is not an address: 0x and 40 hexadecimal digits, in lower case or with a right checksum.";
const NUMBER = 'is not a decimal number of at most 256 bits, as text such as "10000".';

export const PAYLOAD_FAULTS = {
  twoHeaders: header("PAYMENT-SIGNATURE and X-PAYMENT hold different payments: send one of them."),
  twoProtocols: header("Authorization: Payment came beside a payment by x402: send one of them."),
  severalCredentials: header("Authorization holds several credentials of the scheme Payment."),
  empty: header("The payment's header is empty."),
  tooLong: header("The payment's header is too long: the JSON in it may have 8,192 bytes."),
  notBase64: header("The payment's header is not base64 (A-Z a-z 0-9 + / and = at its end)."),
  notBase64url: header("The payment's header is not base64url (A-Z a-z 0-9 - _ without =)."),
  notJson: header("What the payment's header encodes is not JSON in UTF-8."),
  notObject: header("What the payment's header encodes is not a JSON object."),
  harmful: header(
    "The payment has a key __proto__, constructor or prototype, or nests more than 32 deep.",
  ),
  version: field("x402Version", "is not a number: it is 2, or 1 in the older payload."),
  accepted: field("accepted", "is not an object: version 2 repeats the entry of accepts[] there."),
  acceptedAsset: notOurs("accepted.asset"),
  acceptedPayTo: notOurs("accepted.payTo"),
  acceptedAmount: notOurs("accepted.amount"),
  acceptedTimeout: notOurs("accepted.maxTimeoutSeconds"),
  scheme: field("scheme", "is not text."),
  network: field("network", "is not text."),
  payload: field("payload", "is not an object."),
  type: field("type", "of the payload is not authorization."),
  signature: field("signature", "is not 0x and whole bytes in hexadecimal, 2,047 at most."),
  authorization: field("authorization", "is not an object."),
  from: field("from", ADDRESS),
  to: field("to", ADDRESS),
  value: field("value", NUMBER),
  validAfter: field("validAfter", NUMBER),
  validBefore: field("validBefore", NUMBER),
  notYetValid: new PayloadFault(
    "validAfter",
    "validAfter is not in the past: the authorization does not hold yet.",
    REASON.validAfter,
  ),
  expired: new PayloadFault(
    "validBefore",
    "validBefore has passed: sign a new authorization for maxTimeoutSeconds.",
    REASON.validBefore,
  ),
  earlyEnd: new PayloadFault(
    "validBefore",
    "validBefore is too soon for an answer and its settlement: sign one for maxTimeoutSeconds.",
    REASON.validBefore,
  ),
  distantEnd: new PayloadFault(
    "validBefore",
    "validBefore is more than a day ahead: sign one for maxTimeoutSeconds.",
    REASON.validBefore,
  ),
  nonce: field("nonce", "is not 0x and 64 hexadecimal digits."),
  zeroNonce: field("nonce", "is zero: it should be 32 random bytes."),
  resource: field("resource", "is not an object whose url is text."),
  resourceHost: field("resource.url", "has another scheme, host or port than resource.url here."),
  resourcePath: field("resource.url", "has another path than resource.url here."),
  resourceQuery: field("resource.url", "has other query parameters than the request."),
  extensions: field("extensions", "is not an object."),
  challenge: field(
    "challenge",
    "is not one of WWW-Authenticate, with its parameters as they came.",
  ),
  source: field("source", "is not did:pkh: with the network and the payer of the authorization."),
} as const satisfies Readonly<Record<string, PayloadFault>>;
