/** One wide line a request, with no secret, quote or signature in it: everything there is chosen here. */
import type { Log } from "../core/log.ts";
import type { RequestRecord } from "../routes/deps.ts";
import { traceIdOf } from "./trace.ts";

/** Probes ask every few seconds and say nothing. */
const PROBES = new Set(["/livez", "/readyz", "/health"]);

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

/** Makes the function that logs finished requests; probes that succeed are for LOG_LEVEL=debug. */
export function createRequestLog(log: Log): (record: RequestRecord) => void {
  return (record) => {
    const { sale, computeMs, code } = record;
    const traceId = traceIdOf(record.traceparent);
    const fields = {
      requestId: record.requestId,
      ...(traceId === undefined ? {} : { traceId }),
      method: record.method,
      // What matched no route is text of the caller's, and stays out.
      route: record.route,
      status: record.status,
      ...(code === undefined ? {} : { code }),
      ms: rounded(record.durationMs),
      ...(computeMs === undefined ? {} : { computeMs: rounded(computeMs) }),
      ...(sale === undefined ? {} : { payer: sale.payer, usd: sale.usd, tx: sale.transaction }),
    };
    const isProbe = record.status < 400 && record.route !== null && PROBES.has(record.route);
    if (isProbe) log.debug("request", fields);
    else log.info("request", fields);
  };
}
