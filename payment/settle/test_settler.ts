/** The settler of mode `test`: every check is made, and no money moves. */
import { createHash } from "node:crypto";
import type { Settler } from "../protocol/settler.ts";

/** Prefix of the transaction hashes of mode `test`, so that they are not taken for real ones. */
const MARK = "0x7e577e577e577e57";

/** A hash that is the same whenever the same payment is settled. */
function transactionName(payer: string, nonce: string): string {
  const hash = createHash("sha256").update(`${payer}/${nonce}`).digest("hex");
  return MARK + hash.slice(0, 66 - MARK.length);
}

/** Creates the settler: every payment settles at once, under a made-up transaction hash. */
export function createTestSettler(): Settler {
  return {
    mode: "test",
    recordsItself: false,
    settleBudgetMs: 1000,
    start: () => Promise.resolve(),
    ready: () => true,
    verify: () => Promise.resolve(null),
    settle: ({ payment: { authorization } }) =>
      Promise.resolve({
        kind: "settled",
        transaction: transactionName(authorization.from, authorization.nonce),
      }),
    maintain: () => Promise.resolve(),
  };
}
