/** The metrics' own listener: METRICS_LISTEN, apart from what the public reaches. */
import { inAddress } from "../../core/host.ts";
import type { ServiceMetrics } from "../../observability/service_metrics.ts";
import { currentRuntime, type HttpServer } from "../../runtime/mod.ts";
import type { CommandContext } from "../context.ts";
import { cannotListen, refusals } from "./listen.ts";

const TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Serves /metrics, in the text format of Prometheus, where METRICS_LISTEN says; null where it is
 * not set.
 * @throws OperatorError where it cannot listen there.
 */
export async function serveMetrics(
  { config, log }: CommandContext,
  metrics: ServiceMetrics,
): Promise<HttpServer | null> {
  const listen = config.metricsListen;
  if (listen === null) return null;
  try {
    const server = await currentRuntime().serve({
      hostname: listen.host,
      port: listen.port,
      handler: async (request) => {
        // A Host header that names no host leaves an address that cannot be read.
        if (!URL.canParse(request.url) || new URL(request.url).pathname !== "/metrics") {
          return new Response(null, { status: 404 });
        }
        return new Response(await metrics.render(), { headers: { "content-type": TYPE } });
      },
      onError: (error) => {
        log.error("the metrics could not be rendered", { error });
        return new Response(null, { status: 500 });
      },
      onRefusing: refusals(log),
    });
    log.info("metrics", { address: `http://${inAddress(server.hostname)}:${server.port}/metrics` });
    return server;
  } catch (error) {
    throw cannotListen("METRICS_LISTEN", listen, error);
  }
}
