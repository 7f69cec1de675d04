/** GET /health, /livez and /readyz: is the service alive, can it answer, how does it take payment. */
import { z } from "zod";
import { withDeadline } from "../../core/deadline.ts";
import type { AppDeps, HealthReport } from "../pipeline/deps.ts";
import { sendJson } from "../pipeline/respond.ts";
import { defineRoute } from "../pipeline/route.ts";
import { timestamp } from "./schemas.ts";
import { SERVICE_ROUTES } from "../pipeline/route_table.ts";

const answer = z.object({
  status: z.enum(["ok", "unavailable"]),
  paymentMode: z.enum(["test", "facilitator", "onchain"]),
  version: z.string(),
  sales: z.enum(["open", "stopped"]).describe(
    "Whether calls without a payment are told what to pay: stopped while the ledger is away or cannot be written to, " +
      "what settles payments is away, or the service is stopping",
  ),
  corpus: z.object({
    opportunities: z.int().min(0),
    signals: z.int().min(0),
    lastMinedAt: timestamp.nullable(),
    newestPost: timestamp.nullable().describe(
      "When the newest post that carries a signal was written; mining may have read none lately",
    ),
    warming: z.boolean().describe(
      "True until cards were first made; false with no opportunities where no want has enough people",
    ),
  }),
}).meta({ id: "Health" });

type HealthAnswer = z.infer<typeof answer>;

const probe = z.object({
  status: z.enum(["ok", "unavailable"]),
  reason: z.enum(["database", "ledger", "stopping"]).optional(),
}).meta({ id: "Probe" });

const DEADLINE_MS = 2_000;
const FRESH_MS = 1_000;
/** The report where the database does not answer. */
const GONE: HealthReport = { database: false, ledger: false, sales: false, accepting: true };

/** The database's state, asked by each route once a second at most however many ask, and never waited for long. */
function watched({ health, clock }: AppDeps): () => Promise<HealthReport> {
  let asked = -Infinity;
  let report = Promise.resolve(GONE);
  return () => {
    const now = clock.now().getTime();
    if (now - asked < FRESH_MS && now >= asked) return report;
    asked = now;
    report = withDeadline(DEADLINE_MS, null, () => health()).catch(() => GONE);
    return report;
  };
}

export const health = defineRoute(SERVICE_ROUTES.health, {
  summary: "Health, payment mode and the state of the corpus",
  description:
    "200 while the service can answer, 503 with the same body while its database is gone.",
  answer,
  example: (catalogue) => ({
    status: "ok",
    paymentMode: "test",
    version: "0.1.0",
    sales: "open",
    corpus: corpusOf(catalogue),
  }),
  unavailable: "The database does not answer.",
  errors: [],
}, (deps) => {
  const ask = watched(deps);
  const { paymentMode, version } = deps.settings;
  return async (scope) => {
    const { database, sales } = await ask();
    const body: HealthAnswer = {
      status: database ? "ok" : "unavailable",
      paymentMode,
      version,
      sales: sales ? "open" : "stopped",
      corpus: corpusOf(deps.catalogue()),
    };
    return database ? sendJson(scope, 200, body) : sendJson(scope, 503, body, RETRY);
  };
});

export const livez = defineRoute(SERVICE_ROUTES.livez, {
  summary: "Liveness",
  description: "200 as long as the process runs; looks at nothing else.",
  answer: probe,
  example: () => ({ status: "ok" }),
  errors: [],
}, () => (scope) => sendJson(scope, 200, { status: "ok" }));

export const readyz = defineRoute(SERVICE_ROUTES.readyz, {
  summary: "Readiness",
  description: "200 while new requests should be sent here, 503 else; `reason` says why.",
  answer: probe,
  example: () => ({ status: "ok" }),
  unavailable: "New requests should go elsewhere.",
  errors: [],
}, (deps) => {
  const ask = watched(deps);
  return async (scope) => {
    const { database, ledger, accepting } = await ask();
    if (database && ledger && accepting) return sendJson(scope, 200, { status: "ok" });
    const reason = !database ? "database" : ledger ? "stopping" : "ledger";
    return sendJson(scope, 503, { status: "unavailable", reason }, RETRY);
  };
});

const RETRY = { "retry-after": "5" };

function corpusOf(catalogue: ReturnType<AppDeps["catalogue"]>): HealthAnswer["corpus"] {
  return {
    opportunities: catalogue.cards.length,
    signals: catalogue.signalCount,
    lastMinedAt: catalogue.lastMinedAt,
    newestPost: catalogue.dataTo,
    warming: catalogue.warming,
  };
}
