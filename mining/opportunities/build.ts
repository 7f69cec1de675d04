/** From what is counted of a want to its card: a pure function, the same for the same counts and day. */
import type { ShownStatement, WantSize } from "../../db/wants.ts";
import { DAY_MS } from "../../core/clock.ts";
import { cardText } from "../cards/text.ts";
import type { Card } from "../cards/types.ts";
import { components, compositeScore, SCORE_VERSION, WEIGHTS } from "../score.ts";
import { type Pattern, PATTERNS } from "../types.ts";
import { budgetsOf, type Counts } from "./counts.ts";
import { type CardFacts, cardFacts, liftOf } from "./facts.ts";

const DORMANT_DAYS = 90;
const EVIDENCE = 8;
/** A quote that shows less of the want than this is shown only where there are few better ones. */
const SHOWN = 450;
const EVIDENCE_LEAST = 3;
/** So many counted facts beside its want make a card that teaches something. */
const LEAST_FACTS = 3;
/** A want that is asked of anything is no want of this kind, unless what fails them is named. */
const LEAST_LIFT = 1.15;

export type CardDraft =
  & Omit<Card, "id" | "slug" | "lastUpdated">
  & { readonly state: "active" | "dormant" };

/** Everything a card is made of. */
export interface WantCounts {
  readonly kind: string;
  readonly value: string;
  readonly authors: number;
  readonly own: Counts;
  readonly market: Counts;
  /** Who want the kind at all. */
  readonly askingForProduct: number;
  /** Who state the same of any kind, and how many there are in all. */
  readonly ofAnything: { readonly authors: number; readonly total: number };
  readonly size: WantSize;
  /** The best first. */
  readonly shown: readonly ShownStatement[];
}

/** A want whose newest statement is of this moment or older is dormant: 90 times 24 hours, not whole days. */
export function dormantSince(asOf: Date): Date {
  return new Date(asOf.getTime() - DORMANT_DAYS * DAY_MS);
}

/** A component of four decimals as it is served, with nothing lost: the score can be recomputed from it. */
const hundredfold = (component: number): number => Math.round(component * 10_000) / 100;

/** The card of a want, as of the corpus clock; null for one that would teach a maker nothing. */
export function buildCard(want: WantCounts, asOf: Date): CardDraft | null {
  const { kind, authors, own, market, size, askingForProduct } = want;
  const facts = cardFacts(want, own, market, askingForProduct);
  if (!teaches(want, facts)) return null;
  const evidence = chooseEvidence(want.shown);
  if (evidence.length < EVIDENCE_LEAST) return null;
  const text = cardText(facts, {
    kind,
    authorsKnown: size.authorsKnown,
    firstSeen: size.firstSeen,
    lastSeen: size.lastSeen,
  });
  const parts = components({
    months: own.of("month"),
    authors,
    unmet: facts.unmet.authors,
    unmetShare: facts.unmet.marketShare,
    intensity: meanLevel(own),
    marketIntensity: meanLevel(market),
    budgets: budgetsOf(own.of("price"))[0] ?? null,
    marketMedian: facts.budgets[0]?.marketMedian ?? null,
    naming: facts.budgets.reduce((sum, budgets) => sum + budgets.authors, 0),
    payingMore: facts.wouldPayMore,
    cheap: facts.cheap,
  }, asOf);
  return {
    state: size.lastSeen > dormantSince(asOf) ? "active" : "dormant",
    ...text,
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
    evidence: evidence.map(({ quote, permalink, upvotes, community }) => ({
      quote,
      permalink,
      upvotes,
      subreddit: community,
    })),
    evidenceIds: evidence.map(({ postId }) => postId),
    facts,
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

/** Mean intensity, 0-3. */
function meanLevel(counts: Counts): number {
  const levels = counts.of("intensity");
  const total = levels.reduce((sum, { authors }) => sum + authors, 0);
  return total === 0
    ? 0
    : levels.reduce((sum, { value, authors }) => sum + Number(value) * authors, 0) / total;
}

/**
 * Whether a maker learns something: facts beside the want, the want asked of this kind more than of
 * anything, and what fails them or what they would spend or build apart from others of the kind.
 */
function teaches(
  { authors, askingForProduct, ofAnything }: WantCounts,
  facts: CardFacts,
): boolean {
  const named = facts.failures.length;
  const budgets = facts.budgets.filter((budget) => budget.authors >= 3).length;
  const telling =
    facts.alsoWanted.filter((other) => other.lift >= 1.5 && other.authors >= 2).length;
  const brands = facts.brands.rejected.length + facts.brands.owned.length +
    facts.brands.considered.length;
  const beside = named + budgets + facts.alsoWanted.length + facts.users.length + brands;
  if (beside < LEAST_FACTS) return false;
  const lift = liftOf(authors, askingForProduct, ofAnything.authors, ofAnything.total);
  if (lift < LEAST_LIFT && named === 0) return false;
  return named > 0 || budgets > 0 || telling > 0;
}

/** The quotes that show the want best; weak ones only where there are few. */
function chooseEvidence(shown: readonly ShownStatement[]): ShownStatement[] {
  return shown.filter(({ shown: worth }, place) => worth >= SHOWN || place < EVIDENCE_LEAST)
    .slice(0, EVIDENCE);
}
