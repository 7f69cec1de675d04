/** The service as one handler of requests: the application, the operator's pages, and what watches both. */
import { randomUUID } from "node:crypto";
import { rememberRequests } from "../../db/ledger/requests.ts";
import type { Database } from "../../db/sql.ts";
import type { LiveCatalogue } from "../../mining/cards/live_catalogue.ts";
import type { Source } from "../../mining/sources/types.ts";
import type { LanguageModel } from "../../model/mod.ts";
import { createRequestLog } from "../../observability/request_log.ts";
import { createServiceMetrics, type ServiceMetrics } from "../../observability/service_metrics.ts";
import type { Payments } from "../../payment/mod.ts";
import { createAdmin, isForAdmin } from "../../routes/admin/mod.ts";
import { createApp } from "../../routes/app.ts";
import { clientResolver } from "../../routes/pipeline/client_address.ts";
import type { AppSettings, RequestRecord } from "../../routes/pipeline/deps.ts";
import { currentRuntime, type FetchHandler } from "../../runtime/mod.ts";
import { VERSION } from "../../version.ts";
import type { CommandContext } from "../context.ts";
import { assembleGauge } from "./verdicts.ts";

/** What requests are answered with. */
interface ServiceParts {
  readonly database: Database;
  readonly settings: AppSettings;
  readonly source: Source | null;
  readonly model: LanguageModel | null;
  readonly catalogue: LiveCatalogue;
  readonly payments: Payments;
  /** Whether new calls should come here: not any more while the service stops. */
  readonly isAccepting: () => boolean;
}

/**
 * Makes the handler of all requests, the operator's pages included, and the metrics that it feeds.
 */
export function assembleService(
  context: CommandContext,
  parts: ServiceParts,
): { readonly handler: FetchHandler; readonly metrics: ServiceMetrics } {
  const { clock, log } = context;
  const { database, source, model, catalogue, payments } = parts;
  const { name, version } = currentRuntime();
  const metrics = createServiceMetrics({
    version: VERSION,
    runtime: `${name} ${version}`,
    clock,
    log,
    database,
    catalogue: catalogue.current,
    payments: payments.status,
  });
  const logRequest = createRequestLog(log);
  const remember = chargeMemory(context, database);
  const app = createApp({
    catalogue: catalogue.current,
    health: async () => {
      await database.answers();
      const { ledgerIsAvailable: ledger, isSelling: sales } = payments.status();
      return { database: true, ledger, sales, accepting: parts.isAccepting() };
    },
    settings: parts.settings,
    clock,
    ticks: () => performance.now(),
    log,
    requestId: randomUUID,
    payments,
    verdicts: assembleGauge(context, database, catalogue.current, source, model),
    observe: (record) => {
      metrics.observe(record);
      logRequest(record);
      remember(record);
    },
  });
  const admin = adminOf(context, parts, metrics);
  const clientOf = clientResolver(context.config.trustedProxies);
  const warnOfProxy = proxyWarning(context);
  const handler: FetchHandler = (request, peer) => {
    warnOfProxy(request);
    if (admin !== null && isForAdmin(request)) {
      return admin(request, clientOf(peer.remoteAddress, request.headers.get("x-forwarded-for")));
    }
    return app.fetch(request, peer);
  };
  return { handler, metrics };
}

/** Writes down which request a payment answered, behind the answer's back: the charge stands without it. */
function chargeMemory(
  { clock, log }: CommandContext,
  { short }: Database,
): (record: RequestRecord) => void {
  const write = rememberRequests(short);
  return ({ requestId, charge }) => {
    if (charge === undefined) return;
    write({ requestId, transaction: charge.transaction, at: clock.now() }).catch((error) => {
      log.debug("a request's id was not kept with its payment", { requestId, error });
    });
  };
}

/** The operator's pages; null without ADMIN_TOKEN. */
function adminOf(
  { config, clock, log }: CommandContext,
  { database, catalogue, payments }: ServiceParts,
  metrics: ServiceMetrics,
): ReturnType<typeof createAdmin> | null {
  if (config.adminToken === null) return null;
  return createAdmin({
    token: config.adminToken,
    version: VERSION,
    log,
    requestId: randomUUID,
    database,
    now: () => clock.now(),
    catalogue: catalogue.current,
    payments: payments.status,
    requests: metrics.requests,
  });
}

/** Says once that a proxy is in front whose word on addresses nobody takes. */
function proxyWarning({ config, log }: CommandContext): (request: Request) => void {
  let due = config.trustedProxies.length === 0;
  return (request) => {
    if (!due || !request.headers.has("x-forwarded-for")) return;
    due = false;
    log.warn(
      "a proxy forwards requests and TRUSTED_PROXIES is not set: all callers share one limit",
    );
  };
}
