/**
 * Payment by x402 and MPP, settled after the answer is computed: a middleware around any handler, independent of
 * what is sold. docs/payment.md describes it.
 */
import { type Clock, unixSeconds } from "../core/clock.ts";
import { OperatorError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { createRecentSet } from "../core/recent.ts";
import { openLedger } from "../db/ledger/mod.ts";
import { cleanUpLedger, createLedgerCleanup } from "../db/ledger/cleanup.ts";
import { openReconciliation, type ReconciliationStore } from "../db/ledger/reconciliation.ts";
import type { Database } from "../db/sql.ts";
import { domainSeparator } from "./evm/authorization.ts";
import {
  type ChainReader,
  createChainReader,
  createNetworkCheck,
  type NetworkCheck,
} from "./evm/chain.ts";
import { createRpc } from "./evm/rpc.ts";
import { createMpp } from "./protocol/mpp.ts";
import { createPaymentRequired } from "./protocol/payment_required.ts";
import type { Settler } from "./protocol/settler.ts";
import type { PaidHandler, PaidOffer, PaymentMode, PaymentSettings } from "./protocol/types.ts";
import { createInFlightPurchases, type InFlightPurchases } from "./sell/in_flight.ts";
import { createLeases } from "./sell/leases.ts";
import { createPayerQueue } from "./sell/payer_queue.ts";
import { type LedgerAvailability, watchLedger } from "./sell/ledger_availability.ts";
import { createPaidEndpoint, type PaidEndpoint } from "./sell/paid_endpoint.ts";
import type { SellingParts } from "./sell/parts.ts";
import { connectSettlement, createSettler, type PaymentTiming } from "./settle/create_settler.ts";
import { type CheckedPaymentSettings, checkPaymentSettings } from "./settle/payment_settings.ts";
import { createSettlement } from "./settle/settlement.ts";
import { type Audit, createAudit } from "./upkeep/audit.ts";
import { createJobs, type Jobs } from "./upkeep/jobs.ts";
import { reconcile, type ReconcileReport } from "./upkeep/reconcile.ts";
import { createChainView } from "./verify/chain_view.ts";
import { createSignatureVerifier } from "./verify/verify_signature.ts";

export { type Compute, IN_FLIGHT_LIMITS } from "../db/ledger/types.ts";
export { encodeHeader } from "./protocol/payment_required.ts";
export { bringsPayment } from "./protocol/mpp_credential.ts";
export { mppChallengeObject, mppCredentialHeader, mppReceiptObject } from "./protocol/mpp.ts";
export { baseUnits, findNetwork } from "./evm/networks.ts";
export { type Buyer, createBuyer, readQuote } from "./evm/buyer.ts";
export { OTHER_REASONS, REASON_MEANS, reasonsMet } from "./protocol/reasons.ts";
export type {
  PaidAnswer,
  PaidHandler,
  PaidOffer,
  PaidRequest,
  PaymentMode,
  PaymentSettings,
  PreparedCall,
} from "./protocol/types.ts";
export type { PaidEndpoint } from "./sell/paid_endpoint.ts";
export type { Charge, Reply } from "./protocol/outcome.ts";
export type { PaymentTiming } from "./settle/create_settler.ts";

interface PaymentOptions {
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
  /** One pass of reconciliation, as the periodic job makes them. */
  reconcile(): Promise<ReconcileReport>;
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

/** Creates payment. @throws OperatorError for settings that are wrong in themselves. */
export async function createPayments(options: PaymentOptions): Promise<Payments> {
  const { settings } = options;
  const parts = await assemble(options);
  const { rail, inFlight, availability, audit } = parts;
  const jobs = createJobs(options.log);
  const resolving = { ...parts, chain: parts.settledOn, stopping: jobs.isStopping };
  const reconcileOnce = () => reconcile(resolving);
  return {
    paid: (offer, handler) =>
      createPaidEndpoint(parts, offer, createPaymentRequired(offer, rail, settings), handler),
    start: async () => {
      await begin(options, parts);
      // A start that was interrupted meanwhile leaves no timers.
      if (!jobs.isStopping()) schedule(options, parts, jobs, reconcileOnce);
    },
    reconcile: reconcileOnce,
    tailMs: parts.settler.settleBudgetMs + AROUND_MS,
    close: parts.close,
    stop: async (deadline) => {
      parts.close();
      await drain(inFlight, deadline);
      await jobs.stop(JOBS_GRACE_MS);
    },
    status: () => ({
      mode: settings.mode,
      network: rail.network.id,
      rail: rail.key,
      payTo: rail.payTo,
      ready: parts.isReady(),
      isSelling: parts.isSelling(),
      ledgerIsAvailable: availability.isAvailable(),
      inFlight: inFlight.count(),
      notOnChain: audit?.missing() ?? 0,
    }),
  };
}

/** All that payment is made of. */
interface PaymentParts extends SellingParts, Connected, Sales {
  /** The watched database: what fails there makes the ledger unavailable. */
  readonly database: LedgerAvailability["database"];
  readonly availability: LedgerAvailability;
  readonly reconciliation: ReconciliationStore;
  /** Null where settlements are proven by their receipts, and not by a facilitator's word. */
  readonly audit: Audit | null;
}

/** What is settled with and which chain is asked, as the mode of payment decides. */
interface Connected {
  readonly settler: Settler;
  /** The chain that signatures are verified on; null where there is none. */
  readonly chain: ChainReader | null;
  /** The chain that payments settle on; null in mode `test`. */
  readonly settledOn: ChainReader | null;
  /** Null without a chain, and where the settler itself makes sure of it. */
  readonly network: NetworkCheck | null;
}

/** What selling and settling both need. */
interface Shared extends Pick<PaymentParts, "database" | "nowSeconds"> {
  readonly leaseMs: number;
}

async function connect(
  { log, fetch, random, timing = {} }: PaymentOptions,
  { rail, settlement: settings }: Pick<CheckedPaymentSettings, "rail" | "settlement">,
  { database, nowSeconds, leaseMs }: Shared,
): Promise<Connected> {
  const settlement = connectSettlement(settings, rail.network, (url) => {
    const rpc = createRpc({ url, fetch, timeoutMs: timing.rpcMs ?? RPC_TIMEOUT_MS });
    return { rpc, chain: createChainReader(rpc, rail.assetKey) };
  });
  const chain = settlement.node?.chain ?? null;
  const settler = await createSettler({
    settlement,
    database,
    rail,
    log,
    fetch,
    random,
    nowSeconds,
    leaseMs,
    timing,
  });
  return {
    settler,
    chain,
    settledOn: settlement.mode === "test" ? null : chain,
    network: chain === null || settlement.mode === "onchain"
      ? null
      : createNetworkCheck(chain, rail.network),
  };
}

async function assemble(options: PaymentOptions): Promise<PaymentParts> {
  const { settings, log, clock, random, ticks, timing = {} } = options;
  const availability = watchLedger(options.database, log);
  const { database } = availability;
  const checked = checkPaymentSettings(settings);
  const { rail, factories } = checked;
  const nowSeconds = (): number => unixSeconds(clock.now());
  const leaseMs = timing.leaseMs ?? LEASE_MS;
  const connected = await connect(options, checked, { database, nowSeconds, leaseMs });
  const { settler, chain, settledOn } = connected;
  const ledger = openLedger(database, settings.payerInFlight);
  const reconciliation = openReconciliation(database, rail.key);
  const maxInFlight = settings.payerInFlight.all;
  const chainView = createChainView({ chain: settledOn, ticks, maxInFlight });
  const known = createRecentSet(KNOWN_MIN);
  return {
    ...connected,
    ...createSales(connected, availability),
    database,
    availability,
    ledgerIsAvailable: availability.isAvailable,
    rail,
    mpp: settings.mpp ? createMpp({ settings, database, rail, log, random, now: clock.now }) : null,
    signatures: createSignatureVerifier({ settler, chain, factories, ticks }),
    separator: domainSeparator({
      ...rail.network.domain,
      chainId: rail.network.chainId,
      verifyingContract: rail.assetKey,
    }),
    chainView,
    ledger,
    reconciliation,
    known,
    owner: Array.from(random(OWNER_BYTES), (byte) => byte.toString(36)).join(""),
    leases: createLeases(leaseMs, (claims, ms) => ledger.renew(claims, ms), log),
    queue: createPayerQueue(),
    inFlight: createInFlightPurchases(known),
    settlement: createSettlement({
      ledger,
      settler,
      chain: settledOn,
      chainView,
      railKey: rail.key,
      leaseMs,
      log,
      nowSeconds,
    }),
    audit: settler.mode === "facilitator" && settledOn !== null
      ? createAudit({ reconciliation, chain: settledOn, log })
      : null,
    log,
    nowSeconds,
  };
}

interface Sales extends Pick<SellingParts, "isReady" | "isSelling"> {
  /** Takes no new payments from now on. */
  readonly close: () => void;
}

/** The one place that decides whether sales are open. */
function createSales(
  { settler, network }: Pick<Connected, "settler" | "network">,
  availability: LedgerAvailability,
): Sales {
  let isOpen = true;
  const isReady = (): boolean => isOpen && network?.isWrong() !== true && settler.ready();
  return {
    isReady,
    isSelling: () => isReady() && availability.isAvailable(),
    close: () => void (isOpen = false),
  };
}

/** Checks the configuration against what it names. @throws OperatorError for one that can never work. */
async function begin(
  { settings, log }: PaymentOptions,
  { settler, network, mpp, chainView }: PaymentParts,
): Promise<void> {
  if (settings.mode === "test") {
    log.warn("payment mode test: payments are checked and nothing is charged");
  }
  await network?.check().catch((cause) => {
    if (cause instanceof OperatorError) throw cause;
    log.warn("chain unreachable: open settlements wait for it", { cause });
  });
  await settler.start();
  await mpp?.load();
  void chainView.recentBlock();
}

/** Starts the periodic jobs. */
function schedule(
  { ticks, timing = {} }: PaymentOptions,
  parts: PaymentParts,
  jobs: Jobs,
  reconcileOnce: Payments["reconcile"],
): void {
  const { database, availability, network, audit, leases, settler, mpp } = parts;
  const maintainMs = timing.maintainMs ?? MAINTAIN_MS;
  const reconcileMs = timing.reconcileMs ?? RECONCILE_MS;
  const cleanUp = createLedgerCleanup(
    (since) => cleanUpLedger(database, parts.rail.key, since),
    ticks,
  );
  jobs.every(LEDGER_MS, "key of MPP", async () => await mpp?.load());
  jobs.every(leases.ms / 3, "renewal of leases", () => leases.renew());
  jobs.every(maintainMs, "settler maintenance", () => settler.maintain());
  if (network !== null) jobs.every(maintainMs, "check of the chain's network", network.check);
  jobs.every(LEDGER_MS, "ledger check", availability.check);
  jobs.nowAndEvery(reconcileMs, "reconciliation", reconcileOnce);
  // Apart from reconciliation, whose chain calls may be slow: a removed quote must not wait for them.
  jobs.nowAndEvery(timing.cleanupMs ?? CLEANUP_MS, "ledger cleanup", cleanUp);
  if (audit !== null) jobs.every(reconcileMs, "audit", audit.pass);
}

/**
 * Waits until no purchase is under way, or `deadline` has passed. Leases are renewed meanwhile, so that no replica
 * takes over a claim that is still worked on.
 */
async function drain(inFlight: InFlightPurchases, deadline?: Promise<unknown>): Promise<void> {
  let isLate = false;
  const late = deadline?.then(() => isLate = true);
  while (inFlight.count() > 0 && !isLate) {
    const ended = inFlight.ended();
    await (late === undefined ? ended : Promise.race([ended, late]));
  }
}
