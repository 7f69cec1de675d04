/** Labels of facts: as careful readers write them, and as the repository keeps them, without the posts' text. */
import { OperatorError } from "../../../core/errors.ts";
import { textOf } from "../../../mining/extract/tokens.ts";
import { FACT_TYPES, type FactType } from "../../../mining/extract/types.ts";
import { placeIn } from "../../../mining/extract/verify.ts";
import type { PostText } from "../../../mining/types.ts";
import type { LabelledPost } from "../data.ts";

/** One fact of a label: type, offsets in `title + "\n" + body`, canonical value. */
type LabelledFact = readonly [type: FactType, start: number, end: number, value: string];

/** A line of tasks/train/labels/facts.ndjson. */
export interface FactLabel {
  readonly id: string;
  readonly demand: 0 | 1;
  readonly product: string;
  readonly head: string;
  readonly product_span: readonly [number, number] | null;
  readonly facts: readonly LabelledFact[];
  /** Nobody trains on it. */
  readonly held?: true;
}

/** Who wrote a text for this project ("w-a-", "k-1-"), by its id; null for a post of others. */
export function writerOf(id: string): string | null {
  return /^[wk]-\w-/.exec(id)?.[0] ?? null;
}

/** A post of which only the product is known. */
export interface ProductLabel {
  readonly id: string;
  readonly product: string;
  /** A request for it instead of a post: its words tell the kind, and nothing is chosen in it. */
  readonly isQuery?: boolean;
}

/** A fact as the guidelines have readers write it. */
interface ReaderFact {
  readonly type: string;
  readonly span: string;
  readonly value: string;
}

/** A line of a reader's file (docs/extraction.md). */
export interface ReaderRow {
  readonly id: string;
  readonly demand: number;
  readonly product?: string;
  readonly head?: string;
  readonly product_span?: string;
  readonly facts?: readonly ReaderFact[];
}

/** Reads JSON lines. @throws OperatorError naming file and line. */
export function readRows<T extends { readonly id: string }>(path: string): T[] {
  const out: T[] = [];
  Deno.readTextFileSync(path).split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch {
      throw new OperatorError(`${path}:${i + 1}: not JSON`);
    }
    if (row === null || typeof row !== "object" || !("id" in row) || typeof row.id !== "string") {
      throw new OperatorError(`${path}:${i + 1}: a label needs an id`);
    }
    out.push(row as T);
  });
  return out;
}

/** The labels of the repository. */
export function readFactLabels(
  path: string = new URL("../labels/facts.ndjson", import.meta.url).pathname,
): FactLabel[] {
  const none = { product: "", head: "", product_span: null, facts: [] };
  return readRows<FactLabel>(path).map((row) => ({ ...none, ...row }));
}

/** A post that the classifier was not taught, and whether it shows demand. */
export interface JudgedPost {
  readonly post: LabelledPost;
  readonly demand: boolean;
}

/** Whether posts show demand, of such as the classifier was not taught: id, a tab, 1 or 0 a line. */
export function readDemandLabels(
  path: string = new URL("../labels/demand.tsv", import.meta.url).pathname,
): { readonly id: string; readonly demand: boolean }[] {
  return Deno.readTextFileSync(path).trim().split("\n").map((line, i) => {
    const [, id, demand] = /^([^\t]+)\t([01])$/.exec(line) ?? [];
    if (id === undefined) {
      throw new OperatorError(`${path}:${i + 1}: should be an id, a tab, and 1 or 0`);
    }
    return { id, demand: demand === "1" };
  });
}

/** Where a span stands, as the reader finds claimed ones; null where it does not. */
function placeOf(text: string, span: string): [start: number, end: number] | null {
  const at = span === "" ? -1 : placeIn(text, span);
  return at < 0 ? null : [at, at + span.length];
}

/** A reader's row as the repository keeps it. Facts whose span is not in the text are dropped. */
export function toLabel(row: ReaderRow, post: Pick<PostText, "title" | "body">): FactLabel {
  const none = { id: row.id, product: "", head: "", product_span: null, facts: [] };
  if (row.demand !== 1) return { ...none, demand: 0 };
  const text = textOf(post);
  const types: readonly string[] = FACT_TYPES;
  const facts = (row.facts ?? []).flatMap(({ type, span, value }): LabelledFact[] => {
    const place = placeOf(text, span);
    const known = types.includes(type) ? type as FactType : null;
    return place === null || known === null ? [] : [[known, ...place, value]];
  });
  return {
    id: row.id,
    demand: 1,
    product: row.product ?? "",
    head: row.head ?? "",
    product_span: placeOf(text, row.product_span ?? ""),
    facts: facts.sort((a, b) => a[1] - b[1] || a[2] - b[2]),
  };
}

/** The same the other way round: a label in the guidelines' form. */
export function toReaderRow(label: FactLabel, post: Pick<PostText, "title" | "body">): ReaderRow {
  if (label.demand === 0) return { id: label.id, demand: 0 };
  const text = textOf(post);
  const { id, product, head, product_span: span } = label;
  return {
    id,
    demand: 1,
    product,
    head,
    product_span: span === null ? "" : text.slice(...span),
    facts: label.facts.map(([type, start, end, value]) => ({
      type,
      span: text.slice(start, end),
      value,
    })),
  };
}
