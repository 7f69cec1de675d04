/**
 * Looks settlements up on the chain that a facilitator told of. One that lies, or whose transaction was
 * lost with a block, is noticed by a few of its newest; a look for each sale would cost more than it saves.
 */
import type { Log } from "../../core/log.ts";
import type { LedgerUpkeep, ToldSettlement } from "../../db/ledger/upkeep.ts";
import type { Chain } from "../evm/chain.ts";

export interface AuditFindings {
  readonly looked: number;
  /** Transactions that are not on the chain, or did not pay us. */
  readonly missing: readonly string[];
  /** How many the node has no receipt of, although their authorizations were used. */
  readonly unknown: number;
}

/** Looks each of them up. @throws ChainUnavailable where the chain cannot tell. */
export async function auditSettlements(
  chain: Chain,
  told: readonly ToldSettlement[],
): Promise<AuditFindings> {
  const paid = await Promise.all(
    told.map(({ tx, amount, ...payment }) =>
      chain.paidBy(tx, { ...payment, amount: BigInt(amount), sinceBlock: null })
    ),
  );
  return {
    looked: told.length,
    missing: told.flatMap(({ tx }, n) => paid[n] === false ? [tx] : []),
    unknown: paid.filter((answer) => answer === null).length,
  };
}

export interface Audit {
  /** Looks the newest settlements up, unless they were looked at before and found. */
  pass(): Promise<void>;
  /** How many of the newest were missing when they were last looked at. */
  missing(): number;
}

/** Looked at each time: no more than a public endpoint answers gladly. */
const NEWEST = 3;

/** The audit of a running service. */
export function createAudit(
  { upkeep, chain, log }: {
    readonly upkeep: LedgerUpkeep;
    readonly chain: Chain;
    readonly log: Log;
  },
): Audit {
  let found = "";
  let missing = 0;
  return {
    pass: async () => {
      const told = await upkeep.newestTold(NEWEST);
      const newest = told.map(({ tx }) => tx).join();
      if (newest === found) return;
      const findings = await auditSettlements(chain, told);
      missing = findings.missing.length;
      found = missing === 0 ? newest : "";
      if (missing === 0) return;
      log.error("the facilitator told of settlements that are not on the chain", {
        missing: findings.missing,
        looked: findings.looked,
      });
    },
    missing: () => missing,
  };
}
