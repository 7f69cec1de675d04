/** How well wants are named and grouped: B-cubed on labelled clusters, token F1 on product phrases. */
import { singular } from "../../mining/want/grammar.ts";
import { readWant, wantKey } from "../../mining/want/mod.ts";
import type { CategoryPrior, Demand, PostText } from "../../mining/types.ts";
import type { ClusterRow } from "../train/data.ts";
import type { Prf } from "./metrics.ts";

/** A row of a labels file, as far as products are concerned. */
export interface ProductRow {
  readonly id: string;
  readonly pattern: string;
  /** Null where no product is labelled. */
  readonly product: string | null;
}

/** Judges a post; null is no demand. */
export type Classify = (text: PostText, prior?: CategoryPrior) => Demand | null;
/** The categories a community leans to. */
export type PriorOf = (community: string) => CategoryPrior;

const NO_PRIOR: PriorOf = () => ({});

/**
 * B-cubed precision, recall and F1 (Bagga and Baldwin, 1998) at the levels of kind and of want, over all
 * rows whose post is at hand. A NOISE row is a cluster of its own in the gold standard, so that it costs
 * precision wherever it lands among others; a row that is rejected, by the classifier or because no product
 * can be named, is a cluster of its own in the answer, so that it costs recall unless it is NOISE.
 */
export function evaluateClusters(
  rows: readonly ClusterRow[],
  posts: ReadonlyMap<string, PostText>,
  classify: Classify,
  priorOf: PriorOf = NO_PRIOR,
): { kind: Prf; want: Prf; rows: number; missing: number } {
  const gold: [string, string][] = [];
  const found: [string, string][] = [];
  for (const row of rows) {
    const text = posts.get(row.id);
    if (text === undefined) continue;
    const alone = `alone ${row.id}`;
    gold.push(row.kind === "NOISE" ? [alone, alone] : [row.kind, row.want]);
    const prior = priorOf(text.community);
    const demand = classify(text, prior);
    const want = demand === null ? null : readWant(text, demand, prior)?.want ?? null;
    found.push(
      want === null || demand === null ? [alone, alone] : [want.kind, wantKey(want, demand)],
    );
  }
  return {
    kind: bCubed(gold.map(([kind]) => kind), found.map(([kind]) => kind)),
    want: bCubed(gold.map(([, want]) => want), found.map(([, want]) => want)),
    rows: gold.length,
    missing: rows.length - gold.length,
  };
}

/** B-cubed over parallel lists of gold and found cluster names. */
export function bCubed(gold: readonly string[], found: readonly string[]): Prf {
  const count = (names: Iterable<string>): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  };
  const goldSize = count(gold);
  const foundSize = count(found);
  const both = count(gold.map((name, i) => `${name}\t${found[i]}`));
  let precision = 0;
  let recall = 0;
  gold.forEach((name, i) => {
    const shared = both.get(`${name}\t${found[i]}`) ?? 0;
    precision += shared / (foundSize.get(found[i] ?? "") ?? 1);
    recall += shared / (goldSize.get(name) ?? 1);
  });
  const n = Math.max(1, gold.length);
  return prf(precision / n, recall / n);
}

/**
 * Product phrases on the labelled demand posts that have one: mean token F1 against the label, and the share
 * whose last word (singular) is the label's. A post without an answer counts 0 for both.
 */
export function evaluateProducts(
  rows: readonly ProductRow[],
  posts: ReadonlyMap<string, PostText>,
  classify: Classify,
  priorOf: PriorOf = NO_PRIOR,
): { tokenF1: number; headMatch: number; named: number; rows: number } {
  let tokenF1 = 0;
  let headMatch = 0;
  let named = 0;
  let n = 0;
  for (const row of rows) {
    const text = posts.get(row.id);
    if (text === undefined || row.pattern === "none" || row.product === null) continue;
    n += 1;
    const prior = priorOf(text.community);
    const demand = classify(text, prior);
    const want = demand === null ? null : readWant(text, demand, prior)?.want ?? null;
    if (want === null) continue;
    named += 1;
    const gold = tokens(row.product);
    const answer = tokens(want.product);
    tokenF1 += overlapF1(gold, answer);
    if (gold.at(-1) === answer.at(-1)) headMatch += 1;
  }
  const of = Math.max(1, n);
  return { tokenF1: tokenF1 / of, headMatch: headMatch / of, named: named / of, rows: n };
}

function tokens(phrase: string): readonly string[] {
  return phrase.toLowerCase().split(/[^a-z0-9.']+/).filter((word) => word !== "").map((word) =>
    singular(word).replace(/s$/, "")
  );
}

function overlapF1(gold: readonly string[], answer: readonly string[]): number {
  const left = [...gold];
  let shared = 0;
  for (const word of answer) {
    const at = left.indexOf(word);
    if (at >= 0) {
      left.splice(at, 1);
      shared += 1;
    }
  }
  return prf(shared / Math.max(1, answer.length), shared / Math.max(1, gold.length)).f1;
}

function prf(precision: number, recall: number): Prf {
  const sum = precision + recall;
  return { precision, recall, f1: sum === 0 ? 0 : (2 * precision * recall) / sum };
}
