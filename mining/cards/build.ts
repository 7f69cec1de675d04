/** From the signals of one cluster to its card: a pure function, the same for the same signals and day. */
import { DAY_MS } from "../../core/clock.ts";
import type { CardSignal, SignalTotals } from "../../db/signals.ts";
import { components, compositeScore, SCORE_VERSION, type Voice, WEIGHTS } from "../score.ts";
import { type Pattern, PATTERNS } from "../types.ts";
import { brandSuits } from "../want/brands.ts";
import { type CardFacts, cardText } from "./text.ts";
import type { Card } from "./types.ts";

/** A card reads its newest signals only: more add nothing to a score that is long saturated. */
export const WINDOW = 400;
/** Fewer signals, or fewer voices, and a cluster is still forming. */
const ACTIVE_SIGNALS = 3;
const ACTIVE_VOICES = 3;
/**
 * A post less likely than this to want what the card says is not counted, until a model confirms it: of
 * those below, three in four want something else, or nothing.
 */
export const LEAST_CERTAINTY = 0.25;
const DORMANT_DAYS = 90;
const EVIDENCE = 8;
/** So many quotes are given even if they show little; further ones only if they show the want. */
const EVIDENCE_LEAST = 3;
const SHOWN = 0.6;
const BRANDS = 6;

export type CardDraft =
  & Omit<Card, "id" | "slug" | "evidence" | "lastUpdated">
  & { readonly state: "forming" | "active" | "dormant" };

/** Whole days from `then` to `now`; 0 for the future. */
const daysBetween = (then: Date, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - then.getTime()) / DAY_MS));

/** A cluster whose newest signal is of this moment or older is dormant: 90 times 24 hours, not whole days. */
export function dormantSince(asOf: Date): Date {
  return new Date(asOf.getTime() - DORMANT_DAYS * DAY_MS);
}

/** Newest first, then by id: the order that decides whenever one of several must be taken. */
const newestFirst = (a: CardSignal, b: CardSignal): number =>
  b.createdAt.getTime() - a.createdAt.getTime() || (a.postId < b.postId ? -1 : 1);

/** One signal per text and one per voice, the newest of each: copies and repeats count once. */
export function distinctVoices(signals: readonly CardSignal[]): CardSignal[] {
  const texts = new Set<string>();
  const voices = new Set<string>();
  return signals.toSorted(newestFirst).filter(({ textKey, voice }) => {
    if (texts.has(textKey) || voices.has(voice)) return false;
    texts.add(textKey);
    voices.add(voice);
    return true;
  });
}

/** How likely a signal wants what its card says: that it is demand of its pattern, and for this kind. */
function certainty({ confidence, sureness }: CardSignal): number {
  return Math.round(1000 * confidence * sureness) / 1000;
}

/** The values by how often they occur, most often first, then alphabetically. */
function ranked(values: readonly string[]): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/** A component of four decimals as it is served, with nothing lost: the score can be recomputed from it. */
const hundredfold = (component: number): number => Math.round(component * 10_000) / 100;

function patternCounts(signals: readonly CardSignal[]): Record<Pattern, number> {
  const counts = Object.fromEntries(PATTERNS.map((p) => [p, 0])) as Record<Pattern, number>;
  for (const { pattern } of signals) {
    if (pattern in counts) counts[pattern as Pattern]++;
  }
  return counts;
}

/**
 * How well a signal shows the want: by its quote, and by how sure pattern and kind are. Votes break ties
 * only, since what is popular is often beside the point.
 */
function evidenceWeight(signal: CardSignal): number {
  const { confidence, sureness, shown, intensity, wtp, upvotes } = signal;
  const agreed = Math.log2(2 + Math.max(0, upvotes)) / 100;
  return Math.round(
    (2 * shown + confidence + sureness + 0.1 * intensity + 0.05 * wtp + agreed) * 1e6,
  );
}

/** The quotes that show the want best. Those that show it badly are left out where enough others do. */
function chooseEvidence(voices: readonly CardSignal[]): string[] {
  return voices.map((signal) => ({ signal, weight: evidenceWeight(signal) }))
    .sort((a, b) => b.weight - a.weight || newestFirst(a.signal, b.signal))
    .slice(0, EVIDENCE)
    .filter(({ signal }, place) => place < EVIDENCE_LEAST || signal.shown >= SHOWN)
    .map(({ signal }) => signal.postId);
}

/**
 * Makes a card of a cluster's newest signals (at most WINDOW of them). `totals` replaces what the window
 * cannot know for larger clusters; `asOf` is the corpus clock. Null for a cluster without signals.
 */
export function buildCard(
  signals: readonly CardSignal[],
  totals: SignalTotals | null,
  asOf: Date,
): CardDraft | null {
  const voices = distinctVoices(signals);
  const newest = voices[0];
  if (newest === undefined) return null;
  const oldest = signals.reduce((a, b) => b.createdAt < a.createdAt ? b : a);
  const patterns = patternCounts(voices);
  const category = ranked(voices.map((s) => s.category))[0]?.name ?? newest.category;
  // Signals keep the brands that the lists suited when they were read.
  const brands = ranked(voices.flatMap((signal) => signal.brands))
    .filter(({ name }) => brandSuits(name, { name: newest.kind, category })).slice(0, BRANDS);
  const signalCount = totals?.signals ?? new Set(signals.map((s) => s.textKey)).size;
  const distinctAuthors = Math.min(signalCount, totals?.voices ?? voices.length);
  const firstSeen = totals?.firstSeen ?? oldest.createdAt;
  const authorsKnown = voices.every(({ voice, textKey }) => voice !== textKey);
  const facts: CardFacts = {
    kind: newest.kind,
    product: ranked(voices.map((s) => s.product))[0]?.name ?? newest.product,
    need: newest.need,
    category,
    patterns,
    spoken: ranked(voices.flatMap((s) => s.spoken)),
    brands,
    signalCount,
    distinctAuthors,
    authorsKnown,
    paying: voices.filter(({ wtp }) => wtp >= 2).length,
    firstSeen,
    lastSeen: newest.createdAt,
  };
  const parts = components(voices.map((signal): Voice => ({
    ageDays: daysBetween(signal.createdAt, asOf),
    certainty: certainty(signal),
    intensity: signal.intensity,
    wtp: signal.wtp,
  })));
  const within = (from: number, to: number): number =>
    voices.filter(({ createdAt }) => {
      const age = daysBetween(createdAt, asOf);
      return age >= from && age < to;
    }).length;
  const listed = signalCount >= ACTIVE_SIGNALS && distinctAuthors >= ACTIVE_VOICES;
  const fresh = newest.createdAt > dormantSince(asOf);
  return {
    state: !listed ? "forming" : fresh ? "active" : "dormant",
    ...cardText(facts),
    category,
    score: compositeScore(parts),
    freqScore: hundredfold(parts.frequency),
    intensityScore: hundredfold(parts.intensity),
    wtpScore: hundredfold(parts.wtp),
    signalCount,
    distinctAuthors,
    authorsKnown,
    firstSeen: firstSeen.toISOString(),
    lastSeen: newest.createdAt.toISOString(),
    evidenceIds: chooseEvidence(voices),
    brands,
    scoring: {
      version: SCORE_VERSION,
      components: parts,
      weights: WEIGHTS,
      patterns: Object.fromEntries(Object.entries(patterns).filter(([, count]) => count > 0)),
    },
    signals7d: within(0, 7),
    signals28d: within(7, 35),
  };
}
