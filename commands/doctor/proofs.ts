/** What the doctor asks the chain about sales: are the settlements there that a facilitator told of? */
import type { LedgerUpkeep } from "../../db/ledger/upkeep.ts";
import { auditSettlements } from "../../payment/upkeep/audit.ts";
import type { Rpc } from "../../payment/evm/rpc.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

/** Looked at each time: enough to notice one that lies, few enough for a public endpoint. */
const SAMPLE = 10;

/**
 * Whether the newest settlements are on the chain, each with a transfer of its amount in `token` to us.
 * Fails where one did not pay, and warns where its receipt is not to be had.
 */
export async function proofsFinding(
  upkeep: LedgerUpkeep,
  rpc: Rpc,
  token: string,
): Promise<Finding> {
  const told = await upkeep.newestTold(SAMPLE);
  if (told.length === 0) return ok("nothing settled yet");
  const { looked, missing, unknown } = await auditSettlements(rpc, token, told);
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
