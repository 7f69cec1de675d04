/** Resolves settlements of unknown outcome by proof from the chain. */
import type { Log } from "../../core/log.ts";
import type { Ledger } from "../../db/ledger/mod.ts";
import type { DuePayment, ReconciliationStore } from "../../db/ledger/reconciliation.ts";
import type { ChainReader } from "../evm/chain.ts";
import { ChainUnavailable } from "../evm/rpc.ts";
import { type Standing, standingOf } from "../settle/standing.ts";

export interface ReconcileDeps {
  readonly ledger: Ledger;
  readonly reconciliation: ReconciliationStore;
  /** Null in mode `test`, where nothing is sent to a chain. */
  readonly chain: ChainReader | null;
  readonly owner: string;
  readonly log: Log;
  /** Seconds since 1970, by our clock. */
  readonly nowSeconds: () => number;
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

/** What the chain proves of a payment. @throws ChainUnavailable */
async function look({ chain, log, nowSeconds }: ReconcileDeps, due: DuePayment): Promise<Standing> {
  const { payer, nonce, payTo, sinceBlock } = due;
  const amount = BigInt(due.amount);
  const validBefore = BigInt(due.validBefore);
  if (chain === null) return standingOf({ kind: "unused", blockTime: nowSeconds() }, validBefore);
  try {
    const proof = await chain.prove({ payer, nonce, payTo, amount, sinceBlock, validBefore });
    return standingOf(proof, validBefore);
  } catch (cause) {
    log.warn("the chain gave no proof of a payment", { id: due.id, cause });
    if (cause instanceof ChainUnavailable) throw cause;
    return standingOf(null, validBefore);
  }
}

/** Resolves one payment where there is proof; null if there is none yet. */
async function resolve(
  deps: ReconcileDeps,
  due: DuePayment,
): Promise<"settled" | "refused" | null> {
  const { ledger, reconciliation } = deps;
  const standing = await look(deps, due);
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
  const isIdle = due.state === "refused" && standing.unusedAt !== null &&
    BigInt(due.validBefore) > BigInt(standing.unusedAt + DISTANT_SECONDS);
  await reconciliation.postpone(due, isIdle ? null : POSTPONE_SECONDS);
  return null;
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
    try {
      const end = await resolve(deps, payment);
      if (end === null) continue;
      report[end]++;
      deps.log.info("payment resolved", { id: payment.id, outcome: end });
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      // It may be this payment alone that the node fails on: the others come first in the next pass.
      await deps.reconciliation.postpone(payment, POSTPONE_SECONDS);
      await deps.reconciliation.giveBack(due.slice(n + 1));
      return false;
    }
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
