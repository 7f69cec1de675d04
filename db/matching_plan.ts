/** What is looked for, and which of its words must be looked up so that no match is missed. */

/** A lexeme of signal_index.words: a stem, a kind as `k/…`, or a need that is spoken of as `n/…`. */
export type Term = string;

/** The term of a kind of product. */
export const kindTerm = (kind: string): Term => `k/${kind}`;
/** The term of a need that is spoken of, by its id. */
export const needTerm = (id: string): Term => `n/${id}`;

/** Terms that stand together. */
export type Group = readonly Term[];

/** How well a concept is met, best first: by all terms of one of these groups, in these fields. */
export interface Level {
  readonly groups: readonly Group[];
  /** `A` what the signal is about, `B` its quote; null anywhere, the post's title included. */
  readonly fields: "A" | "AB" | null;
  /** 0-1. */
  readonly quality: number;
  /** Whether a signal that meets the head so is about it, and does not just mention it. */
  readonly about: boolean;
}

/** One part of the query's meaning. */
export interface Concept {
  /** The product asked for, as against what is said of it. At most one concept is the head. */
  readonly head: boolean;
  /** The share of the query's meaning; those of a long query are more than 1 together. */
  readonly share: number;
  /** Its weight where it is a specific thing to ask of the product, else 0. */
  readonly specific: number;
  /** The groups of every level: a match has all of one. */
  readonly groups: readonly Group[];
  readonly levels: readonly Level[];
}

export interface QueryPlan {
  readonly concepts: readonly Concept[];
  /** A category slug that every match belongs to, or null. */
  readonly category: string | null;
  /** The share of the meaning that a match needs which is about the head, and any other. */
  readonly floor: number;
  readonly weakFloor: number;
  /** How much of the specific weight is enough; 0 where nothing specific is asked. */
  readonly asked: number;
  /** The part of `asked` that every match meets. */
  readonly fair: number;
}

/** Concepts whose combinations are tried; what a longer query says beyond them only ranks. */
const COMBINED = 6;

interface Leading {
  /** The head, and the weightiest of the others. */
  readonly lead: readonly number[];
  /** What those left out may add: to the share, and to the specific weight that is met. */
  readonly share: number;
  readonly specific: number;
}

function leading({ concepts, floor }: QueryPlan): Leading {
  const order = concepts.map((concept, i) => ({ ...concept, i })).sort((a, b) =>
    Number(b.head) - Number(a.head) || b.share - a.share || a.i - b.i
  );
  const rest = order.slice(COMBINED);
  return {
    lead: order.slice(0, COMBINED).map(({ i }) => i),
    share: Math.min(rest.reduce((sum, { share }) => sum + share, 0), floor / 2),
    specific: rest.reduce((sum, { specific }) => sum + specific, 0),
  };
}

/**
 * The smallest sets of concepts (as indexes) that can make a match; every match has all of one of them,
 * the head among them.
 */
export function qualifying(plan: QueryPlan): readonly (readonly number[])[] {
  const { lead, ...rest } = leading(plan);
  const found: { readonly bits: number; readonly set: readonly number[] }[] = [];
  const masks = Array.from({ length: 2 ** lead.length - 1 }, (_, i) => i + 1);
  const size = (bits: number) => lead.filter((_, i) => bits & (1 << i)).length;
  for (const bits of masks.sort((a, b) => size(a) - size(b) || a - b)) {
    if (found.some((smaller) => (smaller.bits & bits) === smaller.bits)) continue;
    const set = lead.filter((_, i) => bits & (1 << i));
    const concepts = set.flatMap((i) => plan.concepts[i] ?? []);
    if (!concepts.some(({ head }) => head)) continue;
    // Shares are sums of rounded fractions: a hair of tolerance keeps equality equal.
    const share = concepts.reduce((sum, concept) => sum + concept.share, rest.share) + 1e-9;
    const specific = concepts.reduce((sum, concept) => sum + concept.specific, rest.specific) +
      1e-9;
    if (share >= plan.floor && specific >= plan.fair * plan.asked) found.push({ bits, set });
  }
  return found.map(({ set }) => set);
}

/** In how many signals a term stands. */
export type Frequency = (term: Term) => number;

/** Of each group its rarest term: whatever meets the concept has one of them. */
export function keys(concept: Concept, frequency: Frequency): Term[] {
  const rarest = concept.groups.flatMap((group) =>
    group.toSorted((a, b) => frequency(a) - frequency(b))[0] ?? []
  );
  return [...new Set(rarest)];
}

/** In how many signals one of the terms stands, at most. */
export function total(terms: readonly Term[], frequency: Frequency): number {
  return terms.reduce((sum, term) => sum + frequency(term), 0);
}

/**
 * Terms of which every match has at least one, the rarest such choice: those of the rarest concepts,
 * until the concepts left over cannot make a match by themselves.
 */
export function anchors(plan: QueryPlan, frequency: Frequency): Term[] {
  const sets = qualifying(plan);
  const rarest = plan.concepts.map((concept, i) => {
    const terms = keys(concept, frequency);
    return { i, terms, signals: total(terms, frequency) };
  }).sort((a, b) => a.signals - b.signals || a.i - b.i);
  const chosen = new Set<number>();
  for (const { i } of rarest) {
    if (sets.every((set) => set.some((member) => chosen.has(member)))) break;
    if (sets.some((set) => set.includes(i))) chosen.add(i);
  }
  return [...new Set(rarest.filter(({ i }) => chosen.has(i)).flatMap(({ terms }) => terms))];
}
