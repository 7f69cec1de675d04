/** What the doctor asks the chain about sales: are the settlements there that a facilitator told of? */
import { settledPayments } from "../db/admin.ts";
import type { Queryable } from "../db/sql.ts";
import { paidBy } from "../payment/proof.ts";
import type { Rail } from "../payment/rail.ts";
import type { Rpc } from "../payment/rpc.ts";
import { fail, type Finding, ok } from "./doctor.ts";

/** Looked at each time: enough to notice one that lies, few enough for a public endpoint. */
const SAMPLE = 10;

/** Whether the newest settlements are on the chain, each with a transfer of its amount to us. */
export async function proofsFinding(sql: Queryable, rpc: Rpc, rail: Rail): Promise<Finding> {
  const settled = await settledPayments(sql, rail.key, SAMPLE);
  if (settled.length === 0) return ok("nothing settled yet");
  const proven = await Promise.all(
    settled.map(({ tx, amount, ...payment }) =>
      paidBy(rpc, rail.assetKey, tx, { ...payment, amount: BigInt(amount), sinceBlock: null })
    ),
  );
  const missing = settled.filter((_, n) => proven[n] === false);
  if (missing.length === 0) return ok(`the last ${settled.length} settlements are on the chain`);
  return fail(
    `${missing.length} of the last ${settled.length} settlements are not on the chain, ` +
      `${missing[0]?.tx} first`,
    "the facilitator said that they are: ask it, or use another",
  );
}
