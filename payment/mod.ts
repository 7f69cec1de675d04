/**
 * Payment by x402, settle-after: a middleware around any handler, with the ledger, verification and
 * settlement behind it. It knows nothing of what is sold. docs/payment.md tells how it works.
 */
import { type Clock, unixSeconds } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { OperatorError } from "../core/errors.ts";
import { openLedger } from "../db/ledger/mod.ts";
import { openUpkeep } from "../db/ledger/upkeep.ts";
import type { Database } from "../db/sql.ts";
import { createBackend, type Timing } from "./settle/create_settler.ts";
import { createAudit } from "./upkeep/audit.ts";
import { createChain, requireNetwork } from "./evm/chain.ts";
import { type Challenge, createChallenge } from "./protocol/payment_required.ts";
import { createJobs } from "./upkeep/jobs.ts";
import { watchLedger } from "./sell/ledger_availability.ts";
import { createLeases } from "./sell/leases.ts";
import { createMpp } from "./protocol/mpp.ts";
import type { Outcome } from "./protocol/outcome.ts";
import { createPaidRoute, type PaidRoute } from "./sell/paid.ts";
import { createPayerQueue } from "./sell/payer_queue.ts";
import { createPayers } from "./verify/payers.ts";
import { createRail } from "./protocol/terms.ts";
import { reconcile } from "./upkeep/reconcile.ts";
import { createRpc } from "./evm/rpc.ts";
import { createSettlement } from "./settle/settlement.ts";
import { domainSeparator } from "./evm/signature.ts";
import { createSweep } from "./upkeep/ledger_cleanup.ts";
import type { PaidHandler, PaidOffer, PaymentMode, PaymentSettings } from "./protocol/types.ts";

export { FLIGHT_LIMITS, type FlightLimits } from "../db/ledger/types.ts";
export { type Challenge, encodeHeader } from "./protocol/payment_required.ts";
export { bringsPayment } from "./protocol/mpp_credential.ts";
export { challengeObject, credentialHeader, receiptObject } from "./protocol/mpp_objects.ts";
export { baseUnits, findNetwork } from "./evm/networks.ts";
export { OTHER_REASONS, REASON_MEANS } from "./protocol/reasons.ts";
export type {
  Answer,
  Discovery,
  PaidHandler,
  PaidOffer,
  PaidRequest,
  PaymentMode,
  PaymentSettings,
  PreparedCall,
} from "./protocol/types.ts";
export type { PaidRoute } from "./sell/paid.ts";
export type { Reply } from "./protocol/outcome.ts";
export type { Timing } from "./settle/create_settler.ts";

export interface PaymentOptions {
  readonly settings: PaymentSettings;
  readonly database: Pick<Database, "short" | "durable">;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: typeof fetch;
  readonly random: (bytes: number) => Uint8Array;
  /** Milliseconds that only go forward. */
  readonly ticks: () => number;
  /** Deadlines other than the usual ones. */
  readonly timing?: Timing;
}

export interface PaymentStatus {
  readonly mode: PaymentMode;
  readonly network: string;
  /** Network and token, as the ledger names them; apart in mode `test`. */
  readonly rail: string;
  readonly payTo: string;
  /** False while the facilitator or the chain is away. */
  readonly ready: boolean;
  /** False since a write to the ledger failed, until one succeeds. */
  readonly ledgerIsAvailable: boolean;
  /** Purchases under way in this process. */
  readonly inFlight: number;
  /** How many of the newest settlements that the facilitator told of are not on the chain. */
  readonly notOnChain: number;
}

export interface Payments {
  /** The challenge of an offer, for the documents that repeat it. */
  challenge(offer: PaidOffer): Challenge;
  /** The route that sells what `handler` computes for what `offer` costs. */
  paid(offer: PaidOffer, handler: PaidHandler): PaidRoute;
  /**
   * Checks the configuration against the outside, begins to resolve what a previous process left, and
   * goes on doing so every minute. Rejects with OperatorError for what will never work.
   */
  start(): Promise<void>;
  /** Milliseconds that a call takes at most beyond its computation: trial run, settlement, record. */
  readonly tailMs: number;
  /** Takes no new payments from now on; what was bought before is given again all the same. */
  close(): void;
  /**
   * Closes, and resolves when the payments under way have ended, or `deadline` has: what is open then is
   * resolved by the next process.
   */
  stop(deadline?: Promise<unknown>): Promise<void>;
  status(): PaymentStatus;
}

const TEND_MS = 5_000;
const RECONCILE_MS = 60_000;
const SWEEP_MS = 60_000;
/** Between looks for a ledger that is lost or cannot be written to. */
const LEDGER_MS = 1_000;
/** For what payment does by itself to end, when it stops. */
const JOBS_GRACE_MS = 2_000;
const RPC_TIMEOUT_MS = 5_000;
/** Of the name under which this process holds claims. */
const OWNER_BYTES = 8;
/** A process that died is replaced after this; one that lives renews its leases. */
const LEASE_MS = 8_000;

/** For the trial run before a computation, and for the record of its settlement. */
const AROUND_MS = 15_000;

/** Assembles payment. @throws OperatorError for settings that are wrong in themselves. */
export async function createPayments(options: PaymentOptions): Promise<Payments> {
  const { settings, log, clock, timing = {} } = options;
  const { database, ...availability } = watchLedger(options.database, log);
  const rail = createRail(settings);
  const isLive = settings.mode !== "test";
  const rpcUrl = settings.rpcUrl ?? (isLive ? rail.network.publicRpc : null);
  const rpc = rpcUrl === null ? null : createRpc({
    url: rpcUrl,
    fetch: options.fetch,
    timeoutMs: timing.rpcMs ?? RPC_TIMEOUT_MS,
  });
  const chain = rpc === null ? null : createChain(rpc, rail.assetKey);
  const nowSeconds = (): number => unixSeconds(clock.now());
  const leaseMs = timing.leaseMs ?? LEASE_MS;
  const parts = { database, rail, rpc, chain, nowSeconds, leaseMs, timing };
  const backend = await createBackend({ ...options, ...parts });
  const ledger = openLedger(database, settings.payerInFlight);
  const leases = createLeases(leaseMs, (held, ms) => ledger.renew(held, ms), log);
  const upkeep = openUpkeep(database, rail.key);
  const payers = createPayers({
    backend,
    chain,
    factories: rail.factories,
    ticks: options.ticks,
    maxInFlight: settings.payerInFlight.all,
  });
  const owner = Array.from(options.random(OWNER_BYTES), (byte) => byte.toString(36)).join("");
  const settledOn = isLive ? chain : null;
  const mpp = settings.mpp ? createMpp({ ...options, database, rail, now: clock.now }) : null;
  const shared = { ledger, backend, log, nowSeconds, leaseMs, mpp };
  const parties = { payers, chain: settledOn, railKey: rail.key };
  const settlement = createSettlement({ ...shared, ...parties });
  // What we settled ourselves was proven then.
  const audit = settings.mode === "facilitator" && rpc !== null
    ? createAudit({ upkeep, rpc, token: rail.assetKey, log })
    : null;
  const flights = new Map<string, Promise<Outcome>>();
  let isOpen = true;
  let isStopping = false;
  const deps = {
    ...shared,
    rail,
    payers,
    settlement,
    owner,
    flights,
    purchases: new Map(),
    queue: createPayerQueue(),
    leases,
    open: () => isOpen,
    ledgerIsAvailable: availability.isAvailable,
    separator: domainSeparator({
      ...rail.network.domain,
      chainId: rail.network.chainId,
      verifyingContract: rail.assetKey,
    }),
  };
  const jobs = createJobs(log);
  const challengeOf = (offer: PaidOffer) => createChallenge(offer, rail, settings);

  /** The chain that proves settlements must be the one that the network names. */
  const checkChain = async (): Promise<void> => {
    if (chain === null) return;
    try {
      await requireNetwork(chain, rail.network);
    } catch (cause) {
      if (cause instanceof OperatorError) throw cause;
      log.warn("chain unreachable: open settlements wait for it", { cause });
    }
  };

  const reconcilePass = (): Promise<unknown> =>
    reconcile({
      ledger,
      upkeep,
      chain: settledOn,
      owner,
      log,
      nowSeconds,
      stopping: () => isStopping,
    });

  return {
    challenge: challengeOf,
    paid: (offer, handler) => createPaidRoute(deps, offer, challengeOf(offer), handler),
    start: async () => {
      if (!isLive) {
        log.warn("payment mode test: payments are checked and nothing is charged");
      }
      await checkChain();
      await backend.start();
      await mpp?.load();
      jobs.every(LEDGER_MS, "key of MPP", async () => await mpp?.load());
      payers.recentBlock();
      const upkeepMs = timing.reconcileMs ?? RECONCILE_MS;
      jobs.every(leaseMs / 3, "renewal of leases", () => leases.renew());
      jobs.every(timing.tendMs ?? TEND_MS, "settlement upkeep", () => backend.tend());
      jobs.every(LEDGER_MS, "look for the ledger", availability.look);
      jobs.nowAndEvery(upkeepMs, "reconciliation", reconcilePass);
      // Apart from the look at the chain, which may be slow: a removed quote must not wait for that.
      jobs.nowAndEvery(timing.sweepMs ?? SWEEP_MS, "sweep", createSweep(upkeep, options.ticks));
      if (audit !== null) jobs.every(upkeepMs, "audit", audit.pass);
    },
    tailMs: backend.settleBudgetMs + AROUND_MS,
    close: () => void (isOpen = false),
    stop: async (deadline) => {
      isOpen = false;
      // Leases are renewed to the end: another replica must not take over what is still worked on.
      let isLate = false;
      const late = deadline?.then(() => isLate = true);
      while (flights.size > 0 && !isLate) {
        const landed = Promise.allSettled(flights.values());
        await (late === undefined ? landed : Promise.race([landed, late]));
      }
      isStopping = true;
      await jobs.stop(JOBS_GRACE_MS);
    },
    status: () => ({
      mode: settings.mode,
      network: rail.network.id,
      rail: rail.key,
      payTo: rail.payTo,
      ready: isOpen && backend.ready(),
      ledgerIsAvailable: availability.isAvailable(),
      inFlight: flights.size,
      notOnChain: audit?.missing() ?? 0,
    }),
  };
}
