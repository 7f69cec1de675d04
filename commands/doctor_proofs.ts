/** What the doctor asks the chain about sales: are the settlements there that a facilitator told of? */
import { settledPayments } from "../db/admin.ts";
import type { Queryable } from "../db/sql.ts";
import { paidBy } from "../payment/proof.ts";
import type { Rail } from "../payment/rail.ts";
import type { Rpc } from "../payment/rpc.ts";
import { fail, type Finding, ok, warn } from "./doctor.ts";

/** Looked at each time: enough to notice one that lies, few enough for a public endpoint. */
const SAMPLE = 10;

/**
 * Whether the newest settlements are on the chain, each with a transfer of its amount to us. Fails where
 * one did not pay, and warns where its receipt is not to be had.
 */
export async function proofsFinding(sql: Queryable, rpc: Rpc, rail: Rail): Promise<Finding> {
  const settled = await settledPayments(sql, rail.key, SAMPLE);
  if (settled.length === 0) return ok("nothing settled yet");
  const proven = await Promise.all(
    settled.map(({ tx, amount, ...payment }) =>
      paidBy(rpc, rail.assetKey, tx, { ...payment, amount: BigInt(amount), sinceBlock: null })
    ),
  );
  const missing = settled.filter((_, n) => proven[n] === false);
  if (missing.length > 0) {
    return fail(
      `${missing.length} of the last ${settled.length} settlements are not on the chain, ` +
        `${missing[0]?.tx} first`,
      "the facilitator said that they are: ask it, or use another",
    );
  }
  const unknown = proven.filter((paid) => paid === null).length;
  if (unknown === 0) return ok(`the last ${settled.length} settlements are on the chain`);
  return warn(
    `the node has no receipt of ${unknown} of the last ${settled.length} settlements, ` +
      "whose authorizations were used",
    "it may keep receipts for a while only: set RPC_URL to a node that keeps them all",
  );
}
