/** The gauges: metrics read at each scrape from the database, the catalogue, payment and the process. */
import process from "node:process";
import { type Clock, dayOf } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { modelSpendSince } from "../db/corpus/model_spend.ts";
import {
  countOpenPayments,
  type OpenPaymentCounts,
  paymentsByDay,
  revenueSince,
} from "../db/ledger/lookups.ts";
import { type MiningRun, newestOfEachKind } from "../db/corpus/runs.ts";
import { type Database, ping } from "../db/sql.ts";
import type { Catalogue } from "../mining/cards/types.ts";
import type { PaymentStatus } from "../payment/mod.ts";
import type { MetricsRegistry, Sample } from "./metrics.ts";

/** What the metrics are read from. `catalogue` and `payments` give the state of now. */
export interface MetricsParts {
  readonly version: string;
  readonly runtime: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  readonly catalogue: () => Catalogue;
  readonly payments: () => PaymentStatus;
}

/** What was last read of the database. */
interface Stored {
  readonly open: OpenPaymentCounts;
  readonly payments: readonly Sample[];
  readonly revenue: readonly Sample[];
  readonly runs: readonly MiningRun[];
  readonly pingSeconds: number;
  readonly model: { readonly calls: number; readonly usd: number };
}

/** What the gauges show before the database was read for the first time. */
export const NOTHING: Stored = {
  open: { settling: 0, computing: 0, oldest: null, elsewhere: 0 },
  payments: [],
  revenue: [],
  runs: [],
  pingSeconds: NaN,
  model: { calls: 0, usd: 0 },
};

/**
 * Reads what the database knows for the gauges: of payments, revenue (dollars) and the model the
 * UTC day of `now`, of mining the newest run of each kind, and the seconds of a round trip. Rejects
 * where the database does not answer; the caller sets the deadline.
 */
export async function readStoredState(
  { withDeadline: sql }: Database,
  { mode, rail }: PaymentStatus,
  now: Date,
): Promise<Stored> {
  const today = new Date(dayOf(now));
  const started = performance.now();
  await ping(sql);
  const pingSeconds = (performance.now() - started) / 1000;
  const revenue = await revenueSince(sql, today, mode === "test" ? "test" : "live");
  const [model] = await modelSpendSince(sql, today);
  return {
    pingSeconds,
    model: model ?? NOTHING.model,
    open: await countOpenPayments(sql, rail),
    payments: (await paymentsByDay(sql, today)).map(({ name, count }) => [{ state: name }, count]),
    revenue: revenue.map(({ route, dollars }) => [{ route }, dollars]),
    runs: await newestOfEachKind(sql),
  };
}

const seconds = (time: Date | string): number => new Date(time).getTime() / 1000;

/** What the gauges are read from at each scrape. */
interface GaugeSources {
  readonly registry: MetricsRegistry;
  readonly parts: MetricsParts;
  /** What was last read of the database. */
  readonly stored: () => Stored;
  readonly databaseUp: () => boolean;
}

function paymentGauges({ registry, parts: { payments, clock }, stored }: GaugeSources): void {
  registry.gauge("demand_payments_ready", "1 while payments can be taken.", () => [
    [{}, payments().ready ? 1 : 0],
  ]);
  registry.gauge(
    "demand_ledger_writable",
    "0 since the ledger did not answer or a write to it failed, until one succeeds: nothing is sold meanwhile.",
    () => [[{}, payments().ledgerIsAvailable ? 1 : 0]],
  );
  registry.gauge("demand_payments_in_flight", "Purchases under way in this process.", () => [
    [{}, payments().inFlight],
  ]);
  registry.gauge(
    "demand_payments_today",
    "Payments claimed today (UTC), by state.",
    () => stored().payments,
  );
  registry.gauge(
    "demand_revenue_today_usd",
    "Settled today (UTC), by route.",
    () => stored().revenue,
  );
  registry.gauge("demand_settlements_unresolved", "Settlements of unknown outcome.", () => [
    [{}, stored().open.settling],
  ]);
  registry.gauge(
    "demand_settlements_elsewhere",
    "Settlements of unknown outcome on a network or token that is not configured now.",
    () => [[{}, stored().open.elsewhere]],
  );
  registry.gauge("demand_settlements_unresolved_oldest_seconds", "Age of the oldest.", () => [
    [{}, seconds(clock.now()) - seconds(stored().open.oldest ?? clock.now())],
  ]);

  registry.gauge(
    "demand_settlements_not_on_chain",
    "Of the newest settlements that the facilitator told of, those that the chain does not have.",
    () => [[{}, payments().notOnChain]],
  );
}

function modelGauges({ registry, stored }: GaugeSources): void {
  registry.gauge("demand_model_calls_today", "Model calls today (UTC), on all replicas.", () => [
    [{}, stored().model.calls],
  ]);
  registry.gauge(
    "demand_model_spend_today_usd",
    "What they cost, or is set aside for them.",
    () => [
      [{}, stored().model.usd],
    ],
  );
}

function miningGauges({ registry, parts: { catalogue, clock }, stored }: GaugeSources): void {
  const newest = (finished: boolean): Map<string, MiningRun> => {
    const runs = stored().runs.filter((run) => !finished || run.finishedAt !== null);
    return new Map(runs.toReversed().map((run) => [run.kind, run]));
  };
  registry.gauge(
    "demand_mining_last_start_seconds",
    "When the last run of a kind began.",
    () => [...newest(false)].map(([kind, run]) => [{ kind }, seconds(run.startedAt)]),
  );
  registry.gauge(
    "demand_mining_last_ok",
    "1 where the last finished run succeeded.",
    () => [...newest(true)].map(([kind, run]) => [{ kind }, run.error === null ? 1 : 0]),
  );
  registry.gauge(
    "demand_mining_last_duration_seconds",
    "How long it took.",
    () =>
      [...newest(true)].map(([kind, run]) => [
        { kind },
        seconds(run.finishedAt ?? run.startedAt) - seconds(run.startedAt),
      ]),
  );
  registry.gauge("demand_corpus_opportunities", "Active opportunities served.", () => [
    [{}, catalogue().cards.length],
  ]);
  registry.gauge("demand_corpus_signals", "Signals behind them.", () => [
    [{}, catalogue().signalCount],
  ]);
  registry.gauge("demand_corpus_age_seconds", "Age of what is served.", () => {
    const { lastMinedAt } = catalogue();
    return lastMinedAt === null ? [] : [[{}, seconds(clock.now()) - seconds(lastMinedAt)]];
  });
}

function databaseGauges(
  { registry, parts: { database }, stored, databaseUp }: GaugeSources,
): void {
  registry.gauge("demand_database_up", "1 while the database answers.", () => [
    [{ kind: database.kind }, databaseUp() ? 1 : 0],
  ]);
  registry.gauge(
    "demand_database_ping_seconds",
    "A round trip to it, a wait for the pool included.",
    () => Number.isNaN(stored().pingSeconds) ? [] : [[{}, stored().pingSeconds]],
  );

  registry.gauge(
    "demand_database_pool_connections",
    "Connections of this process: those in use, those waited for, and how many there may be.",
    () => {
      const { max, inUse, waiting } = database.pool();
      return [[{ state: "in_use" }, inUse], [{ state: "waiting" }, waiting], [{
        state: "max",
      }, max]];
    },
  );
}

function processGauges({ registry, parts }: GaugeSources): void {
  const started = parts.clock.now();
  registry.gauge("demand_info", "Version and runtime.", () => [
    [{ version: parts.version, runtime: parts.runtime, payment_mode: parts.payments().mode }, 1],
  ]);
  registry.gauge("process_start_time_seconds", "When the process started.", () => [
    [{}, seconds(started)],
  ]);
  registry.gauge("process_resident_memory_bytes", "Resident memory.", () => [
    [{}, process.memoryUsage().rss],
  ]);
}

/**
 * Registers every gauge. Their names and units are part of the exposition that deploy/ asks for.
 */
export function registerGauges(sources: GaugeSources): void {
  processGauges(sources);
  paymentGauges(sources);
  modelGauges(sources);
  miningGauges(sources);
  databaseGauges(sources);
}
