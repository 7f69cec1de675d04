/** What the doctor asks the chain about sales: does it have the settlements that a facilitator reported? */
import type { ReconciliationStore } from "../../db/ledger/reconciliation.ts";
import { auditSettlements } from "../../payment/upkeep/audit.ts";
import type { ChainReader } from "../../payment/evm/chain.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

/** Looked at each time: enough to notice one that lies, few enough for a public endpoint. */
const SAMPLE = 10;

/**
 * Whether the newest settlements are on the chain, each with a transfer of its amount to us.
 * Fails where one did not pay, and warns where its receipt is not to be had.
 */
export async function proofsFinding(
  reconciliation: ReconciliationStore,
  chain: ChainReader,
): Promise<Finding> {
  const told = await reconciliation.newestReported(SAMPLE);
  if (told.length === 0) return ok("nothing settled yet");
  const { looked, missing, unknown } = await auditSettlements(chain, told);
  if (missing.length > 0) {
    return fail(
      `${missing.length} of the last ${looked} settlements are not on the chain, ` +
        `${missing[0]} first`,
      "the facilitator said that they are: ask it, or use another",
    );
  }
  if (unknown === 0) return ok(`the last ${looked} settlements are on the chain`);
  return warn(
    `the node has no receipt of ${unknown} of the last ${looked} settlements, ` +
      "whose authorizations were used",
    "it may keep receipts for a while only: set RPC_URL to a node that keeps them all",
  );
}
