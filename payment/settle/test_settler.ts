/** The back end of mode `test`: every check is made, and nothing moves. */
import { createHash } from "node:crypto";
import type { Settler } from "../protocol/settler.ts";

/** Starts the transaction names of mode `test`, so that nobody takes them for real ones. */
const MARK = "0x7e577e577e577e57";

/** A name that is the same whenever the same payment is settled. */
function transactionName(payer: string, nonce: string): string {
  const hash = createHash("sha256").update(`${payer}/${nonce}`).digest("hex");
  return MARK + hash.slice(0, 66 - MARK.length);
}

/** Makes the back end of mode `test`: every payment settles at once, under a name that no transaction has. */
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
