/** How far two readings of the same posts agree: facts by type and words, heads, demand. */
import { agreement, wordsOf } from "./word_overlap.ts";

/** A post as it was read. */
export interface ReadPost {
  readonly id: string;
  readonly demand: 0 | 1;
  readonly product: string;
  readonly head: string;
  readonly facts: readonly {
    readonly type: string;
    readonly span: string;
    readonly value: string;
    /** Where the reader tells it. */
    readonly certainty?: number;
  }[];
}

/** Shares, 0-1. */
interface Shares {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export interface Agreement {
  readonly posts: number;
  /** Of all posts, those whose demand is judged alike. */
  readonly demand: number;
  /** Of demand posts, those of the same kind of product. */
  readonly head: number;
  readonly typed: Shares;
  readonly any: Shares;
  readonly byType: Readonly<Record<string, Shares & { readonly support: number }>>;
}

const stem = (word: string): string => word.replace(/ies$/, "y").replace(/(s|es)$/, "");

/** Whether two names of kinds are of one kind: the same last word, or one inside the other. */
export function sameHead(a: string, b: string): boolean {
  if (a === "" || b === "") return false;
  const one = a.toLowerCase().split(/\s+/).map(stem);
  const other = b.toLowerCase().split(/\s+/).map(stem);
  return one.at(-1) === other.at(-1) || one.join(" ").includes(other.join(" ")) ||
    other.join(" ").includes(one.join(" "));
}

/**
 * Compares what was found with what is right, post by post in the same order. A fact is found where one of the same
 * type has an overlapping span or value: a word overlap of 0.3, or one inside the other.
 */
export function compare(gold: readonly ReadPost[], found: readonly ReadPost[]): Agreement {
  let posts = 0, demand = 0, heads = 0, right = 0, rightAny = 0, all = 0, given = 0;
  const byType = new Map<string, { support: number; hit: number; found: number }>();
  const count = (type: string) => {
    let counts = byType.get(type);
    if (counts === undefined) byType.set(type, counts = { support: 0, hit: 0, found: 0 });
    return counts;
  };
  gold.forEach((a, at) => {
    const b = found[at];
    if ((b?.demand ?? 0) === a.demand) demand++;
    if (a.demand === 0) return;
    posts++;
    if (b?.demand === 1 && (sameHead(a.head, b.head) || sameHead(a.product, b.product))) heads++;
    const answers = (b?.demand === 1 ? b.facts : []).map((fact) => ({
      type: fact.type,
      span: wordsOf(fact.span),
      value: wordsOf(fact.value),
    }));
    all += a.facts.length;
    given += answers.length;
    for (const { type } of answers) count(type).found++;
    const used = new Set<number>();
    const usedAny = new Set<number>();
    for (const fact of a.facts) {
      const span = wordsOf(fact.span);
      const value = wordsOf(fact.value);
      const near = answers.map((answer) =>
        agreement(span, answer.span) >= 0.3 || agreement(value, answer.value) >= 0.3
      );
      const counts = count(fact.type);
      counts.support++;
      const k = answers.findIndex((answer, i) =>
        near[i] === true && !used.has(i) && answer.type === fact.type
      );
      if (k >= 0) {
        used.add(k);
        right++;
        counts.hit++;
      }
      const j = near.findIndex((is, i) => is && !usedAny.has(i));
      if (j >= 0) {
        usedAny.add(j);
        rightAny++;
      }
    }
  });
  return {
    posts,
    demand: gold.length === 0 ? 0 : demand / gold.length,
    head: posts === 0 ? 0 : heads / posts,
    typed: sharesOf(right, given, all),
    any: sharesOf(rightAny, given, all),
    byType: Object.fromEntries(
      [...byType].sort(([a], [b]) => a < b ? -1 : 1).map(([type, c]) => [
        type,
        { ...sharesOf(c.hit, c.found, c.support), support: c.support },
      ]),
    ),
  };
}

function sharesOf(hit: number, found: number, all: number): Shares {
  const precision = found === 0 ? 0 : hit / found;
  const recall = all === 0 ? 0 : hit / all;
  const sum = precision + recall;
  return { precision, recall, f1: sum === 0 ? 0 : 2 * precision * recall / sum };
}
