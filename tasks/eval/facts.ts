/** How right the built-in reader is: by the shipped weights on given labels, or cross-validated on the repository's. */
import { classify } from "../../mining/classify/mod.ts";
import { extract, isDemand } from "../../mining/extract/mod.ts";
import type { LabelledPost } from "../train/data.ts";
import { type Agreement, compare, type ReadPost } from "../train/facts/agreement.ts";
import { type ReaderRow, readFactLabels, readRows } from "../train/facts/labels.ts";
import { learnLexemes } from "../train/facts/lexemes.ts";
import { trainReader } from "../train/facts/train.ts";

/** Figures of the reader, and how they came about. */
export interface FactsEvaluation extends Agreement {
  readonly method: string;
}

/** Judges the shipped weights by a file of labels in the guidelines' form. */
export function evaluateFacts(path: string, posts: readonly LabelledPost[]): FactsEvaluation {
  const byId = new Map(posts.map((post) => [post.id, post]));
  const gold: ReadPost[] = [];
  const found: ReadPost[] = [];
  for (const row of readRows<ReaderRow>(path)) {
    const post = byId.get(row.id);
    if (post === undefined) continue;
    gold.push(goldOf(row));
    found.push(readingOf(post));
  }
  return { method: "the shipped weights, nothing trained", ...compare(gold, found) };
}

/** Trains on the labels of all communities but some, and reads those, until all are read. */
export function crossValidateFacts(
  posts: readonly LabelledPost[],
  tell: (message: string) => void,
): FactsEvaluation {
  const { gold, found } = trainReader(
    new Map(posts.map((post) => [post.id, post])),
    readFactLabels().filter(({ held }) => held !== true),
    learnLexemes(posts),
    tell,
  );
  return { method: "cross-validated, communities held out", ...compare(gold, found) };
}

function goldOf({ id, demand, product = "", head = "", facts = [] }: ReaderRow): ReadPost {
  return { id, demand: demand === 1 ? 1 : 0, product, head, facts };
}

function readingOf(post: LabelledPost): ReadPost {
  const demand = classify(post);
  const read = demand === null ? null : extract(post, demand);
  if (read === null || !isDemand(read)) {
    return { id: post.id, demand: 0, product: "", head: "", facts: [] };
  }
  const { product, head, facts } = read;
  return { id: post.id, demand: 1, product, head, facts };
}

/** The figures as a table for people. */
export function factsTable(e: FactsEvaluation): string {
  const number = (value: number): string => value.toFixed(3).padStart(11);
  const row = (name: string, ...cells: number[]): string =>
    name.padEnd(24) + cells.map(number).join("");
  return [
    `${e.posts} demand posts, ${e.method}`,
    "",
    `${"".padEnd(24)}${["precision", "recall", "F1"].map((name) => name.padStart(11)).join("")}`,
    row("facts with type", e.typed.precision, e.typed.recall, e.typed.f1),
    row("whatever the type", e.any.precision, e.any.recall, e.any.f1),
    ...Object.entries(e.byType).map(([type, { precision, recall, f1, support }]) =>
      `${row(type, precision, recall, f1)}${String(support).padStart(8)}`
    ),
    "",
    row("kind of product right", e.head),
    row("demand agreed", e.demand),
  ].join("\n");
}
