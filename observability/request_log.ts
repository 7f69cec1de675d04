/** One wide line a request, with no secret, quote or signature in it: everything there is chosen here. */
import { rounded } from "../core/numbers.ts";
import type { Log } from "../core/log.ts";
import type { RequestRecord } from "../routes/pipeline/deps.ts";
import { traceIdOf } from "./trace.ts";

/** Probes ask every few seconds and say nothing. */
const PROBES = new Set(["/livez", "/readyz", "/health"]);

/**
 * Makes the function that logs finished requests, one line each: times in milliseconds, `usd` in
 * dollars. Probes that succeed are logged at level debug, all else at info.
 */
export function createRequestLog(log: Log): (record: RequestRecord) => void {
  return (record) => {
    const { charge, computeMs, code } = record;
    const traceId = traceIdOf(record.traceparent);
    const fields = {
      requestId: record.requestId,
      ...(traceId === undefined ? {} : { traceId }),
      method: record.method,
      // What matched no route is text of the caller's, and stays out.
      route: record.route,
      status: record.status,
      ...(code === undefined ? {} : { code }),
      ms: rounded(record.durationMs, 2),
      ...(computeMs === undefined ? {} : { computeMs: rounded(computeMs, 2) }),
      ...(charge === undefined
        ? {}
        : { payer: charge.payer, usd: charge.usd, tx: charge.transaction }),
      ...(charge?.repeated === true ? { repeated: true } : {}),
    };
    const isProbe = record.status < 400 && record.route !== null && PROBES.has(record.route);
    if (isProbe) log.debug("request", fields);
    else log.info("request", fields);
  };
}
