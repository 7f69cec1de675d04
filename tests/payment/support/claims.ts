/** Claims made by hand, for tests of the ledger and of its upkeep. */
import { assert, assertEquals } from "@std/assert";
import {
  type ClaimRequest,
  type ClaimResult,
  type GivenClaim,
  type Ledger,
  openLedger,
} from "../../../db/ledger/mod.ts";
import type { Database } from "../../../db/sql.ts";

/** So many random bytes. */
export const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, "0"))
    .join("");

/** The claim of a payer nobody has heard of. */
export const newClaim = (more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  rail: "test:rail",
  payer: randomHex(20),
  nonce: randomHex(32),
  fingerprint: randomHex(32),
  payTo: randomHex(20),
  purchaseKey: null,
  forceNew: false,
  paymentIdentifier: null,
  owner: "one",
  leaseMs: 10_000,
  route: "GET /v1/number",
  compute: "memory",
  amount: 10_000,
  validAfter: "0",
  validBefore: String(Math.floor(Date.now() / 1000) + 300),
  signature: randomHex(65),
  sinceBlock: null,
  balance: null,
  inFlightBefore: null,
  checkBalance: false,
  knownOnly: false,
  prepared: null,
  ...more,
});

/** Claims what nobody holds. */
export async function takeClaim(
  ledger: Pick<Ledger, "claim">,
  request: ClaimRequest,
): Promise<GivenClaim> {
  const result = await ledger.claim(request);
  assert(result.outcome === "new", `the claim was ${result.outcome}`);
  return result.claim;
}

/** Asserts that what was claimed is paid already, by this transaction and with this answer. */
export function assertPaid(result: ClaimResult, transaction: string, body: string): void {
  assert(result.outcome === "settled", `the claim was ${result.outcome}`);
  assertEquals([result.transaction, result.answer], [transaction, { body }]);
}

/** Settlements whose owner died, due for a look at the chain at once. */
export async function openSettlements(
  database: Pick<Database, "short" | "durable">,
  rail: string,
  count: number,
): Promise<void> {
  const ledger = openLedger(database);
  await Promise.all(Array.from({ length: count }, async () => {
    const held = await takeClaim(ledger, newClaim({ rail }));
    await ledger.storeAnswer({ ...held, to: "settling", body: "{}", evidenceIds: [], leaseMs: 0 });
  }));
}
