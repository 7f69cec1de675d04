/** Labels joined with the posts they belong to: which ones judge the classifier, and which only teach it. */
import { z } from "zod";
import { OperatorError } from "../../core/errors.ts";
import {
  type FactLabel,
  type JudgedPost,
  type ProductLabel,
  readDemandLabels,
  writerOf,
} from "./facts/labels.ts";
import { type Label, type LabelledPost, readLabelledPosts, readLabels } from "./data.ts";

/** A labelled post's place in the corpus. */
export interface Item {
  readonly row: number;
  readonly label: Label;
}

/** Labels of this project (ids and labels, no text), for posts that `--labels` do not cover. */
const OWN = new URL("./labels/", import.meta.url).pathname;

/**
 * What posts want by this project's labels of demand, without the posts that are held by `facts` and without any of
 * a writer of whom one is.
 */
export function productLabels(facts: readonly FactLabel[]): ProductLabel[] {
  const sourceOf = (id: string): string => writerOf(id) ?? id;
  const held = new Set(facts.filter(({ held }) => held === true).map(({ id }) => sourceOf(id)));
  return ["chance.tsv", "drawn.tsv", "written.tsv"].flatMap((file) =>
    readLabels(OWN + file).flatMap(({ id, pattern, product }) =>
      pattern === null || product === null || held.has(sourceOf(id)) ? [] : [{ id, product }]
    )
  );
}

/** Those of the posts that the labels of demand are of: the classifier was taught none of them. */
export function judgedPosts(posts: readonly LabelledPost[]): JudgedPost[] {
  const byId = new Map(posts.map((post) => [post.id, post]));
  return readDemandLabels().flatMap(({ id, demand }) => {
    const post = byId.get(id);
    return post === undefined ? [] : [{ post, demand }];
  });
}

/** The text of the posts that were written for this project; to be read beside the posts at hand. */
export function writtenPosts(): LabelledPost[] {
  return readLabelledPosts(new URL("./written.ndjson", import.meta.url).pathname);
}

/** Those whose patterns are labelled: what the classifier reads. The facts alone of the others are. */
export function writtenWithPatterns(): LabelledPost[] {
  const labelled = new Set(readLabels(`${OWN}written.tsv`).map(({ id }) => id));
  return writtenPosts().filter(({ id }) => labelled.has(id));
}

/** A line of described.ndjson: a post of somebody who wants a kind of product, or a request that does not name it. */
const DescribedRow = z.object({
  writer: z.number(),
  kind: z.string(),
  form: z.enum(["query", "post"]),
  title: z.string().optional(),
  text: z.string(),
});
type DescribedRow = z.infer<typeof DescribedRow> & {
  /** "k-1-7" tells the writer. */
  readonly id: string;
};

/** What four writers wrote about each kind of product. */
export function describedRows(): readonly DescribedRow[] {
  const text = Deno.readTextFileSync(new URL("./described.ndjson", import.meta.url));
  return text.trim().split("\n").map((line, i) => {
    const row = DescribedRow.parse(JSON.parse(line));
    return { ...row, id: `k-${row.writer}-${i + 1}` };
  });
}

/** The same as posts, with the products that they are about. */
export function describedProducts(): { posts: LabelledPost[]; products: ProductLabel[] } {
  const rows = describedRows();
  return {
    posts: rows.map(({ id, title, text }) => ({
      id,
      community: "",
      title: title ?? text,
      body: title === undefined ? "" : text,
    })),
    products: rows.map(({ id, kind, form }) => ({ id, product: kind, isQuery: form === "query" })),
  };
}

export interface Items {
  /** Of the label files given: cross-validation scores these. */
  readonly given: Item[];
  /** Drawn by chance, so a natural sample: scored beside the given ones, never mixed with them. */
  readonly chance: Item[];
  /** Posts written for this project, as other people, places and years would write: they teach. */
  readonly written: Item[];
  /** Drawn because a weak classifier guessed a pattern: they teach and are not scored. */
  readonly drawn: Item[];
}

/**
 * Joins label files with posts; the first label of a post counts. A given label whose post is missing throws
 * `OperatorError`; the project's own labels are left out where the posts at hand lack theirs.
 */
export function gatherItems(files: readonly string[], posts: readonly LabelledPost[]): Items {
  const rowOf = new Map(posts.map((post, row) => [post.id, row]));
  const taken = new Set<string>();
  const join = (file: string, own: boolean): Item[] =>
    readLabels(file).flatMap((label) => {
      const row = rowOf.get(label.id);
      if (row === undefined && !own) {
        throw new OperatorError(`${file}: no posts file holds post ${label.id}`);
      }
      if (row === undefined || taken.has(label.id)) return [];
      taken.add(label.id);
      return [{ row, label }];
    });
  return {
    given: files.flatMap((file) => join(file, false)),
    chance: join(`${OWN}chance.tsv`, true),
    drawn: join(`${OWN}drawn.tsv`, true),
    written: join(`${OWN}written.tsv`, true),
  };
}
