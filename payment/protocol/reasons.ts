/**
 * The reasons of a 402, in its `error`: the protocol's own where it has one. The documents list all of them.
 */

/** The reasons by the names that the code uses. */
export const REASON = {
  required: "payment_required",
  payload: "invalid_payload",
  version: "invalid_x402_version",
  scheme: "unsupported_scheme",
  network: "invalid_network",
  requirements: "invalid_payment_requirements",
  recipient: "invalid_exact_evm_payload_recipient_mismatch",
  value: "invalid_exact_evm_payload_authorization_value_mismatch",
  validAfter: "invalid_exact_evm_payload_authorization_valid_after",
  validBefore: "invalid_exact_evm_payload_authorization_valid_before",
  signature: "invalid_exact_evm_payload_signature",
  factory: "eip6492_factory_not_allowed",
  nonceUsed: "invalid_exact_evm_nonce_already_used",
  funds: "insufficient_funds",
  failed: "invalid_exact_evm_transaction_failed",
  reverted: "transaction_reverted",
  mismatch: "invalid_exact_evm_transfer_event_mismatch",
  unsettled: "settlement_failed",
  challenge: "invalid_challenge",
  challengeHash: "challenge_hash_mismatch",
  challengeWindow: "challenge_window_mismatch",
  otherWire: "authorization_of_mpp",
} as const;

export type Reason = (typeof REASON)[keyof typeof REASON];

/** What each reason means, and what to do about it. */
export const REASON_MEANS: Readonly<Record<Reason, string>> = {
  payment_required: "The call came without a payment: sign one for an entry of `accepts[]`.",
  invalid_payload:
    "The payment cannot be read or names another resource; `message` and `param` say more where the fault is known.",
  invalid_x402_version: "The payload is of a version other than 1 and 2.",
  unsupported_scheme: "The scheme is not `exact`.",
  invalid_network: "The network is not the one of `accepts[]`.",
  invalid_payment_requirements: "What the payload accepted is not an entry of `accepts[]`.",
  invalid_exact_evm_payload_recipient_mismatch: "The money would go to another than `payTo`.",
  invalid_exact_evm_payload_authorization_value_mismatch: "The value is not the `amount`.",
  invalid_exact_evm_payload_authorization_valid_after:
    "The authorization is not valid yet: look at your clock.",
  invalid_exact_evm_payload_authorization_valid_before:
    "The authorization has run out, would before it is settled, or ends more than a day from now: " +
    "sign one for `maxTimeoutSeconds`.",
  invalid_exact_evm_payload_signature: "The signature is not the payer's.",
  eip6492_factory_not_allowed:
    "The wallet is not deployed, and wallets of its factory cannot pay here before they are.",
  invalid_exact_evm_nonce_already_used:
    "The authorization was used or cancelled, or belongs to another call: sign a new one.",
  insufficient_funds: "The payer holds less than what it has under way costs.",
  invalid_exact_evm_transaction_failed: "The transfer would fail on the chain: nothing moved.",
  transaction_reverted: "The transfer failed on the chain: nothing moved.",
  invalid_exact_evm_transfer_event_mismatch: "The transaction did not pay us what was asked.",
  settlement_failed: "The facilitator refused the payment in words that are not repeated.",
  invalid_challenge:
    "MPP: the challenge is not one of ours, or was given for another route or body: answer a fresh one.",
  challenge_hash_mismatch:
    "MPP: the authorization's nonce is not the keccak-256 hash of the challenge's id and realm.",
  challenge_window_mismatch:
    "MPP: the authorization must begin at 0 and end when its challenge does.",
  authorization_of_mpp:
    "The authorization answers a challenge of MPP: send it in `Authorization: Payment`, or sign one anew.",
};

/** Those that only a payment by MPP meets. */
const OF_MPP: ReadonlySet<string> = new Set([
  REASON.challenge,
  REASON.challengeHash,
  REASON.challengeWindow,
  REASON.otherWire,
]);

/** The reasons that a buyer can meet, with their meanings. */
export const reasonsMet = (hasMpp: boolean): (readonly [word: string, means: string])[] =>
  Object.entries(REASON_MEANS).filter(([word]) => hasMpp || !OF_MPP.has(word));

/** The meaning of any other reason. */
export const OTHER_REASONS =
  "A facilitator may refuse a payment with a word of its own; nothing was charged then either.";

const isReason = (word: string): word is Reason => Object.hasOwn(REASON_MEANS, word);

/** The meaning of a reason, in plain text. */
export function meaningOf(word: string): string {
  return (isReason(word) ? REASON_MEANS[word] : OTHER_REASONS).replaceAll("`", "");
}
