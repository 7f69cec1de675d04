/** An application over a small catalogue, for the tests of the routes. */
import type { Clock } from "../../core/clock.ts";
import { ServiceError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { Verdict } from "../../gauge/mod.ts";
import { createApp } from "../../routes/app.ts";
import type { AppDeps, AppSettings, HealthReport, Verdicts } from "../../routes/pipeline/deps.ts";
import { MAX_AT_ONCE } from "../../routes/pipeline/limits.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";
import { BUILT_AT, sixtyCards } from "../support/cards.ts";

export const SETTINGS: AppSettings = {
  hasSource: true,
  synthesis: "model",
  mppCurrency: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  contact: null,
  version: "0.1.0",
  baseUrl: "http://demand.test",
  paymentMode: "test",
  trustedProxies: [],
  rateLimits: RATE_LIMITS,
  maxAtOnce: MAX_AT_ONCE,
  familySlug: "family",
  family: null,
  changelog: "# Changelog\n\n## 0.1.0\n\n- The first version.\n",
};

/** A gauge that knows one rule, the length of a query, and one verdict. */
export const VERDICTS: Verdicts = {
  parse: ({ query, category }) => {
    const asked = typeof query === "string" ? query.trim() : "";
    if (asked.length < 3 || asked.length > 200) {
      throw new ServiceError("invalid_query", "3 to 200 characters", { param: "query" });
    }
    return { query: asked, category: typeof category === "string" ? category : null };
  },
  gauge: ({ query }) => Promise.resolve(verdict(query)),
  live: ({ query }) => Promise.resolve(verdict(query)),
  sample: ({ query }) => Promise.resolve(verdict(query)),
  ready: () => Promise.resolve(),
};

const verdict = (query: string): Verdict => ({
  query,
  verdictScore: 0,
  demandTemperature: "cold",
  rationale: "Nothing that people wrote matches.",
  funnel: {
    product: query,
    askingForProduct: 0,
    wants: [],
    statingAll: 0,
    communities: 0,
    from: null,
    to: null,
    corpusSignals: 0,
  },
  topEvidence: [],
  relatedOpportunities: [],
  cache: "miss",
  fetchedAt: BUILT_AT,
  dataFrom: null,
  dataTo: null,
  evidenceIds: [],
});

export interface Client {
  /** Sends a request; `from` is the address of the peer. */
  (path: string, init?: RequestInit, from?: string): Promise<Response>;
}

/** A clock that a test moves, and ticks that go with it. */
export function movedClock(
  start = BUILT_AT,
): { readonly clock: Clock; readonly ticks: () => number; advance(ms: number): void } {
  let time = Date.parse(start);
  return {
    clock: { now: () => new Date(time) },
    ticks: () => time,
    advance: (ms) => void (time += ms),
  };
}

export interface TestDeps extends Partial<Omit<AppDeps, "settings" | "catalogue">> {
  readonly settings?: Partial<AppSettings>;
  readonly catalogue?: Catalogue | (() => Catalogue);
}

/** An application over real parts, and the way to call it. */
export function appOf(given: TestDeps = {}): Client {
  const { catalogue = sixtyCards(), settings, ...rest } = given;
  let ids = 0;
  const { clock, ticks } = movedClock();
  const app = createApp({
    catalogue: typeof catalogue === "function" ? catalogue : () => catalogue,
    health: () =>
      Promise.resolve<HealthReport>({ database: true, ledger: true, sales: true, accepting: true }),
    settings: { ...SETTINGS, ...settings },
    clock,
    ticks,
    log: silentLog,
    verdicts: VERDICTS,
    requestId: () => `req-${ids++}`,
    ...rest,
  });
  return async (path, init, from = "192.0.2.1") =>
    await app.fetch(new Request(`http://demand.test${path}`, init), { remoteAddress: from });
}
