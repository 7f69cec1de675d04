/** From matches to a verdict: funnel, score, evidence, related cards, and the model's part. Knows no database. */
import type { QueryPlan } from "../db/matching/plan.ts";
import type { Pattern } from "../mining/types.ts";
import { singular } from "../mining/lexicon/grammar.ts";
import { asEvidence } from "../mining/cards/evidence.ts";
import type { Catalogue, DataSpan } from "../mining/cards/types.ts";
import { unconfirmedMatches } from "../mining/cards/queries.ts";
import { namesProduct } from "./match/evidence.ts";
import {
  asideNames,
  askedBits,
  type Counted,
  funnelOf,
  grantedIn,
  isMet,
  nearestTo,
  wantedBits,
} from "./match/funnel.ts";
import type { ReadQuery } from "./query/read.ts";
import type { Unasked } from "./query/said/unasked.ts";
import { elsewhereNote, type Facts, factsOf } from "./score/verdict_facts.ts";
import {
  effectivePeople,
  scoreOfPeople,
  shiftedScore,
  strength,
  temperature,
} from "./score/verdict_score.ts";
import type { Synthesize } from "./synthesis/types.ts";
import type { GaugeInput } from "./input.ts";
import type { Funnel, Match, RelatedOpportunity, Verdict } from "./types.ts";

/** Posts that the model sees and may point at. */
const SHOWN = 12;
const MAX_RELATED = 5;
/** How relevant evidence and related cards are at least, as a share of the best match's relevance. */
const EVIDENCE_SHARE = 0.7;
const RELATED_SHARE = 0.5;
/**
 * Where fewer posts than this are so relevant, the first `FEW` are shown of those that have at least the smaller share:
 * the two nearest, and the third if no other of them states more of the wants.
 */
const FEW = 3;
const NEAREST = 2;
const NEAREST_SHARE = 0.3;
/** Of evidence with less than these readers found the product wanted in a third of the cases. */
const LEAST_RELEVANCE = 0.15;
const LEAST_CONFIDENCE = 0.6;
/**
 * Matches that are about the product by less than this want other ones. They are shown where they state what is asked
 * of the product, so much of it at least.
 */
const OTHER_PRODUCT = 0.3;
const HALF = 0.5;
/** Matches that are about the product by so much are of those who want it, though they state nothing that is asked. */
const SAME_PRODUCT = 0.9;

interface Material {
  readonly input: GaugeInput;
  readonly query: ReadQuery;
  readonly found: Counted;
  /** The clock that ages count from. */
  readonly asOf: Date;
  /** When the verdict is computed. */
  readonly now: Date;
  /** Demand signals that were looked through, and how that is said. */
  readonly signals: number;
  readonly searched: string;
}

/** Replaces the quotes of matches by the sentences that show best what was asked. */
export type EvidenceQuote = (matches: readonly Match[]) => Promise<readonly Match[]>;

/** What evidence is worth whose title does not name the product, and that calls the product otherwise. */
const UNTITLED = 0.6;
const OTHERWISE = 0.85;

/** What it is worth where its author tells of something rather than asks for it, and where no money is spoken of. */
const TOLD = 0.5;
const FREE = 0.5;
const TELLING: ReadonlySet<string> = new Set<Pattern>([
  "frustration",
  "workaround",
  "repeat_failure",
]);

/** How plainly a post asks for the product, beside what it states: by its title, what it calls it, and how it asks. */
function plainness(
  { title, product, pattern, wtp, confidence }: Match,
  plan: QueryPlan,
  name: string,
): number {
  const own = name.toLowerCase().split(/[\s-]+/).map(singular);
  const called = new Set(product.toLowerCase().split(/[\s-]+/).map(singular));
  return (namesProduct(title, plan) ? 1 : UNTITLED) *
    (own.every((word) => called.has(word)) ? 1 : OTHERWISE) *
    (TELLING.has(pattern) ? TOLD : 1) * (wtp === 0 ? FREE : 1) * confidence ** 2;
}

/** Those who want most of what was asked first, one of each person and text. */
export function nearestFirst(
  matches: readonly Match[],
  asOf: Date,
  { plan, product }: Pick<ReadQuery, "plan" | "product">,
): Match[] {
  const seen = new Set<string>();
  return matches
    .map((match) => ({ match, strength: strength(match, asOf) * plainness(match, plan, product) }))
    .sort((a, b) => b.strength - a.strength || (a.match.postId < b.match.postId ? -1 : 1))
    .map(({ match }) => match).filter(({ authorKey, textKey }) => {
      const keys = [`v${authorKey}`, `t${textKey}`];
      if (keys.some((key) => seen.has(key))) return false;
      keys.forEach((key) => seen.add(key));
      return true;
    });
}

/**
 * Whether readers mostly find that a post wants what was asked: it states a part of it, was surely read as a request,
 * and does more than get by with something else.
 */
function tells({ head, relevance, confidence, pattern }: Match, { wants }: QueryPlan): boolean {
  return relevance >= LEAST_RELEVANCE && confidence >= LEAST_CONFIDENCE &&
    pattern !== "workaround" &&
    (head >= OTHER_PRODUCT || (wants.length > 0 && relevance >= HALF * head));
}

/**
 * Those of the nearest that may be shown, with their quotes: all that tell of it and state most of what the best one
 * does, else a few. Where none tells of it, one alone that is about the product or states anything: what only shares a
 * word with the query would be no evidence.
 */
export async function evidenceOf(
  nearest: readonly Match[],
  plan: QueryPlan,
  quote: EvidenceQuote,
): Promise<readonly Match[]> {
  const printable = nearest.filter(({ withheld }) => withheld !== true);
  const telling = printable.filter((match) => tells(match, plan));
  const among = telling.length > 0
    ? telling
    : printable.filter(({ head, met }) => head >= SAME_PRODUCT || met > 0);
  const best = Math.max(0, ...among.map(({ relevance }) => relevance));
  const from = (share: number): Match[] =>
    among.filter(({ relevance }) => relevance >= share * best);
  const stated = ({ met }: Match): number => plan.wants.filter((_, i) => isMet(met, i)).length;
  const most = Math.max(0, ...among.map(stated));
  const stating = from(EVIDENCE_SHARE);
  const shown = await quote(
    stating.length < FEW
      ? from(NEAREST_SHARE).slice(0, FEW).filter((match, i) => i < NEAREST || stated(match) >= most)
      : stating.slice(0, SHOWN),
  );
  const quotes = shown.map((match) => match.quote);
  const apart = shown.filter((match, i) => quotes.indexOf(match.quote) === i);
  return telling.length > 0 ? apart : apart.slice(0, 1);
}

/** Cards of wants that the nearest matches state, those with the most of them behind them first. */
function relatedOpportunities(
  matches: readonly Match[],
  catalogue: Catalogue,
  category: string | null,
): RelatedOpportunity[] {
  const floor = RELATED_SHARE * Math.max(0, ...matches.map(({ relevance }) => relevance));
  const weights = new Map<string, number>();
  for (const { relevance, wantIds } of matches) {
    if (relevance < floor) continue;
    const cards = new Set(wantIds.map((id) => catalogue.byId(id)));
    for (const card of cards) {
      if (card === undefined || (category !== null && card.category !== category)) continue;
      weights.set(card.id, (weights.get(card.id) ?? 0) + relevance);
    }
  }
  return [...weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_RELATED)
    .flatMap(([id]) => {
      const card = catalogue.byId(id);
      return card === undefined ? [] : [{ slug: card.slug, title: card.title, score: card.score }];
    });
}

function spanOfMatches(matches: readonly Match[]): DataSpan {
  const times = matches.map(({ createdAt }) => createdAt.getTime());
  return {
    dataFrom: new Date(Math.min(...times)).toISOString(),
    dataTo: new Date(Math.max(...times)).toISOString(),
  };
}

/** Why a query asks for no product, in words. */
const UNASKED: Readonly<Record<Unasked, string>> = {
  owned: "it is about one that somebody has or uses",
  unwanted: "it says that none is wanted",
};

/** Why nothing was found, in words. */
function nothingFound(
  { query: { product, service, unasked, unknownWords, elsewhere }, searched, asOf }: Material,
  { dataTo }: Catalogue,
): string {
  if (unasked !== null) {
    return `This query asks for no product: ${UNASKED[unasked]}. No signal was counted for it.`;
  }
  if (service !== null) {
    return `This query asks for no physical product ("${service}"), and verdicts are about physical ` +
      "products alone. No signal was counted for it.";
  }
  if (product === "") {
    return "This query names no product that could be looked for. No signal was counted for it.";
  }
  const words = unknownWords.map((word) => `"${word}"`).join(", ");
  const missing = unknownWords.length === 0
    ? ""
    : ` No product, quote or title in it has the ${
      unknownWords.length === 1 ? "word" : "words"
    } ${words}; posts are in English.`;
  return `There is no data on "${product}" among ${searched}, the newest of ${
    (dataTo ?? asOf.toISOString()).slice(0, 10)
  }.${missing}${elsewhereNote(product, elsewhere)} That says nothing for or against demand.`;
}

/** The facts of a verdict on a query: `people` are the matches, one of each; `asAsked` is what they all count, in people. */
export function factsFor(
  query: ReadQuery,
  found: Counted,
  people: readonly Match[],
  { funnel, asAsked, asOf, now }: Pick<Material, "asOf" | "now"> & {
    readonly funnel: Funnel;
    readonly asAsked: number;
  },
): Facts {
  return {
    funnel,
    readAs: query.readAs,
    corrected: query.corrected,
    implied: query.implied,
    aside: [...asideNames(query.plan), ...query.unused],
    unexchanged: query.unexchanged,
    elsewhere: query.elsewhere,
    granted: grantedIn(query.plan, people),
    nearest: nearestTo(query, found, funnel),
    ...factsOf(people, asOf, {
      asAsked,
      wanted: wantedBits(query.plan),
      live: new Set(found.live.map(({ postId }) => postId)),
      now,
    }),
  };
}

/** The verdict on a query that nothing matches: cold, and no question for a model. */
function coldVerdict(material: Material, funnel: Funnel, catalogue: Catalogue): Verdict {
  return {
    query: material.input.query,
    verdictScore: 0,
    demandTemperature: "cold",
    rationale: nothingFound(material, catalogue),
    funnel,
    topEvidence: [],
    relatedOpportunities: [],
    cache: "miss",
    fetchedAt: material.now.toISOString(),
    dataFrom: catalogue.dataFrom,
    dataTo: catalogue.dataTo,
    evidenceIds: [],
  };
}

/**
 * Weighs the matches and has them put into words.
 * @throws what `synthesize` throws, and `source_unavailable` where every quote is withheld.
 */
export async function makeVerdict(
  material: Material,
  catalogue: Catalogue,
  quote: EvidenceQuote,
  synthesize: Synthesize,
  signal: AbortSignal,
): Promise<Verdict> {
  const { input, query, found, asOf, now } = material;
  const all = [...found.matches, ...found.live];
  const funnel = funnelOf(query, found, material.signals);
  if (all.length === 0) return coldVerdict(material, funnel, catalogue);
  const people = nearestFirst(all, asOf, query);
  if (people.every(({ withheld }) => withheld === true)) throw unconfirmedMatches();
  const evidence = await evidenceOf(people, query.plan, quote);
  const asAsked = effectivePeople(all, askedBits(query.plan), asOf);
  const formula = scoreOfPeople(asAsked);
  const { shift, rationale, picks } = await synthesize({
    query: input.query,
    category: input.category,
    facts: factsFor(query, found, people, { funnel, asAsked, asOf, now }),
    formula,
    evidence,
  }, signal);
  const picked = picks.flatMap((i) => evidence[i] ?? []);
  const score = shiftedScore(formula, shift);
  return {
    query: input.query,
    verdictScore: score,
    demandTemperature: temperature(score),
    rationale,
    funnel,
    topEvidence: picked.map(asEvidence),
    relatedOpportunities: relatedOpportunities(all, catalogue, input.category),
    cache: "miss",
    fetchedAt: now.toISOString(),
    ...spanOfMatches(all),
    evidenceIds: [...new Set([...picked, ...evidence].map(({ postId }) => postId))],
  };
}
