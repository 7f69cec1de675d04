/** From what is counted of a want to its card: a pure function, the same for the same counts and day. */
import type { ShownStatement, WantSize } from "../../db/corpus/wants.ts";
import { DAY_MS } from "../../core/clock.ts";
import { cardText } from "./text.ts";
import type { Card } from "./types.ts";
import { components, compositeScore, SCORE_VERSION, WEIGHTS } from "../score.ts";
import type { FactType } from "../extract/types.ts";
import { type Pattern, PATTERNS } from "../types.ts";
import { budgetsOf, type Counts } from "../opportunities/counts.ts";
import { type CardFacts, cardFacts } from "../opportunities/facts.ts";

const DORMANT_DAYS = 90;
const EVIDENCE = 8;
/** A quote that shows less of the want than this is shown only where there are few better ones. */
const SHOWN = 600;
const EVIDENCE_LEAST = 3;
/** A quote that shows less than this shows nothing. */
const SHOWN_AT_ALL = 350;
/** So many counted facts beside its want make a card that teaches something. */
const LEAST_FACTS = 4;
/** Two people who are failed by the same thing. */
const TELLING = 2;
/** So many sums, this far from the kind's median (a logarithm), are a gap in price. */
const PRICED = 4;
const PRICE_GAP = 0.25;
/** What they ask for so much more often than others of the kind is a gap in build. */
const BUILD_LIFT = 1.6;
const BUILT = 3;
/**
 * What says for whom, for what or beside what, and not what to build: such a want teaches only where it is asked
 * of this kind far more than of others, and in a market that is large enough to show gaps, where two of them do.
 */
const CIRCUMSTANCES: ReadonlySet<FactType> = new Set<FactType>(["use", "user", "compat"]);
/** A want that more than this share of all who ask for the kind state is what the kind is. */
const MOST_SHARE = 0.5;
/** Of a smaller market nobody can say so. */
const MARKET_LEAST = 100;
/** A want that is asked of other kinds nearly as often is no want of this one. */
const LEAST_LIFT = { build: 1.3, circumstance: 2 } as const;
/** A circumstance that this share of those who want other kinds state ("beginner", "gaming") is nobody's own. */
const COMMON = 0.015;
/** So many who want other kinds tell how often it is asked of them. */
const OTHERS_LEAST = 1_000;

export type CardDraft =
  & Omit<Card, "id" | "slug" | "lastUpdated" | "facts">
  & { readonly facts: CardFacts }
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
  const { authors, own, market, size, askingForProduct } = want;
  const facts = cardFacts(want, own, market, askingForProduct);
  if (!teaches(want, facts)) return null;
  const evidence = chooseEvidence(want.shown);
  if (evidence.length < EVIDENCE_LEAST) return null;
  const text = cardText(facts, {
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
 * Whether a maker learns something: the want is asked of this kind more than of anything, the kind's name
 * does not say it already, and beside it stand what fails them, or a gap in price or in build.
 */
function teaches(
  want: WantCounts,
  facts: CardFacts,
): boolean {
  if (saysItself(want.kind, want.value)) return false;
  if (want.authors > MOST_SHARE * want.askingForProduct && want.askingForProduct >= MARKET_LEAST) {
    return false;
  }
  const isCircumstance = CIRCUMSTANCES.has(facts.want.type);
  if (facts.want.type !== "problem" && isAskedOfAnything(want, isCircumstance)) return false;
  const gaps = [
    facts.failures.some((failure) => failure.authors >= TELLING),
    facts.budgets.some((budget) =>
      budget.authors >= PRICED && budget.marketMedian !== null &&
      Math.abs(Math.log(budget.median / budget.marketMedian)) >= PRICE_GAP
    ),
    facts.alsoWanted.some((other) =>
      other.type !== "use" && other.lift >= BUILD_LIFT && other.authors >= BUILT
    ),
  ].filter((gap) => gap).length;
  const beside = facts.failures.length + facts.budgets.length + facts.alsoWanted.length +
    facts.users.length + facts.brands.rejected.length + facts.brands.considered.length;
  const needed = isCircumstance && want.askingForProduct >= MARKET_LEAST ? 2 : 1;
  return beside >= LEAST_FACTS && gaps >= needed;
}

/** Whether those who want other kinds ask for the same about as often; false where too few are known. */
function isAskedOfAnything(
  { authors, askingForProduct, ofAnything }: WantCounts,
  isCircumstance: boolean,
): boolean {
  const others = ofAnything.total - askingForProduct;
  if (others < OTHERS_LEAST) return false;
  const base = Math.max(0, ofAnything.authors - authors) / others;
  if (isCircumstance && base > COMMON) return true;
  const lift = isCircumstance ? LEAST_LIFT.circumstance : LEAST_LIFT.build;
  return base > 0 && authors / askingForProduct < lift * base;
}

/** Whether each word of the value stands in the kind's name: "gaming" of a gaming headset. */
function saysItself(kind: string, value: string): boolean {
  const stems = new Set(kind.split(/[ -]/).map(stemOf));
  return value.split(/[ -]/).every((word) => stems.has(stemOf(word)));
}

const stemOf = (word: string): string => word.replace(/(?:ing|ers?|es|e|s)$/, "");

/** The quotes that show the want best; weak ones only where there are few. */
function chooseEvidence(shown: readonly ShownStatement[]): ShownStatement[] {
  return shown.filter(({ shown: worth }, place) =>
    worth >= (place < EVIDENCE_LEAST ? SHOWN_AT_ALL : SHOWN)
  )
    .slice(0, EVIDENCE);
}
