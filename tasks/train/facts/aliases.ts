/** Learns from labels which spans say a value, and which phrases a kind of product: proposals, to be reviewed. */
import { keyOf } from "../../../mining/extract/values.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import type { LabelledPost } from "../data.ts";
import type { FactLabel } from "./labels.ts";

const MOST_STEMS = 4;
const LEAST_SHARE = 0.6;

type Counts = Map<string, Map<string, number>>;

function count(counts: Counts, key: string, value: string): void {
  const inner = counts.get(key) ?? new Map<string, number>();
  inner.set(value, (inner.get(value) ?? 0) + 1);
  counts.set(key, inner);
}

/** The most frequent entry, and its share. */
function top(counts: ReadonlyMap<string, number>): readonly [string, number, number] {
  let sum = 0;
  let best = "";
  let most = 0;
  for (const [value, n] of counts) {
    sum += n;
    if (n > most || (n === most && value < best)) [best, most] = [value, n];
  }
  return [best, most / sum, most];
}

/**
 * The aliases of each type as lines of mining/extract/aliases.txt: values that at least `least` posts have, each with
 * the spans that mostly mean it. `merge` names the value that stands for another by what is in the file already.
 */
export function learnAliases(
  labels: readonly FactLabel[],
  posts: ReadonlyMap<string, LabelledPost>,
  merge: (type: string, value: string) => string,
  least: number,
): string[] {
  const out: string[] = [];
  for (const type of FACT_TYPES) {
    if (type === "price") continue;
    const spelled: Counts = new Map();
    const bySpan: Counts = new Map();
    const support = new Map<string, number>();
    const spans = new Map<string, string>();
    const facts = labels.flatMap(({ id, facts }) => {
      const post = posts.get(id);
      return post === undefined ? [] : facts.filter((fact) => fact[0] === type).map((fact) => ({
        span: `${post.title}\n${post.body}`.slice(fact[1], fact[2]),
        value: merge(type, fact[3]),
      }));
    });
    for (const { value } of facts) count(spelled, keyOf(value), value);
    for (const { span, value } of facts) {
      const usual = top(spelled.get(keyOf(value))!)[0];
      support.set(usual, (support.get(usual) ?? 0) + 1);
      const key = keyOf(span);
      if (key === "" || key.split(" ").length > MOST_STEMS) continue;
      count(bySpan, key, usual);
      const plain = span.toLowerCase().replace(/[^\p{L}\p{N}"'/.+& -]+/gu, " ").replace(/\s+/g, " ")
        .trim();
      if (!spans.has(key) || plain.length < spans.get(key)!.length) spans.set(key, plain);
    }
    const variants = new Map<string, string[]>();
    for (const [key, values] of bySpan) {
      const [value, share, most] = top(values);
      if (share < LEAST_SHARE || (support.get(value) ?? 0) < least) continue;
      // What one reader alone put so must at least share a word with the value.
      const own = new Set(keyOf(value).split(" "));
      if (most < 2 && !key.split(" ").some((word) => own.has(word))) continue;
      if (most < 2 && key.split(" ").length > 2) continue;
      const list = variants.get(value) ?? [];
      if (key !== keyOf(value)) list.push(spans.get(key)!);
      variants.set(value, list);
    }
    out.push(`[${type}]`);
    for (const [value, list] of [...variants].sort(([a], [b]) => a < b ? -1 : 1)) {
      if (list.length === 0 && (support.get(value) ?? 0) < 2 * least) continue;
      out.push(list.length === 0 ? value : `${value} = ${list.sort().join(", ")}`);
    }
  }
  return out;
}

/** The names of kinds as lines of mining/extract/product/heads.txt: each head with the phrases that readers put under it. */
export function learnHeads(
  labels: readonly FactLabel[],
  posts: ReadonlyMap<string, LabelledPost>,
  nameOf: (phrase: string) => string,
  headOf: (phrase: string) => string,
): string[] {
  const byPhrase: Counts = new Map();
  const support = new Map<string, number>();
  for (const { id, demand, product, head, product_span: span } of labels) {
    if (demand === 0 || head === "") continue;
    support.set(head, (support.get(head) ?? 0) + 1);
    count(byPhrase, nameOf(product), head);
    const post = posts.get(id);
    if (post === undefined || span === null) continue;
    // Where only a model is named, its name is the kind's.
    const named = nameOf(`${post.title}\n${post.body}`.slice(...span));
    if (named !== nameOf(product)) count(byPhrase, named, head);
  }
  const out = new Map<string, string[]>();
  for (const [phrase, values] of byPhrase) {
    const [head, share, most] = top(values);
    if (share < LEAST_SHARE || headOf(phrase) === head) continue;
    if (most < 2 && (support.get(head) ?? 0) < 3) continue;
    out.set(head, [...out.get(head) ?? [], phrase]);
  }
  return [...out].sort(([a], [b]) => a < b ? -1 : 1).map(([head, phrases]) =>
    `${head} = ${phrases.filter((phrase) => phrase !== head).sort().join(", ")}`
  ).map((line) => line.replace(/ = $/, ""));
}
