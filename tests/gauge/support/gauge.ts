/** A gauge over a small corpus, with a catalogue and posts found live. */
import { silentLog } from "../../../core/log.ts";
import { modelSpendSince } from "../../../db/corpus/model_spend.ts";
import type { Database, Queryable } from "../../../db/sql.ts";
import { createGauge, type Gauge } from "../../../gauge/mod.ts";
import { findKinds as findListedKinds } from "../../../gauge/query/kinds.ts";
import type { GaugeOptions, LiveSignal, Verdict } from "../../../gauge/types.ts";
import type { Catalogue } from "../../../mining/cards/types.ts";
import { demoSearch } from "../../../mining/demo/search.ts";
import type { Post } from "../../../mining/types.ts";
import { createModel, type ModelSettings } from "../../../model/mod.ts";
import { card, catalogueOf } from "../../support/cards.ts";
import { NEVER } from "../../support/time.ts";
import { AS_OF, bytesAsHex, findKinds, NOW } from "./corpus.ts";

/** A cold verdict on nothing in particular. */
export const VERDICT: Verdict = {
  query: "q",
  verdictScore: 1,
  demandTemperature: "cold",
  rationale: "r",
  funnel: {
    product: "q",
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
  fetchedAt: NOW.toISOString(),
  dataFrom: null,
  dataTo: null,
  evidenceIds: [],
};

/** A catalogue with cards of these ids, all in `kitchen`. */
export function kitchenCatalogue(ids: readonly string[] = [], mined = true): Catalogue {
  const at = AS_OF.toISOString();
  const cards = ids.map((id, i) =>
    card(i, { id, slug: `slug-${id.slice(4)}`, title: id, score: 42.5, category: "kitchen" })
  );
  return catalogueOf(cards, {
    revision: mined ? 1 : 0,
    builtAt: at,
    asOf: at,
    lastMinedAt: mined ? at : null,
    signalCount: mined ? 100 : 0,
    sample: null,
  });
}

let counter = 0;

export type GaugeParts = Partial<Omit<GaugeOptions, "synthesis">> & {
  readonly synthesis?: "extractive" | "none";
  readonly model?: ModelSettings | null;
};

/** A gauge with the built-in synthesis and no source but the demonstration, but for what `parts` says. */
export function gaugeOn(
  database: Database,
  { model = null, synthesis = "extractive", ...parts }: GaugeParts = {},
): Gauge {
  const catalogue = kitchenCatalogue();
  const clock = parts.clock ?? { now: () => NOW };
  const random = (bytes: number) => (++counter).toString(16).padStart(bytes * 2, "0");
  return createGauge({
    database,
    catalogue: () => catalogue,
    synthesis: model === null
      ? synthesis
      : createModel({ sql: database.sql, settings: model, clock, log: silentLog, fetch, random }),
    source: demoSearch(database.sql),
    findKinds,
    readLive: () => Promise.resolve([]),
    inRegistry: () => false,
    shownSince: () => null,
    storeLivePosts: () => Promise.resolve(),
    clock,
    log: silentLog,
    random,
    ...parts,
  });
}

/** Settings for a model double. */
export function modelAt(baseUrl: string) {
  return {
    apiKey: "sk-test",
    baseUrl,
    name: "double",
    timeoutMs: 5_000,
    dailyBudgetUsd: null,
    priceInUsdPerM: 1,
    priceOutUsdPerM: 10,
  };
}

/** A post found live with what it says. */
export function liveSignal(id: string, title: string, parts: Partial<Post> = {}): LiveSignal {
  const post: Post = {
    id,
    community: "elsewhere",
    title,
    body: "",
    author: "someone",
    createdAt: NOW,
    upvotes: 7,
    comments: 2,
    permalink: `https://example.com/${id}`,
    ...parts,
  };
  const kind = "kettle";
  return {
    post,
    signal: {
      postId: id,
      pattern: "recommendation_request",
      also: null,
      category: "kitchen",
      product: kind,
      kind,
      facts: [],
      intensity: 2,
      wtp: 1,
      confidence: 0.8,
      quote: title,
      authorKey: bytesAsHex(id),
      textKey: bytesAsHex(id),
      upvotes: post.upvotes,
      createdAt: post.createdAt.toISOString(),
      ruledOut: [],
      unsaid: [],
      said: [],
      readBy: "test",
    },
    stated: { wants: [], statements: [] },
  };
}

/** The verdict on a query, by the real lexicon. */
export const askOn = (database: Database, query: string, category: string | null = null) =>
  gaugeOn(database, { findKinds: findListedKinds }).gauge({ query, category }, NEVER);

/** Dollars spent on the model, or set aside, on the day of `now`, the last there is. */
export async function spentToday(sql: Queryable, now: Date): Promise<number> {
  const days = await modelSpendSince(sql, now);
  return days.reduce((all, { usd }) => all + usd, 0);
}
