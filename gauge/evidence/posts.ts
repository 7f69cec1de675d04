/** Which of the matching posts are shown as evidence: the nearest, of those that plainly ask for what was asked. */
import type { QueryPlan } from "../../db/matching/plan.ts";
import { singular } from "../../mining/lexicon/grammar.ts";
import type { Pattern } from "../../mining/types.ts";
import { isMet } from "../match/funnel.ts";
import type { ReadQuery } from "../query/read.ts";
import { strength } from "../score/verdict_score.ts";
import type { Match } from "../types.ts";
import { namesProduct } from "./quotes.ts";

/** What a match is worth as evidence, as factors of its strength: each one that holds for its post applies. */
const EVIDENCE_WEIGHT = {
  titleLacksProduct: 0.6,
  otherName: 0.85,
  /** Its author tells of something rather than asks for it. */
  onlyTells: 0.5,
  namesNoMoney: 0.5,
} as const;
const TELLING: ReadonlySet<string> = new Set<Pattern>([
  "frustration",
  "workaround",
  "repeat_failure",
]);

/** Evidence has at least this relevance: of posts with less, readers found the product wanted in a third. */
const MIN_RELEVANCE = 0.15;
/** Evidence was read as a request with at least this confidence. */
const MIN_CONFIDENCE = 0.6;
/** A post that is less surely about the product (0-1) wants another one, which is evidence only by what it states. */
const MIN_ABOUT = 0.3;
/** How much of what is asked a post about another product states at least. */
const MIN_STATED = 0.5;
/** From this certainty on a post is about the product even if it states nothing of what is asked. */
const SURELY_ABOUT = 0.9;

/** At most so many posts are shown; the model may point at them. */
const MAX_SHOWN = 12;
/** Posts are shown whose relevance is at least this share of the best one's. */
const RELEVANCE_SHARE = 0.7;
/** If fewer than this have that share, the first posts are shown, up to this many, that have the lower share. */
const FEW = 3;
const LOWER_RELEVANCE_SHARE = 0.3;
/** With the lower share the two nearest are shown, and the third only if no other post states more wants. */
const NEAREST = 2;

const wordsOf = (name: string): string[] => name.toLowerCase().split(/[\s-]+/).map(singular);

/** How plainly a post asks for the product, beside what it states: by its title, what it calls it, and how it asks. */
function plainness(
  { title, product, pattern, wtp, confidence }: Match,
  plan: QueryPlan,
  name: string,
): number {
  const called = new Set(wordsOf(product));
  const isCalledSo = wordsOf(name).every((word) => called.has(word));
  return (namesProduct(title, plan) ? 1 : EVIDENCE_WEIGHT.titleLacksProduct) *
    (isCalledSo ? 1 : EVIDENCE_WEIGHT.otherName) *
    (TELLING.has(pattern) ? EVIDENCE_WEIGHT.onlyTells : 1) *
    (wtp === 0 ? EVIDENCE_WEIGHT.namesNoMoney : 1) * confidence ** 2;
}

/** The strongest and plainest matches first, one of each person and text. */
export function nearestFirst(
  matches: readonly Match[],
  asOf: Date,
  { plan, product }: Pick<ReadQuery, "plan" | "product">,
): Match[] {
  const seen = new Set<string>();
  return matches
    .map((match) => ({ match, worth: strength(match, asOf) * plainness(match, plan, product) }))
    .sort((a, b) => b.worth - a.worth || (a.match.postId < b.match.postId ? -1 : 1))
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
function asksForIt({ head, relevance, confidence, pattern }: Match, { wants }: QueryPlan): boolean {
  return relevance >= MIN_RELEVANCE && confidence >= MIN_CONFIDENCE && pattern !== "workaround" &&
    (head >= MIN_ABOUT || (wants.length > 0 && relevance >= MIN_STATED * head));
}

/** Of matches that may be shown, nearest first: all that are about as relevant as the best one, or else a few. */
function mostRelevant(matches: readonly Match[], { wants }: QueryPlan): readonly Match[] {
  const best = Math.max(0, ...matches.map(({ relevance }) => relevance));
  const withShare = (share: number): Match[] =>
    matches.filter(({ relevance }) => relevance >= share * best);
  const relevant = withShare(RELEVANCE_SHARE);
  if (relevant.length >= FEW) return relevant.slice(0, MAX_SHOWN);
  const stated = ({ met }: Match): number => wants.filter((_, i) => isMet(met, i)).length;
  const most = Math.max(0, ...matches.map(stated));
  return withShare(LOWER_RELEVANCE_SHARE).slice(0, FEW)
    .filter((match, i) => i < NEAREST || stated(match) >= most);
}

/** Replaces the quotes of matches by the sentences that show best what was asked. */
export type EvidenceQuote = (matches: readonly Match[]) => Promise<readonly Match[]>;

/**
 * Those of the nearest that are shown, with their quotes, no two of them the same. Where none asks for it, one alone
 * that is about the product or states anything: what only shares a word with the query would be no evidence.
 */
export async function evidenceOf(
  nearest: readonly Match[],
  plan: QueryPlan,
  quote: EvidenceQuote,
): Promise<readonly Match[]> {
  const printable = nearest.filter(({ withheld }) => withheld !== true);
  const asking = printable.filter((match) => asksForIt(match, plan));
  const fit = asking.length > 0
    ? asking
    : printable.filter(({ head, met }) => head >= SURELY_ABOUT || met > 0);
  const shown = await quote(mostRelevant(fit, plan));
  const quotes = shown.map((match) => match.quote);
  const distinct = shown.filter((match, i) => quotes.indexOf(match.quote) === i);
  return asking.length > 0 ? distinct : distinct.slice(0, 1);
}
