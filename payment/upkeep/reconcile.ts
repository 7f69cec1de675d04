/** Resolves settlements of unknown outcome by proof from the chain. */
import type { Ledger } from "../../db/ledger/mod.ts";
import type { DuePayment, ReconciliationStore } from "../../db/ledger/reconciliation.ts";
import { type ProofDeps, standingOnChain } from "../settle/standing.ts";

interface ReconcileDeps extends ProofDeps {
  readonly ledger: Ledger;
  readonly reconciliation: ReconciliationStore;
  readonly owner: string;
  /** True once the pass should end, as if nothing more were due. */
  readonly stopping?: () => boolean;
}

export interface ReconcileReport {
  readonly looked: number;
  readonly settled: number;
  readonly refused: number;
}

const BATCH = 20;
/** For a whole batch; another replica may take a batch that runs longer, which does no harm. */
const LEASE_MS = 20_000;
/** Batches of one pass. */
const MAX_BATCHES = 50;
const POSTPONE_SECONDS = 5;
const DISTANT_SECONDS = 3_600;

/**
 * Resolves one payment where there is proof; null if there is none yet, and `unavailable` where the
 * chain does not answer.
 */
async function resolve(
  deps: ReconcileDeps,
  due: DuePayment,
): Promise<"settled" | "refused" | "unavailable" | null> {
  const { ledger, reconciliation } = deps;
  const validBefore = BigInt(due.validBefore);
  const expected = { ...due, amount: BigInt(due.amount), validBefore };
  const standing = await standingOnChain(deps, due.id, expected);
  if (standing.kind === "paid") {
    const moved = due.state === "settling"
      ? await ledger.settle({ ...due, transaction: standing.transaction })
      : await reconciliation.settleRefused(due, standing.transaction);
    return moved ? "settled" : null;
  }
  if (standing.kind === "cannotPay") {
    if (due.state === "refused") {
      await reconciliation.postpone(due, null);
      return null;
    }
    const { reason } = standing;
    await ledger.refuse(due, { reason, recheckSeconds: null, penalty: false });
    return "refused";
  }
  // A refused payment that has this much of its window left was refused a day ago: checking it ends here.
  const isIdle = due.state === "refused" && standing.kind === "unused" &&
    validBefore > BigInt(standing.blockTime + DISTANT_SECONDS);
  await reconciliation.postpone(due, isIdle ? null : POSTPONE_SECONDS);
  return standing.kind === "unproven" && standing.chainIsUnavailable ? "unavailable" : null;
}

/** Resolves payments in turn; those it does not reach stay due. False where the pass is to end. */
async function resolveAll(
  deps: ReconcileDeps,
  due: readonly DuePayment[],
  report: { looked: number; settled: number; refused: number },
): Promise<boolean> {
  for (const [n, payment] of due.entries()) {
    if (deps.stopping?.() ?? false) {
      await deps.reconciliation.giveBack(due.slice(n));
      return false;
    }
    report.looked++;
    const end = await resolve(deps, payment);
    if (end === "unavailable") {
      // It may be this payment alone that the node fails on: it is postponed, and the others, given
      // back, come first in the next pass.
      await deps.reconciliation.giveBack(due.slice(n + 1));
      return false;
    }
    if (end === null) continue;
    report[end]++;
    deps.log.info("payment resolved", { id: payment.id, outcome: end });
  }
  return true;
}

/**
 * One pass over all due payments, each once. It ends where the chain is unreachable: each further payment would
 * wait for its own deadline, and all stay due for the next pass.
 */
export async function reconcile(deps: ReconcileDeps): Promise<ReconcileReport> {
  const report = { looked: 0, settled: 0, refused: 0 };
  const seen = new Set<number>();
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const due = await deps.reconciliation.takeDue(deps.owner, BATCH, LEASE_MS);
    // In a slow pass, payments it has postponed become due again.
    await deps.reconciliation.giveBack(due.filter(({ id }) => seen.has(id)));
    const fresh = due.filter(({ id }) => !seen.has(id));
    fresh.forEach(({ id }) => seen.add(id));
    const goesOn = await resolveAll(deps, fresh, report);
    if (!goesOn || fresh.length < BATCH) break;
  }
  return report;
}
