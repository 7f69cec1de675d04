/** How far a reader of facts agrees with careful readers: the built-in one, or the model by its replayed answers. */
import { OperatorError } from "../../core/errors.ts";
import { extract } from "../../mining/extract/mod.ts";
import { readingOf } from "../../mining/extract/ask.ts";
import { postsQuestion } from "../../mining/extract/question.ts";
import type { Extraction } from "../../mining/extract/types.ts";
import type { PostText } from "../../mining/types.ts";
import type { LabelledPost } from "../train/data.ts";
import { type Agreement, compare, type ReadPost } from "../train/facts/agreement.ts";
import { type ReaderRow, readRows } from "../train/facts/labels.ts";
import { readRecorded, replayed } from "./replay.ts";

export const READERS = ["built-in", "model"] as const;
export type Reader = (typeof READERS)[number];

/** What is measured: posts that were labelled, and of the model's those whose answers were recorded. */
export interface FactsEvaluation extends Agreement {
  readonly reader: Reader;
  /** Posts compared, without demand too. */
  readonly compared: number;
}

type Read = (post: LabelledPost) => Extraction | null;

/** Reads the labelled posts and compares. @throws OperatorError where no post of the labels can be compared. */
export function evaluateFacts(
  labelsFile: string,
  posts: ReadonlyMap<string, LabelledPost>,
  reader: Reader,
): FactsEvaluation {
  const labels = readRows<ReaderRow>(labelsFile);
  const recorded = reader === "model" ? readRecorded() : null;
  const known = labels.filter(({ id }) => posts.has(id) && (recorded === null || recorded.has(id)));
  if (known.length === 0) {
    throw new OperatorError(`${labelsFile}: no post of it is among those read`);
  }
  const read: Read = recorded === null ? extract : (post) => {
    const row = recorded.get(post.id);
    return row === undefined
      ? null
      : answered(post, JSON.stringify({ posts: [replayed(row, post, 1)] }));
  };
  const found = known.map(({ id }) => {
    const post = posts.get(id);
    return readPost(id, post === undefined ? null : read(post));
  });
  return { reader, compared: known.length, ...compare(known.map(labelled), found) };
}

/** What the service makes of a model's answer about one post. */
function answered(post: PostText, answer: string): Extraction | null {
  const readings = postsQuestion([post], { kinds: [], values: new Map() }).read(answer);
  if (typeof readings === "string") throw new OperatorError(`a recorded answer: ${readings}`);
  const [reading = null] = readings;
  return reading === null ? null : readingOf(post, reading);
}

function labelled({ id, demand, product = "", head = "", facts = [] }: ReaderRow): ReadPost {
  return { id, demand: demand === 1 ? 1 : 0, product, head, facts };
}

function readPost(id: string, reading: Extraction | null): ReadPost {
  if (reading === null) return { id, demand: 0, product: "", head: "", facts: [] };
  return { id, demand: 1, product: reading.product, head: reading.head, facts: reading.facts };
}

/** The figures as a table for people. */
export function factsTable(
  { reader, compared, posts, demand, head, typed, any, byType }: FactsEvaluation,
): string {
  const part = (share: number): string => share.toFixed(3);
  const line = (name: string, { precision, recall, f1 }: Agreement["typed"]): string =>
    `${name.padEnd(24)} ${part(precision)}  ${part(recall)}  ${part(f1)}`;
  return [
    `reader ${reader}: ${compared} posts, ${posts} of them demand; demand ${part(demand)}, kind ${
      part(head)
    }`,
    `${"".padEnd(24)} precision  recall  F1`,
    line("facts with their type", typed),
    line("whatever the type", any),
    ...Object.entries(byType).map(([type, shares]) =>
      line(`  ${type} (${shares.support})`, shares)
    ),
  ].join("\n");
}
