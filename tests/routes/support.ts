/** A small catalogue and an application over it, for the tests of the routes. */
import type { Clock } from "../../core/clock.ts";
import { ServiceError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { CATEGORIES, CATEGORY_SLUGS } from "../../mining/categories.ts";
import type { Card, Catalogue } from "../../mining/cards/types.ts";
import type { CardFacts } from "../../mining/opportunities/facts.ts";
import type { Verdict } from "../../gauge/mod.ts";
import { createApp } from "../../routes/app.ts";
import type { AppDeps, AppSettings, HealthReport, Verdicts } from "../../routes/pipeline/deps.ts";
import { MAX_AT_ONCE } from "../../routes/pipeline/limits.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";

export const BUILT_AT = "2026-11-20T10:00:00.000Z";

/** What is counted behind each card; names and values as hostile as posts can make them. */
const FACTS: CardFacts = {
  product: "headphones",
  want: { type: "problem", value: "cable frays" },
  narrowedBy: null,
  authors: 11,
  askingForProduct: 40,
  budgets: [{
    currency: "usd",
    authors: 6,
    low: 50,
    median: 80,
    high: 150,
    ceilings: 4,
    marketMedian: 120,
  }],
  wouldPayMore: 2,
  cheap: 0,
  alsoWanted: [{ type: "use", value: "running", authors: 4, lift: 1.8 }],
  failures: [{ problem: "dies within <months>", product: "acme & sons", authors: 3 }],
  unmet: { authors: 9, marketShare: 0.4 },
  users: [{ value: "runner", authors: 2 }],
  brands: {
    rejected: [{ name: "acme & sons", authors: 3 }],
    owned: [],
    considered: [{ name: "<b>other</b>", authors: 2 }],
  },
  places: [],
  covers: [],
};

/** The `index`th card: scores fall with it, categories take turns over the first three. */
export function card(index: number, changes: Partial<Card> = {}): Card {
  const letters = "234567abcdefghijklmnopqrstuvwxyz";
  const tail = letters[index % 32] ?? "a";
  return {
    id: `opp_${"a".repeat(14)}${letters[Math.floor(index / 32)] ?? "a"}${tail}`,
    slug: `want-${index}`,
    title: `Headphones whose cable does not fray, number ${index}`,
    category: CATEGORY_SLUGS[index % 3] ?? "audio",
    score: Math.round((90 - index / 2) * 10) / 10,
    freqScore: 70,
    intensityScore: 60,
    wtpScore: 50,
    productAngle: "A braided cable that detaches",
    summary: `People replace their headphones because the cable frays (${index}).`,
    signalCount: 12,
    distinctAuthors: 11,
    authorsKnown: true,
    firstSeen: "2026-09-01T08:00:00.000Z",
    lastSeen: "2026-11-19T08:00:00.000Z",
    evidence: [{
      quote: `My third pair died at the cable, <b>again</b> & again (${index}).`,
      permalink: `https://example.com/r/headphones/comments/p${index}/`,
      upvotes: 120,
      subreddit: "headphones",
      postedAt: "2026-11-18T08:00:00.000Z",
    }],
    evidenceIds: [`p${index}`],
    facts: FACTS,
    scoring: {
      version: "1",
      components: { frequency: 0.7, intensity: 0.6, wtp: 0.5 },
      weights: { frequency: 0.5, intensity: 0.25, wtp: 0.25 },
      patterns: { repeat_failure: 9, frustration: 3 },
    },
    signals7d: 4,
    signals28d: 8,
    lastUpdated: "2026-11-19T09:00:00.000Z",
    ...changes,
  };
}

/** A catalogue over these cards, best first. */
export function catalogueOf(cards: readonly Card[], changes: Partial<Catalogue> = {}): Catalogue {
  const sorted = [...cards].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  const first = sorted[0];
  return {
    revision: 1,
    builtAt: BUILT_AT,
    asOf: BUILT_AT,
    lastMinedAt: BUILT_AT,
    signalCount: sorted.reduce((sum, { signalCount }) => sum + signalCount, 0),
    dataFrom: first?.firstSeen ?? null,
    dataTo: first?.lastSeen ?? null,
    warming: sorted.length === 0,
    demonstration: false,
    categories: CATEGORY_SLUGS.map((slug) => {
      const own = sorted.filter(({ category }) => category === slug);
      return {
        slug,
        title: CATEGORIES[slug],
        opportunityCount: own.length,
        topScore: own[0]?.score ?? 0,
        lastUpdated: BUILT_AT,
        newestPost: own[0]?.lastSeen ?? null,
      };
    }),
    cards: sorted,
    inCategory: (slug) => sorted.filter(({ category }) => category === slug),
    byId: (id) => sorted.find((other) => other.id === id),
    bySlug: (slug) => sorted.find((other) => other.slug === slug),
    sample: first === undefined ? null : { card: first, cardAsOf: BUILT_AT },
    ...changes,
  };
}

/** Sixty cards over three categories. */
export const sixtyCards = (): Catalogue =>
  catalogueOf(Array.from({ length: 60 }, (_, index) => card(index)));

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
