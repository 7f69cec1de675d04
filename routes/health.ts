/** GET /health, /livez and /readyz: is the service alive, can it answer, how does it take payment. */
import { z } from "zod";
import { withDeadline } from "../core/deadline.ts";
import type { AppDeps, HealthReport } from "./deps.ts";
import { sendJson } from "./respond.ts";
import { defineRoute } from "./route.ts";
import { timestamp } from "./schemas.ts";
import { SERVICE_ROUTES } from "./table.ts";

const answer = z.object({
  status: z.enum(["ok", "unavailable"]),
  paymentMode: z.enum(["test", "facilitator", "onchain"]),
  version: z.string(),
  corpus: z.object({
    opportunities: z.int().min(0),
    signals: z.int().min(0),
    lastMinedAt: timestamp.nullable(),
    warming: z.boolean().describe("True while no opportunity is active"),
  }),
}).meta({ id: "Health" });

export type HealthAnswer = z.infer<typeof answer>;

const probe = z.object({ status: z.enum(["ok", "unavailable"]) }).meta({ id: "Probe" });

const DEADLINE_MS = 2_000;
const FRESH_MS = 1_000;

/** The database's state, asked by each route once a second at most however many ask, and never waited for long. */
function watched({ health, clock }: AppDeps): () => Promise<HealthReport> {
  let asked = -Infinity;
  let report: Promise<HealthReport> = Promise.resolve({ database: false, accepting: false });
  return () => {
    const now = clock.now().getTime();
    if (now - asked < FRESH_MS && now >= asked) return report;
    asked = now;
    report = withDeadline(DEADLINE_MS, null, () => health())
      .catch(() => ({ database: false, accepting: true }));
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
    corpus: corpusOf(catalogue),
  }),
  unavailable: "The database does not answer.",
  errors: [],
}, (deps) => {
  const ask = watched(deps);
  const { paymentMode, version } = deps.settings;
  return async (scope) => {
    const { database } = await ask();
    const body: HealthAnswer = {
      status: database ? "ok" : "unavailable",
      paymentMode,
      version,
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
  description:
    "200 while new requests should be sent here, 503 while the database is gone or it drains.",
  answer: probe,
  example: () => ({ status: "ok" }),
  unavailable: "New requests should go elsewhere.",
  errors: [],
}, (deps) => {
  const ask = watched(deps);
  return async (scope) => {
    const { database, accepting } = await ask();
    const ready = database && accepting;
    return ready
      ? sendJson(scope, 200, { status: "ok" })
      : sendJson(scope, 503, { status: "unavailable" }, RETRY);
  };
});

const RETRY = { "retry-after": "5" };

function corpusOf(catalogue: ReturnType<AppDeps["catalogue"]>): HealthAnswer["corpus"] {
  return {
    opportunities: catalogue.cards.length,
    signals: catalogue.signalCount,
    lastMinedAt: catalogue.lastMinedAt,
    warming: catalogue.warming,
  };
}
