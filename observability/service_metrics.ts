/** The service's own metrics: fed by finished requests, and read from its parts when asked for. */
import process from "node:process";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import {
  modelSpendSince,
  type OpenPayments,
  paymentsByDay,
  revenueSince,
  unresolvedPayments,
} from "../db/admin.ts";
import { type MiningRun, recentRuns } from "../db/runs.ts";
import { type Database, ping } from "../db/sql.ts";
import type { Catalogue } from "../mining/cards/types.ts";
import type { PaymentStatus } from "../payment/mod.ts";
import type { RequestRecord } from "../routes/deps.ts";
import { Registry, type Sample } from "./metrics.ts";

export interface MetricsParts {
  readonly version: string;
  readonly runtime: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly database: Database;
  readonly catalogue: () => Catalogue;
  readonly payments: () => PaymentStatus;
}

export interface ServiceMetrics {
  observe(record: RequestRecord): void;
  /** Requests answered so far. */
  requests(): readonly RequestCount[];
  /** The exposition; what is in the database is read at most every quarter of a minute. */
  render(): Promise<string>;
}

export interface RequestCount {
  readonly route: string;
  readonly status: string;
  readonly count: number;
}

const FRESH_MS = 15_000;
const RUNS = 20;

interface Stored {
  readonly open: OpenPayments;
  readonly payments: readonly Sample[];
  readonly revenue: readonly Sample[];
  readonly runs: readonly MiningRun[];
  readonly pingSeconds: number;
  readonly model: { readonly calls: number; readonly usd: number };
}

const NOTHING: Stored = {
  open: { settling: 0, computing: 0, oldest: null, elsewhere: 0 },
  payments: [],
  revenue: [],
  runs: [],
  pingSeconds: NaN,
  model: { calls: 0, usd: 0 },
};

async function readStored(
  { sql }: Database,
  { mode, rail }: PaymentStatus,
  now: Date,
): Promise<Stored> {
  const today = new Date(now.toISOString().slice(0, 10));
  const started = performance.now();
  await ping(sql);
  const pingSeconds = (performance.now() - started) / 1000;
  const revenue = await revenueSince(sql, today, mode === "test" ? "test" : "live");
  const [model] = await modelSpendSince(sql, today);
  return {
    pingSeconds,
    model: model ?? NOTHING.model,
    open: await unresolvedPayments(sql, rail),
    payments: (await paymentsByDay(sql, today)).map(({ name, count }) => [{ state: name }, count]),
    revenue: revenue.map(({ route, dollars }) => [{ route }, dollars]),
    runs: await recentRuns(sql, RUNS),
  };
}

const seconds = (time: Date | string): number => new Date(time).getTime() / 1000;

/** Makes the service's metrics. */
export function createServiceMetrics(parts: MetricsParts): ServiceMetrics {
  const { clock, catalogue, payments, log } = parts;
  const registry = new Registry();
  const started = clock.now();
  let stored = NOTHING;
  let readAt = -Infinity;
  let databaseUp = true;

  registry.gauge("demand_info", "Version and runtime.", () => [
    [{ version: parts.version, runtime: parts.runtime, payment_mode: payments().mode }, 1],
  ]);
  registry.gauge("process_start_time_seconds", "When the process started.", () => [
    [{}, seconds(started)],
  ]);
  registry.gauge("process_resident_memory_bytes", "Resident memory.", () => [
    [{}, process.memoryUsage().rss],
  ]);

  const requests = registry.counter("demand_requests_total", "Requests answered.");
  const durations = registry.histogram("demand_request_seconds", "From request to answer.");
  const phases = registry.histogram(
    "demand_paid_phase_seconds",
    "Paid calls by phase: compute, and payment (everything else).",
  );
  const errors = registry.counter("demand_errors_total", "Answers that are errors, by code.");
  const charged = registry.counter(
    "demand_charged_answers_total",
    "Answers delivered for a payment, repeats of an answer included.",
  );

  registry.gauge("demand_payments_ready", "1 while payments can be taken.", () => [
    [{}, payments().ready ? 1 : 0],
  ]);
  registry.gauge("demand_payments_in_flight", "Purchases under way in this process.", () => [
    [{}, payments().inFlight],
  ]);
  registry.gauge(
    "demand_payments_today",
    "Payments claimed today (UTC), by state.",
    () => stored.payments,
  );
  registry.gauge(
    "demand_revenue_today_usd",
    "Settled today (UTC), by route.",
    () => stored.revenue,
  );
  registry.gauge("demand_settlements_unresolved", "Settlements of unknown outcome.", () => [
    [{}, stored.open.settling],
  ]);
  registry.gauge(
    "demand_settlements_elsewhere",
    "Settlements of unknown outcome on a network or token that is not configured now.",
    () => [[{}, stored.open.elsewhere]],
  );
  registry.gauge("demand_settlements_unresolved_oldest_seconds", "Age of the oldest.", () => [
    [{}, stored.open.oldest === null ? 0 : seconds(clock.now()) - seconds(stored.open.oldest)],
  ]);

  registry.gauge("demand_model_calls_today", "Model calls today (UTC), on all replicas.", () => [
    [{}, stored.model.calls],
  ]);
  registry.gauge(
    "demand_model_spend_today_usd",
    "What they cost, or is set aside for them.",
    () => [
      [{}, stored.model.usd],
    ],
  );

  const newest = (finished: boolean): Map<string, MiningRun> => {
    const runs = stored.runs.filter((run) => !finished || run.finishedAt !== null);
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
  registry.gauge("demand_database_up", "1 while the database answers.", () => [
    [{ kind: parts.database.kind }, databaseUp ? 1 : 0],
  ]);
  registry.gauge(
    "demand_database_ping_seconds",
    "A round trip to it, a wait for the pool included.",
    () => Number.isNaN(stored.pingSeconds) ? [] : [[{}, stored.pingSeconds]],
  );

  registry.gauge(
    "demand_database_pool_connections",
    "Connections of this process: those in use, those waited for, and how many there may be.",
    () => {
      const { max, inUse, waiting } = parts.database.pool();
      return [[{ state: "in_use" }, inUse], [{ state: "waiting" }, waiting], [{
        state: "max",
      }, max]];
    },
  );

  const counts = new Map<string, number>();
  return {
    requests: () =>
      [...counts].map(([key, count]) => ({ status: key.slice(0, 3), route: key.slice(4), count })),
    observe: ({ route, method, status, durationMs, computeMs, code, sale }) => {
      const name = route ?? "unmatched";
      const key = `${status} ${name}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      requests.add({ route: name, method: route === null ? "-" : method, status: String(status) });
      durations.observe({ route: name }, durationMs / 1000);
      if (code !== undefined) errors.add({ route: name, code });
      if (sale !== undefined) charged.add({ route: name });
      if (computeMs === undefined) return;
      phases.observe({ phase: "compute" }, computeMs / 1000);
      phases.observe({ phase: "payment" }, Math.max(0, durationMs - computeMs) / 1000);
    },
    render: async () => {
      const now = clock.now();
      if (now.getTime() - readAt >= FRESH_MS) {
        readAt = now.getTime();
        try {
          stored = await readStored(parts.database, payments(), now);
          databaseUp = true;
        } catch (error) {
          databaseUp = false;
          log.warn("the metrics of the database could not be read", { error });
        }
      }
      return registry.render();
    },
  };
}
