/** The service's own metrics: fed by finished requests, and read from its parts when asked for. */
import { withDeadline } from "../core/deadline.ts";
import type { RequestCount, RequestRecord } from "../routes/pipeline/deps.ts";
import { MetricsRegistry } from "./metrics.ts";
import { type MetricsParts, NOTHING, readStoredState, registerGauges } from "./gauges.ts";

/** What the service counts of itself, and how it tells it. */
export interface ServiceMetrics {
  observe(record: RequestRecord): void;
  /** Requests answered so far. */
  requests(): readonly RequestCount[];
  /** The exposition; what is in the database is read at most every quarter of a minute. */
  render(): Promise<string>;
}

const FRESH_MS = 15_000;
/** Well under what a scrape may take: the alarm must come while the database is silent. */
const DEADLINE_MS = 3_000;

/**
 * Makes the service's metrics, in a registry of their own. Where the database does not answer
 * within three seconds, `render` gives what was read before, and `demand_database_up` is 0.
 */
export function createServiceMetrics(parts: MetricsParts): ServiceMetrics {
  const registry = new MetricsRegistry();
  let stored = NOTHING;
  let readAt = -Infinity;
  let databaseUp = true;
  registerGauges({ registry, parts, stored: () => stored, databaseUp: () => databaseUp });
  const requests = registry.counter<Omit<RequestCount, "count">>(
    "demand_requests_total",
    "Requests answered.",
  );
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

  return {
    requests: () => requests.counts().map(([labels, count]) => ({ ...labels, count })),
    observe: ({ route, method, status, durationMs, computeMs, code, charge }) => {
      const name = route ?? "unmatched";
      requests.add({ route: name, method: route === null ? "-" : method, status: String(status) });
      durations.observe({ route: name }, durationMs / 1000);
      if (code !== undefined) errors.add({ route: name, code });
      if (charge !== undefined) charged.add({ route: name });
      if (computeMs === undefined) return;
      phases.observe({ phase: "compute" }, computeMs / 1000);
      phases.observe({ phase: "payment" }, Math.max(0, durationMs - computeMs) / 1000);
    },
    render: async () => {
      const { clock, database, payments, log } = parts;
      const now = clock.now();
      if (now.getTime() - readAt >= FRESH_MS) {
        readAt = now.getTime();
        const [up, read] = await Promise.allSettled([
          withDeadline(DEADLINE_MS, null, () => database.answers()),
          withDeadline(DEADLINE_MS, null, () => readStoredState(database, payments(), now)),
        ]);
        databaseUp = up.status === "fulfilled";
        if (read.status === "fulfilled") stored = read.value;
        else {
          log.warn("the metrics of the database could not be read", { error: read.reason });
        }
      }
      return registry.render();
    },
  };
}
