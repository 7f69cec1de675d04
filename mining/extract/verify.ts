/** The one check of a claimed reading, whoever read: what is not in the post's own words is dropped. */
import type { PostText } from "../types.ts";
import { productName } from "./product/names.ts";
import { textOf } from "./tokens.ts";
import { type Extraction, type Fact, FACT_TYPES, type FactType } from "./types.ts";
import { keyOf, valueOf } from "./values.ts";

/** Most facts that a reading holds. */
export const MAX_FACTS = 14;
const MAX_SPAN = 160;
const MAX_NAME = 60;

/** A fact as a reader claims it. */
export interface ClaimedFact {
  readonly type: string;
  /** Verbatim from title or body; where it stands several times, the first place counts. */
  readonly span: string;
  /** The reader's own wording, or "" for the one that the span gives. */
  readonly value: string;
  /** Where the span begins in `title + "\n" + body`, where the reader knows. */
  readonly start?: number;
  readonly certainty?: number;
}

/** A reading as it is claimed. */
export interface ClaimedReading {
  readonly product: string;
  readonly kind: string;
  /** Verbatim, or "" where the post names it nowhere. */
  readonly product_span: string;
  readonly productStart?: number;
  readonly facts: readonly ClaimedFact[];
  /** How likely the post is demand for a product, and its kind right; 1 unless given. */
  readonly certainty?: number;
  readonly kindCertainty?: number;
}

/**
 * What is left of a claimed reading of a post: facts whose span stands in the post, of a known
 * type, each value and each place once, at most `MAX_FACTS`; certainties have three decimals. Null
 * where no product is left.
 */
export function verify(post: PostText, claim: ClaimedReading): Extraction | null {
  const text = textOf(post);
  const named = productName(claim.product, claim.kind);
  if (named === null || named.product.length > MAX_NAME) return null;
  const place = placeOf(text, claim.product_span, claim.productStart);
  const facts: Fact[] = [];
  const seen = new Set<string>();
  for (const claimed of claim.facts) {
    if (facts.length === MAX_FACTS) break;
    const fact = factOf(post, text, claimed);
    if (fact === null) continue;
    const byValue = `${fact.type}:${keyOf(fact.value) || fact.value}`;
    const byPlace = `${fact.start}-${fact.end}`;
    if (seen.has(byValue) || seen.has(byPlace)) continue;
    seen.add(byValue).add(byPlace);
    facts.push(fact);
  }
  facts.sort((a, b) => a.start - b.start || a.end - b.end);
  return {
    certainty: share(claim.certainty),
    product: named.product,
    kind: named.kind,
    kindCertainty: share(claim.kindCertainty),
    productSpan: place,
    facts,
  };
}

function factOf(post: PostText, text: string, claimed: ClaimedFact): Fact | null {
  const type = FACT_TYPES.find((known): known is FactType => known === claimed.type);
  if (type === undefined || claimed.span.length > MAX_SPAN) return null;
  if (!LETTER.test(claimed.span)) return null;
  const place = placeOf(text, claimed.span, claimed.start);
  if (place === null) return null;
  const { start, end } = place;
  const span = text.slice(start, end);
  const context = {
    community: post.community,
    text,
    before: text.slice(Math.max(0, start - 40), start),
    after: text.slice(end, end + 20),
  };
  const value = valueOf(type, span, context, claimed.value);
  return { type, start, end, span, value, certainty: share(claimed.certainty) };
}

/** Where a span stands, white space at its ends left out: at `start` if it does there, else the first whole words. */
function placeOf(
  text: string,
  raw: string,
  start: number | undefined,
): { readonly start: number; readonly end: number } | null {
  const lead = raw.length - raw.trimStart().length;
  const span = raw.trim();
  if (span === "") return null;
  if (start !== undefined) {
    const at = start + lead;
    return text.startsWith(span, at) ? { start: at, end: at + span.length } : null;
  }
  const at = placeIn(text, span);
  return at < 0 ? null : { start: at, end: at + span.length };
}

const LETTER = /[\p{L}\p{N}]/u;

/**
 * Where a span, which is not empty, first stands in a text without cutting a word, else where it
 * first stands at all; -1 where it does not.
 */
export function placeIn(text: string, span: string): number {
  const first = text.indexOf(span);
  for (let at = first; at >= 0; at = text.indexOf(span, at + 1)) {
    if (!joins(text, at) && !joins(text, at + span.length)) return at;
  }
  return first;
}

/** Whether a word runs over the place `at`. */
function joins(text: string, at: number): boolean {
  return at > 0 && at < text.length && LETTER.test(text[at - 1]!) && LETTER.test(text[at]!);
}

/** Three decimals, so that nothing hangs on the last bits. */
function share(value = 1): number {
  if (!(value >= 0)) return 0;
  return Math.round(Math.min(1, value) * 1000) / 1000;
}
