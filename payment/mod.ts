/**
 * Payment by x402 and MPP, settled after the answer is computed: a middleware around any handler, independent of
 * what is sold. docs/payment.md describes it.
 */
import { type Clock, unixSeconds } from "../core/clock.ts";
import { OperatorError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { openLedger } from "../db/ledger/mod.ts";
import { cleanUpLedger } from "../db/ledger/cleanup.ts";
import { openReconciliation } from "../db/ledger/reconciliation.ts";
import type { Database } from "../db/sql.ts";
import { domainSeparator } from "./evm/authorization.ts";
import { createChainReader, requireNetwork } from "./evm/chain.ts";
import { createRpc } from "./evm/rpc.ts";
import { createMpp } from "./protocol/mpp.ts";
import { createPaymentRequired } from "./protocol/payment_required.ts";
import { createRecentSet } from "./protocol/recent_set.ts";
import { createRail } from "./protocol/terms.ts";
import type { PaidHandler, PaidOffer, PaymentMode, PaymentSettings } from "./protocol/types.ts";
import { createLeases, createPayerQueue } from "./sell/claim.ts";
import { createInFlightPurchases } from "./sell/in_flight.ts";
import { watchLedger } from "./sell/ledger_availability.ts";
import { createPaidEndpoint, type PaidEndpoint } from "./sell/paid.ts";
import { createSettler, type PaymentTiming } from "./settle/create_settler.ts";
import { createSettlement } from "./settle/settlement.ts";
import { createAudit } from "./upkeep/audit.ts";
import { createJobs, createLedgerCleanup } from "./upkeep/jobs.ts";
import { reconcile } from "./upkeep/reconcile.ts";
import { createChainView } from "./verify/chain_view.ts";
import { createSignatureVerifier } from "./verify/verify_signature.ts";

export { IN_FLIGHT_LIMITS, type InFlightLimits } from "../db/ledger/types.ts";
export { encodeHeader } from "./protocol/payment_required.ts";
export { bringsPayment } from "./protocol/mpp_credential.ts";
export { mppChallengeObject, mppCredentialHeader, mppReceiptObject } from "./protocol/mpp.ts";
export { baseUnits, findNetwork } from "./evm/networks.ts";
export { type Buyer, createBuyer, type Quote, readQuote } from "./evm/buyer.ts";
export { OTHER_REASONS, REASON_MEANS, reasonsMet } from "./protocol/reasons.ts";
export type {
  Discovery,
  PaidAnswer,
  PaidHandler,
  PaidOffer,
  PaidRequest,
  PaymentMode,
  PaymentSettings,
  PreparedCall,
} from "./protocol/types.ts";
export type { PaidEndpoint } from "./sell/paid.ts";
export type { Reply } from "./protocol/outcome.ts";
export type { PaymentTiming } from "./settle/create_settler.ts";

export interface PaymentOptions {
  readonly settings: PaymentSettings;
  readonly database: Pick<Database, "short" | "durable" | "answers">;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: typeof fetch;
  readonly random: (bytes: number) => Uint8Array;
  /** Milliseconds that only go forward. */
  readonly ticks: () => number;
  /** Deadlines other than the usual ones. */
  readonly timing?: PaymentTiming;
}

export interface PaymentStatus {
  readonly mode: PaymentMode;
  readonly network: string;
  /** Network and token, as the ledger names them; apart in mode `test`. */
  readonly rail: string;
  readonly payTo: string;
  /** False while the facilitator or the chain is unreachable, and once payment has closed. */
  readonly ready: boolean;
  /** Whether sales are open: whether a call without a payment gets a 402. */
  readonly isSelling: boolean;
  /** False since the ledger did not answer or a write to it failed, until one succeeds. */
  readonly ledgerIsAvailable: boolean;
  /** Purchases under way in this process. */
  readonly inFlight: number;
  /** How many of the newest settlements that the facilitator reported are not on the chain. */
  readonly notOnChain: number;
}

export interface Payments {
  /** The endpoint that sells what `handler` computes at the price of `offer`. */
  paid(offer: PaidOffer, handler: PaidHandler): PaidEndpoint;
  /**
   * Checks the configuration against chain and facilitator, and starts the periodic jobs: reconciliation, cleanup,
   * renewal of leases. Rejects with OperatorError for a configuration that can never work.
   */
  start(): Promise<void>;
  /** Milliseconds that a call takes at most beyond its computation: trial run, settlement, record. */
  readonly tailMs: number;
  /** Takes no new payments from now on; what was bought before is still delivered again. */
  close(): void;
  /**
   * Closes, and resolves when the payments under way have ended or `deadline` has passed; what is open then is
   * resolved by the next process.
   */
  stop(deadline?: Promise<unknown>): Promise<void>;
  status(): PaymentStatus;
}

const MAINTAIN_MS = 5_000;
const RECONCILE_MS = 60_000;
const CLEANUP_MS = 60_000;
/** Between checks of the ledger, and between attempts to load the key of MPP. */
const LEDGER_MS = 1_000;
/** How long running jobs may take to end when the service stops. */
const JOBS_GRACE_MS = 2_000;
const RPC_TIMEOUT_MS = 5_000;
/** Length of the random name under which this process owns claims. */
const OWNER_BYTES = 8;
/** The claims of a dead process are taken over after this; a living one renews its leases. */
const LEASE_MS = 8_000;
/** The least number of payments that are remembered as known to the ledger. */
const KNOWN_MIN = 20_000;

/** For the verification before a computation, and for recording its settlement. */
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
  const chain = rpc === null ? null : createChainReader(rpc, rail.assetKey);
  const nowSeconds = (): number => unixSeconds(clock.now());
  const leaseMs = timing.leaseMs ?? LEASE_MS;
  const parts = { database, rail, rpc, chain, nowSeconds, leaseMs, timing };
  const settler = await createSettler({ ...options, ...parts });
  const ledger = openLedger(database, settings.payerInFlight);
  const leases = createLeases(leaseMs, (claims, ms) => ledger.renew(claims, ms), log);
  const reconciliation = openReconciliation(database, rail.key);
  const { ticks } = options;
  const settledOn = isLive ? chain : null;
  const signatures = createSignatureVerifier({ settler, chain, factories: rail.factories, ticks });
  const maxInFlight = settings.payerInFlight.all;
  const chainView = createChainView({ chain: settledOn, ticks, maxInFlight });
  const cleanup = createLedgerCleanup(
    (since) => cleanUpLedger(database, rail.key, since),
    options.ticks,
  );
  const owner = Array.from(options.random(OWNER_BYTES), (byte) => byte.toString(36)).join("");
  const mpp = settings.mpp ? createMpp({ ...options, database, rail, now: clock.now }) : null;
  const shared = { ledger, settler, log, nowSeconds, leaseMs, mpp };
  const parties = { chainView, chain: settledOn, railKey: rail.key };
  const settlement = createSettlement({ ...shared, ...parties });
  // Our own settlements are proven by their receipts.
  const audit = settings.mode === "facilitator" && chain !== null
    ? createAudit({ reconciliation, chain, log })
    : null;
  const known = createRecentSet(KNOWN_MIN);
  const inFlight = createInFlightPurchases(known);
  /** Whether RPC_URL is on the configured network; null until it has said so. */
  let isOurChain: boolean | null = null;
  let isOpen = true;
  let isStopping = false;
  const isReady = (): boolean => isOpen && isOurChain !== false && settler.ready();
  /** The one place that decides whether sales are open. */
  const isSelling = (): boolean => isReady() && availability.isAvailable();
  const deps = {
    ...shared,
    rail,
    signatures,
    chainView,
    settlement,
    owner,
    inFlight,
    queue: createPayerQueue(),
    known,
    leases,
    isReady,
    isSelling,
    ledgerIsAvailable: availability.isAvailable,
    separator: domainSeparator({
      ...rail.network.domain,
      chainId: rail.network.chainId,
      verifyingContract: rail.assetKey,
    }),
  };
  const jobs = createJobs(log);

  /**
   * Checks that RPC_URL is on the configured network, until it has once; nothing is sold while it
   * is on another.
   */
  const checkChain = async (): Promise<void> => {
    if (chain === null || isOurChain === true) return;
    try {
      await requireNetwork(chain, rail.network);
      isOurChain = true;
    } catch (cause) {
      if (cause instanceof OperatorError) isOurChain = false;
      throw cause;
    }
  };

  const reconcilePass = (): Promise<unknown> =>
    reconcile({
      ledger,
      reconciliation,
      chain: settledOn,
      owner,
      log,
      nowSeconds,
      stopping: () => isStopping,
    });

  return {
    paid: (offer, handler) =>
      createPaidEndpoint(deps, offer, createPaymentRequired(offer, rail, settings), handler),
    start: async () => {
      if (!isLive) {
        log.warn("payment mode test: payments are checked and nothing is charged");
      }
      await checkChain().catch((cause) => {
        if (cause instanceof OperatorError) throw cause;
        log.warn("chain unreachable: open settlements wait for it", { cause });
      });
      await settler.start();
      await mpp?.load();
      jobs.every(LEDGER_MS, "key of MPP", async () => await mpp?.load());
      void chainView.recentBlock();
      const upkeepMs = timing.reconcileMs ?? RECONCILE_MS;
      jobs.every(leaseMs / 3, "renewal of leases", () => leases.renew());
      jobs.every(timing.maintainMs ?? MAINTAIN_MS, "settler maintenance", () => settler.maintain());
      jobs.every(timing.maintainMs ?? MAINTAIN_MS, "check of the chain's network", checkChain);
      jobs.every(LEDGER_MS, "ledger check", availability.check);
      jobs.nowAndEvery(upkeepMs, "reconciliation", reconcilePass);
      // Apart from reconciliation, whose chain calls may be slow: a removed quote must not wait for them.
      jobs.nowAndEvery(timing.cleanupMs ?? CLEANUP_MS, "ledger cleanup", cleanup);
      if (audit !== null) jobs.every(upkeepMs, "audit", audit.pass);
    },
    tailMs: settler.settleBudgetMs + AROUND_MS,
    close: () => void (isOpen = false),
    stop: async (deadline) => {
      isOpen = false;
      // Leases are renewed until the end, so that no replica takes over a claim that is still worked on.
      let isLate = false;
      const late = deadline?.then(() => isLate = true);
      while (inFlight.count() > 0 && !isLate) {
        const landed = inFlight.landed();
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
      ready: isReady(),
      isSelling: isSelling(),
      ledgerIsAvailable: availability.isAvailable(),
      inFlight: inFlight.count(),
      notOnChain: audit?.missing() ?? 0,
    }),
  };
}
