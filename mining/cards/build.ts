/** Makes the card of a want from its counts: a pure function of the counts and the day. */
import type { ShownPost } from "../../db/corpus/showings.ts";
import type { ShownStatement, WantSize } from "../../db/corpus/want_counts.ts";
import { DAY_MS } from "../../core/clock.ts";
import { cardText } from "./text.ts";
import { capital, spelledAsIn } from "./text_noun.ts";
import type { Card, Makers } from "./types.ts";
import {
  components,
  compositeScore,
  SCORE_VERSION,
  type ScoredEvidence,
  WEIGHTS,
} from "./score.ts";
import { type Pattern, PATTERNS } from "../types.ts";
import { budgetsOf, type Counts, sumsOf } from "../opportunities/counts.ts";
import { type CardFacts, factsOnly } from "../opportunities/facts.ts";
import { countedFacts, teaches, type WantCounts } from "./eligibility.ts";
import { valuesOf } from "../opportunities/ids.ts";
import {
  asEvidence,
  borneOut,
  chooseEvidence,
  holds,
  ownWords,
  QUOTED,
  saidByAuthors,
} from "./evidence.ts";

const DORMANT_DAYS = 90;
/** Most quotes of those who made something for the want. */
const MAKERS_QUOTED = 3;

/** A card as it is made, before it has an id; it may be listed, or dormant. */
export type CardDraft =
  & Omit<Card, "id" | "slug" | "lastUpdated" | "facts">
  & { readonly facts: CardFacts }
  & { readonly state: "active" | "dormant" };

/** Everything a card is made of: what is counted of its want, when the want is stated, and the posts that show it. */
export interface ShownWant extends WantCounts {
  readonly size: WantSize;
  /** The best first. */
  readonly shown: readonly ShownStatement[];
  /** Posts of authors who made do, the newest first. */
  readonly showings: readonly ShownPost[];
}

/**
 * The moment at or before which a want's newest statement makes it dormant: 90 times 24 hours
 * before `asOf`.
 */
export function dormantSince(asOf: Date): Date {
  return new Date(asOf.getTime() - DORMANT_DAYS * DAY_MS);
}

/** A component of four decimals as it is served, with nothing lost: the score can be recomputed from it. */
const hundredfold = (component: number): number => Math.round(component * 10_000) / 100;

/**
 * The card of a want, scored, with words and quotes, as of the corpus clock `asOf`; null for one
 * that would teach a maker nothing, or that too few quotes show. Pure.
 */
export function buildCard(want: ShownWant, asOf: Date): CardDraft | null {
  const { authors, own, market, size } = want;
  const counted = countedFacts(want);
  if (counted === null) return null;
  const shown = ownWords(want.kind, own.of("product").map(({ value }) => value), want.shown);
  const isSaid = (value: string): boolean => saidByAuthors(value, want.shown, shown);
  const isTrue = (value: string): boolean => isSaid(value) && holds(value, want.shown);
  if (!valuesOf(want.value).every(isTrue)) return null;
  const facts = factsOnly(counted, ({ value }) => isSaid(value));
  const evidence = chooseEvidence(want.value, shown, facts);
  if (evidence.length < QUOTED.least) return null;
  const told = borneOut(facts, evidence);
  if (!teaches(want, facts, told)) return null;
  const text = cardText(told, {
    authorsKnown: size.authorsKnown,
    firstSeen: size.firstSeen,
    lastSeen: size.lastSeen,
  });
  const spell = spelledAsIn(shown.map(({ text }) => text), valuesIn(told));
  const parts = components({
    months: own.of("month"),
    authors,
    listed: listedAs(facts),
    unmet: facts.unmet.authors,
    unmetShare: facts.unmet.marketShare,
    failed: facts.failures.reduce((sum, failure) => sum + failure.authors, 0),
    intensity: meanLevel(own),
    marketIntensity: meanLevel(market),
    budgets: budgetsOf(own.of("price"))[0] ?? null,
    marketMedian: facts.budgets[0]?.marketMedian ?? null,
    asking: facts.askingForProduct,
    naming: namingOf(own),
    marketNaming: market.total === 0 ? 0 : namingOf(market) / market.total,
    payingMore: facts.wouldPayMore,
    cheap: facts.cheap,
  }, asOf);
  return {
    state: size.lastSeen > dormantSince(asOf) ? "active" : "dormant",
    title: capital(spell(text.title)),
    summary: spell(text.summary),
    productAngle: spell(text.productAngle),
    category: own.of("category")[0]?.value ?? "",
    score: compositeScore(parts),
    freqScore: hundredfold(parts.frequency),
    intensityScore: hundredfold(parts.intensity),
    wtpScore: hundredfold(parts.wtp),
    signalCount: authors,
    distinctAuthors: authors,
    authorsKnown: size.authorsKnown,
    firstSeen: size.firstSeen.toISOString(),
    lastSeen: size.lastSeen.toISOString(),
    evidence: evidence.map(asEvidence),
    evidenceIds: evidence.map(({ postId }) => postId),
    facts,
    makers: makersOf(want.showings),
    scoring: {
      version: SCORE_VERSION,
      components: parts,
      weights: WEIGHTS,
      patterns: Object.fromEntries(
        PATTERNS.map((pattern): [Pattern, number] => [pattern, own.authors("pattern", pattern)])
          .filter(([, number]) => number > 0),
      ),
    },
    signals7d: size.days7,
    signals28d: size.days28,
  };
}

/** What kind of `spec` a want is; null where it, or what narrows it, is none. */
function listedAs({ want, narrowedBy }: CardFacts): ScoredEvidence["listed"] {
  const stated = [want, narrowedBy].filter((one) => one !== null);
  if (!stated.every(({ type }) => type === "spec")) return null;
  return stated.every(({ value }) => /\d/.test(value)) ? "measure" : "part";
}

/** All that a card's words may name beside brands, which have their makers' spelling. */
const valuesIn = ({ want, narrowedBy, alsoWanted, users }: CardFacts): string[] =>
  [want, narrowedBy, ...alsoWanted, ...users].flatMap((one) => one?.value ?? []);

/** How many name a sum. */
const namingOf = (counts: Counts): number =>
  sumsOf(counts.of("price")).reduce((total, { authors }) => total + authors, 0);

/** Mean intensity, 0-3. */
function meanLevel(counts: Counts): number {
  const levels = counts.of("intensity");
  const total = levels.reduce((sum, { authors }) => sum + authors, 0);
  return total === 0
    ? 0
    : levels.reduce((sum, { value, authors }) => sum + Number(value) * authors, 0) / total;
}

/** The makers among the authors of these posts, the newest post first; null if there is none. */
function makersOf(posts: readonly ShownPost[]): Makers | null {
  const ofEach = [
    ...new Map(posts.toReversed().map((post) => [post.authorKey, post])).values(),
  ].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.postId < b.postId ? -1 : 1));
  const [newest] = ofEach;
  if (newest === undefined) return null;
  const quoted = ofEach.slice(0, MAKERS_QUOTED);
  return {
    makers: ofEach.length,
    newest: newest.createdAt.toISOString(),
    evidence: quoted.map(asEvidence),
    postIds: quoted.map(({ postId }) => postId),
  };
}
