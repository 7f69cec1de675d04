/** What tests of the gauge are made of: a small corpus, a catalogue over it, and a gauge on both. */
import { DAY_MS } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import { modelSpendSince } from "../../db/corpus/model_spend.ts";
import { BOUNDS } from "../../db/matching/mod.ts";
import { type Database, json, type Queryable, type Sql } from "../../db/sql.ts";
import { matchCorpus } from "../../gauge/match/corpus.ts";
import { createGauge, type Gauge } from "../../gauge/mod.ts";
import type { GaugeOptions, LiveSignal, Match, Verdict } from "../../gauge/types.ts";
import type { FindKinds } from "../../gauge/query/head.ts";
import { findKinds as findListedKinds } from "../../gauge/query/kinds.ts";
import { type ReadQuery, readQuery } from "../../gauge/query/read.ts";
import { demoSearch } from "../../mining/demo/search.ts";
import type { CardFacts } from "../../mining/opportunities/facts.ts";
import type { Card, Catalogue } from "../../mining/cards/types.ts";
import type { Level, Post } from "../../mining/types.ts";
import { createSynthesis } from "../../gauge/synthesis/mod.ts";
import type { SynthesisRequest, Synthesize } from "../../gauge/synthesis/types.ts";
import { createModel, type ModelOptions, type ModelSettings } from "../../model/mod.ts";
import { factsOf } from "../../gauge/score/verdict_facts.ts";
import { effectivePeople } from "../../gauge/score/verdict_score.ts";

export const AS_OF = new Date("2030-06-01T00:00:00.000Z");
export const NOW = new Date("2030-06-01T12:00:00.000Z");
/** Of a caller that waits for the answer. */
export const NEVER = new AbortController().signal;

export interface Seed {
  readonly id: string;
  readonly title: string;
  readonly quote: string;
  readonly kind: string;
  readonly product?: string;
  readonly category?: string;
  readonly card?: string;
  readonly intensity?: Level;
  readonly wtp?: Level;
  readonly upvotes?: number;
  readonly ageDays?: number;
  readonly authorKey?: string;
  readonly text?: string;
  /** What it states: type and value. */
  readonly facts?: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly community?: string;
  /** Stems of what it rules out. */
  readonly ruledOut?: readonly string[];
  /** Stems of what is not its author's. */
  readonly unsaid?: readonly string[];
}

/** A small corpus of several kinds. */
export const POSTS: readonly Seed[] = [
  { id: "l1", kind: "laptop", title: "Laptop for college", quote: "I need one that is light." },
  { id: "l2", kind: "laptop", title: "My laptop is slow", quote: "It takes minutes to start." },
  { id: "m1", kind: "laptop", title: "A new MacBook?", quote: "The hinge of my macbook broke." },
  { id: "g1", kind: "electric guitar", title: "First guitar", quote: "Which guitar for 200?" },
  {
    id: "u1",
    kind: "electric guitar",
    product: "ukulele",
    title: "Ukulele that stays in tune",
    quote: "Mine never does.",
  },
  { id: "c1", kind: "phone case", title: "Phone case", quote: "Every phone case cracks." },
  { id: "p1", kind: "phone", title: "Phone with big keys", quote: "For my father." },
  { id: "t1", kind: "toaster", title: "A toaster to keep", quote: "I want one built to last." },
  { id: "t2", kind: "toaster", title: "Toaster for bagels", quote: "The slots are narrow." },
  { id: "s1", kind: "couch", title: "Couch for two", quote: "Where do I find one?" },
  { id: "k1", kind: "mechanical keyboard", title: "Silent switches", quote: "Mine is too loud." },
  { id: "k2", kind: "keyboard", title: "Keyboard for a tv", quote: "It must be wireless." },
  {
    id: "b1",
    kind: "backpack",
    title: "Backpack for college",
    quote: "It should be waterproof and durable.",
  },
];

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

/** The bytes of a text as hex. */
export const hex = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Stores signals and their posts, one of each a seed. */
export async function seed({ sql }: Database, seeds: readonly Seed[]): Promise<void> {
  for (const s of seeds) {
    const created = new Date(AS_OF.getTime() - (s.ageDays ?? 10) * DAY_MS);
    const want = s.card ?? `opp_${s.kind.replaceAll(" ", "")}`;
    const facts = (s.facts ?? []).map(([t, v]) => ({ t, v, s: 0, e: 1, c: 0.9 }));
    await sql`insert into posts (id, community, title, body, upvotes, comments, permalink, created_at,
        origin)
      values (${s.id}, ${s.community ?? "things"}, ${s.title}, ${s.body ?? s.quote}, ${
      s.upvotes ?? 5
    }, 1,
        ${`https://example.com/${s.id}`}, ${created}, 'archive')`;
    await sql`insert into signals (post_id, pattern, category, product, kind, facts, intensity, wtp,
        confidence, quote, voice, text_key, upvotes, created_at, versions, ruled_out, unsaid)
      values (${s.id}, 'frustration', ${s.category ?? "kitchen"},
        ${s.product ?? s.kind}, ${s.kind}, ${json(sql, facts)}, ${s.intensity ?? 2}, ${
      s.wtp ?? 1
    }, 0.9, ${s.quote},
        decode(${hex(s.authorKey ?? s.id)}, 'hex'), decode(${hex(s.text ?? s.id)}, 'hex'),
        ${s.upvotes ?? 5}, ${created}, 'test', ${[...(s.ruledOut ?? [])]},
        ${[...(s.unsaid ?? [])]})`;
    await sql`insert into wants (id, kind, value) values (${want}, ${s.kind}, 'v') on conflict do nothing`;
    await sql`insert into want_statements (want_id, post_id, author, text_key, created_at)
      values (${want}, ${s.id}, decode(${hex(s.authorKey ?? s.id)}, 'hex'),
        decode(${hex(s.text ?? s.id)}, 'hex'), ${created})`;
  }
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["headphones", "headphones"],
  ["earbuds", "earphones"],
  ["earphones", "earphones"],
  ["iem", "earphones"],
  ["kettle", "kettle"],
  ["kettles", "kettle"],
  ["boots", "boots"],
  ["mouse", "computer mouse"],
  ["router", "router"],
]);

/** A lexicon of a few words. */
export const findKinds: FindKinds = (words) =>
  words.flatMap((word, i) => {
    const kind = KINDS.get(word);
    return kind === undefined ? [] : [{ start: i, end: i + 1, kinds: [kind] }];
  });

/** A query as it is read, and what matches it. */
export async function lookFor(
  { sql }: Database,
  query: string,
  kinds: FindKinds,
  category: string | null = null,
  bounds = BOUNDS,
): Promise<{ readonly read: ReadQuery; readonly matches: readonly Match[] }> {
  const read = await readQuery(sql, { query, category }, kinds);
  return { read, matches: (await matchCorpus(sql, read, null, bounds)).matches };
}

/** Ids of matches, in order. */
export const idsOf = (matches: readonly Match[]): string[] =>
  matches.map(({ postId }) => postId).sort();

/** Dollars spent on the model, or set aside, on the day of `now`, the last there is. */
export async function spentToday(sql: Queryable, now: Date): Promise<number> {
  const days = await modelSpendSince(sql, now);
  return days.reduce((all, { usd }) => all + usd, 0);
}

const NO_FACTS: CardFacts = {
  product: "kettle",
  want: { type: "problem", value: "leaks" },
  narrowedBy: null,
  authors: 5,
  askingForProduct: 5,
  budgets: [],
  wouldPayMore: 0,
  cheap: 0,
  alsoWanted: [],
  failures: [],
  unmet: { authors: 0, marketShare: 0 },
  users: [],
  brands: { rejected: [], owned: [], considered: [] },
  places: [],
  covers: [],
};

function card(id: string, category: string): Card {
  return {
    id,
    slug: `slug-${id.slice(4)}`,
    title: id,
    category,
    score: 42.5,
    freqScore: 40,
    intensityScore: 40,
    wtpScore: 40,
    productAngle: "",
    summary: "",
    signalCount: 5,
    distinctAuthors: 5,
    authorsKnown: true,
    firstSeen: AS_OF.toISOString(),
    lastSeen: AS_OF.toISOString(),
    evidence: [],
    evidenceIds: [],
    facts: NO_FACTS,
    scoring: {
      version: "1",
      components: { frequency: 0.4, intensity: 0.4, wtp: 0.4 },
      weights: { frequency: 0.5, intensity: 0.25, wtp: 0.25 },
      patterns: {},
    },
    signals7d: 0,
    signals28d: 0,
    lastUpdated: AS_OF.toISOString(),
  };
}

/** A catalogue with active cards of these ids, all in `kitchen`. */
export function catalogueOf(cards: readonly string[] = [], mined = true): Catalogue {
  const all = cards.map((id) => card(id, "kitchen"));
  return {
    revision: mined ? 1 : 0,
    builtAt: AS_OF.toISOString(),
    asOf: AS_OF.toISOString(),
    lastMinedAt: mined ? AS_OF.toISOString() : null,
    signalCount: mined ? 100 : 0,
    dataFrom: null,
    dataTo: null,
    warming: all.length === 0,
    demonstration: false,
    categories: ["audio", "kitchen"].map((slug) => ({
      slug,
      title: slug,
      opportunityCount: 0,
      topScore: 0,
      lastUpdated: AS_OF.toISOString(),
      newestPost: null,
    })),
    cards: all,
    inCategory: (slug) => all.filter(({ category }) => category === slug),
    byId: (id) => all.find((entry) => entry.id === id),
    bySlug: (slug) => all.find((entry) => entry.slug === slug),
    sample: null,
  };
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
  const catalogue = catalogueOf();
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

/** A synthesis by the model that these options make. */
export function synthesisBy(options: ModelOptions): Synthesize {
  return createSynthesis(createModel(options), options.log);
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

/** A match with the given parts; the rest is ordinary. */
export function match(parts: Partial<Match> & { readonly postId: string }): Match {
  return {
    wantIds: [],
    also: null,
    pattern: "frustration",
    category: "kitchen",
    product: "kettle",
    kind: "kettle",
    intensity: 2,
    wtp: 1,
    confidence: 0.9,
    quote: `Why do kettles leak, says ${parts.postId}`,
    title: "Kettles that leak",
    permalink: `https://example.com/${parts.postId}`,
    community: "things",
    upvotes: 5,
    createdAt: new Date(AS_OF.getTime() - 10 * DAY_MS),
    authorKey: `author of ${parts.postId}`,
    textKey: parts.postId,
    relevance: 1,
    head: 1,
    covered: 1,
    met: 1,
    ...parts,
  };
}

/** A request for a synthesis over these matches. */
export function requestOf(matches: readonly Match[], query = "kettle that does not leak") {
  const request: SynthesisRequest = {
    query,
    category: null,
    facts: {
      funnel: {
        ...VERDICT.funnel,
        product: "kettle",
        askingForProduct: matches.length,
        wants: [{ want: "not leak", count: matches.length }],
        statingAll: matches.length,
        communities: 1,
      },
      readAs: null,
      corrected: [],
      implied: [],
      aside: [],
      unexchanged: null,
      elsewhere: [],
      granted: { wants: [], communities: [] },
      nearest: null,
      ...factsOf(matches, AS_OF, {
        asAsked: effectivePeople(matches, 1, AS_OF),
        wanted: 1,
        live: new Set(),
        now: NOW,
      }),
    },
    formula: 40,
    evidence: matches,
  };
  return request;
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
      authorKey: hex(id),
      textKey: hex(id),
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

/** What matches a query, by the real lexicon. */
export const matchesOn = async (database: Database, query: string): Promise<readonly Match[]> =>
  (await lookFor(database, query, findListedKinds)).matches;

/** A query as it is read, by the real lexicon. */
export const readOn = (sql: Sql, query: string): Promise<ReadQuery> =>
  readQuery(sql, { query, category: null }, findListedKinds);

/** What a query asks of its product, by name. */
export const wantsOn = async (sql: Sql, query: string): Promise<string[]> =>
  (await readOn(sql, query)).plan.wants.map(({ name }) => name);

/** Those who want it as asked, or near. */
export const idsAsked = async (database: Database, query: string): Promise<string[]> =>
  idsOf(
    (await matchesOn(database, query))
      .filter(({ relevance, head }) => head >= 0.5 && relevance >= 0.5),
  );

/** The verdict on a query, by the real lexicon. */
export const askOn = (database: Database, query: string, category: string | null = null) =>
  gaugeOn(database, { findKinds: findListedKinds }).gauge({ query, category }, NEVER);
