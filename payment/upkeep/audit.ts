/**
 * Checks settlements that a facilitator reported against the chain. A few of the newest are enough to notice a
 * facilitator that reports false ones or lost a transaction in a reorganisation; a check for each sale would
 * cost more than it saves.
 */
import type { Log } from "../../core/log.ts";
import type { ReconciliationStore, ReportedSettlement } from "../../db/ledger/reconciliation.ts";
import type { ChainReader } from "../evm/chain.ts";

interface AuditFindings {
  readonly looked: number;
  /** Transactions that are not on the chain, or did not pay us. */
  readonly missing: readonly string[];
  /** How many the node has no receipt of, although their authorizations were used. */
  readonly unknown: number;
}

/** Checks each of them. @throws ChainUnavailable */
export async function auditSettlements(
  chain: ChainReader,
  reported: readonly ReportedSettlement[],
): Promise<AuditFindings> {
  const paid = await Promise.all(
    reported.map(({ transaction, amount, ...payment }) =>
      chain.transactionPaid(transaction, { ...payment, amount: BigInt(amount) })
    ),
  );
  return {
    looked: reported.length,
    missing: reported.flatMap(({ transaction }, n) => paid[n] === false ? [transaction] : []),
    unknown: paid.filter((answer) => answer === null).length,
  };
}

export interface Audit {
  /** Checks the newest settlements, unless the same ones were found before. */
  pass(): Promise<void>;
  /** How many of the newest were missing at the last check. */
  missing(): number;
}

/** Checked each time: few enough for a public endpoint. */
const NEWEST = 3;

/** The audit of a running service. */
export function createAudit(
  { reconciliation, chain, log }: {
    readonly reconciliation: ReconciliationStore;
    readonly chain: ChainReader;
    readonly log: Log;
  },
): Audit {
  let found = "";
  let missing = 0;
  return {
    pass: async () => {
      const reported = await reconciliation.newestReported(NEWEST);
      const newest = reported.map(({ transaction }) => transaction).join();
      if (newest === found) return;
      const findings = await auditSettlements(chain, reported);
      missing = findings.missing.length;
      found = missing === 0 ? newest : "";
      if (missing === 0) return;
      log.error("settlements that the facilitator reported are not on the chain", {
        missing: findings.missing,
        looked: findings.looked,
      });
    },
    missing: () => missing,
  };
}
