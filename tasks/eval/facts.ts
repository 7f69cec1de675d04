/**
 * How right a reader of facts is: the built-in one by the shipped weights on given labels, or cross-validated on the
 * repository's; a model by its answers as they were recorded.
 */
import { possibleDemand } from "../../mining/classify/mod.ts";
import { extract, extractBy, isDemand } from "../../mining/extract/mod.ts";
import { ReaderModel } from "../../mining/extract/model.ts";
import type { Extraction } from "../../mining/extract/types.ts";
import type { LabelledPost } from "../train/data.ts";
import { type Agreement, compare, type ReadPost } from "../train/facts/agreement.ts";
import { toFactsArtefact } from "../train/facts/artefact.ts";
import { learnCompany } from "../train/facts/gist.ts";
import { type ReaderRow, readFactLabels, readRows, toReaderRow } from "../train/facts/labels.ts";
import { learnLexemes } from "../train/facts/lexemes.ts";
import { trainReader } from "../train/facts/train.ts";
import { describedProducts, judgedPosts, productLabels, writtenPosts } from "../train/items.ts";
import { readRecorded, readRecording } from "./recorded.ts";

/** Figures of the reader, and how they came about. */
interface FactsEvaluation extends Agreement {
  readonly method: string;
  /** Facts by their certainty, from 0 in steps of a tenth: how many, and how many of them hold. */
  readonly certain: readonly Certain[];
  /** Beside cross-validation: posts that nothing was trained on, read by weights of all others. */
  readonly held?: readonly (FactsEvaluation & { readonly source: string })[];
}

interface Certain {
  readonly found: number;
  readonly right: number;
}

export const READERS = ["built-in", "model"] as const;
type Reader = (typeof READERS)[number];

/** Judges a reader by a file of labels in the guidelines' form; a model by the posts that it was asked about. */
export function evaluateFacts(
  path: string,
  posts: readonly LabelledPost[],
  reader: Reader,
): FactsEvaluation {
  const recorded = reader === "model" ? readRecorded() : null;
  const byId = new Map(posts.map((post) => [post.id, post]));
  const gold: ReadPost[] = [];
  const found: ReadPost[] = [];
  for (const row of readRows<ReaderRow>(path)) {
    const post = byId.get(row.id);
    const answer = recorded?.get(row.id);
    if (post === undefined || (recorded !== null && answer === undefined)) continue;
    gold.push(goldOf(row));
    found.push(
      readPost(post.id, answer === undefined ? builtIn(post) : readRecording(post, answer)),
    );
  }
  const method = recorded === null
    ? "the shipped weights, nothing trained"
    : "answers to the service's own questions, replayed";
  return { method, ...figuresOf(gold, found) };
}

/** Trains on the labels of all communities but some, and reads those, until all are read. */
export function crossValidateFacts(
  posts: readonly LabelledPost[],
  tell: (message: string) => void,
): FactsEvaluation {
  const written = new Map(writtenPosts().map((post) => [post.id, post]));
  const described = describedProducts();
  const taught = [...posts, ...described.posts].map((post) => [post.id, post] as const);
  const all = new Map([...taught, ...written]);
  const labels = readFactLabels();
  const { gold, found, reader } = trainReader(
    all,
    labels.filter(({ held }) => held !== true),
    [...productLabels(labels), ...described.products],
    judgedPosts(posts),
    { lexemes: learnLexemes(posts), company: learnCompany(posts) },
    tell,
  );
  const model = new ReaderModel(toFactsArtefact(reader));
  const heldOf = (source: string, is: (id: string) => boolean) => {
    const own = labels.flatMap((label) => {
      const post = all.get(label.id);
      return label.held === true && post !== undefined && is(label.id) ? [{ label, post }] : [];
    });
    const read = ({ post }: typeof own[number]): ReadPost => {
      const demand = possibleDemand(post);
      return readPost(post.id, demand && kept(extractBy(model, post, demand)));
    };
    const right = own.map(({ label, post }) => goldOf(toReaderRow(label, post)));
    return { source, method: "held out", ...figuresOf(right, own.map(read)) };
  };
  return {
    method: "cross-validated, communities held out",
    ...figuresOf(gold, found),
    held: [
      heldOf("held posts of the communities trained on", (id) => !written.has(id)),
      heldOf("held posts of another source", (id) => written.has(id)),
    ],
  };
}

function figuresOf(
  gold: readonly ReadPost[],
  found: readonly ReadPost[],
): Agreement & Pick<FactsEvaluation, "certain"> {
  const certain = Array.from({ length: 10 }, () => ({ found: 0, right: 0 }));
  gold.forEach((label, i) => {
    const read = found[i]!;
    if (read.demand === 0) return;
    for (const fact of read.facts) {
      if (fact.certainty === undefined) continue;
      const of = certain[Math.min(9, Math.floor(fact.certainty * 10))]!;
      of.found++;
      const alone = compare([label], [{ ...read, facts: [fact] }]);
      if (alone.typed.precision > 0) of.right++;
    }
  });
  return { ...compare(gold, found), certain };
}

function goldOf({ id, demand, product = "", head = "", facts = [] }: ReaderRow): ReadPost {
  return { id, demand: demand === 1 ? 1 : 0, product, head, facts };
}

function builtIn(post: LabelledPost): Extraction | null {
  const demand = possibleDemand(post);
  return demand && kept(extract(post, demand));
}

function kept(read: Extraction | null): Extraction | null {
  return read !== null && isDemand(read) ? read : null;
}

function readPost(id: string, read: Extraction | null): ReadPost {
  if (read === null) return { id, demand: 0, product: "", head: "", facts: [] };
  const { product, kind, facts } = read;
  return { id, demand: 1, product, head: kind, facts };
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
    "",
    "facts by certainty, and the share of them that holds:",
    e.certain.map(({ found, right }, i) =>
      found === 0 ? "" : `0.${i}: ${(right / found).toFixed(2)} of ${found}`
    ).filter((part) => part !== "").join("  "),
    ...(e.held ?? []).flatMap((held) => ["", held.source, factsTable(held)]),
  ].join("\n");
}
