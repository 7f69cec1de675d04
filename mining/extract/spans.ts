/**
 * The second look: every stretch that the tagger thinks of is read once more in its sentence, beside the post's
 * other stretches, and given a type or dropped.
 */
import { shares } from "../classify/numbers.ts";
import { FeatureTable } from "../classify/table.ts";
import type { Candidate } from "./candidates.ts";
import { feature, type Prepared } from "./features.ts";
import { ROLE } from "./gazetteers.ts";
import { PRODUCT, TYPES } from "./tagger.ts";
import { CASE, KIND } from "./tokens.ts";
import { FACT_TYPES } from "./types.ts";

/** Classes of the second look: the types of facts, the product, nothing. */
export const PRODUCT_CLASS = FACT_TYPES.length;
export const NONE_CLASS = PRODUCT_CLASS + 1;
export const CLASSES = NONE_CLASS + 1;

/** Vectors beside the sparse features: of the span, its ends, the words before and after it, its sentence. */
const WINDOWS = 9;
const SCALARS = 2 * TYPES + 1 + 7;

export function denseSize(dims: number): number {
  return WINDOWS * dims + SCALARS;
}

const MAX_SPARSE = 200;
const room = new Int32Array(MAX_SPARSE);

/** The tagger's number of products that are weighed. */
const THING = FACT_TYPES.indexOf("considered");

/** What all candidates of a post share, counted once. */
interface Company {
  readonly counts: Int32Array;
  /** First tokens of what is likely the product's name. */
  readonly products: readonly number[];
  /** Its words' stems. */
  readonly named: ReadonlySet<number>;
}

export function companyOf(post: Prepared, candidates: readonly Candidate[]): Company {
  const counts = new Int32Array(TYPES);
  const products: number[] = [];
  const named = new Set<number>();
  for (const { group, from, to, support } of candidates) {
    if (support[group]! > 0.3) counts[group]!++;
    if (group !== PRODUCT || support[PRODUCT]! < 0.3) continue;
    products.push(from);
    for (let i = from; i < to; i++) named.add(post.stems[i]!);
  }
  return { counts, products, named };
}

/** The sparse features of candidate `k`. */
export function sparseOf(
  post: Prepared,
  candidates: readonly Candidate[],
  k: number,
  company: Company,
): Int32Array {
  const { from, to, sentence, group } = candidates[k]!;
  const { tokens, words, stems, shapes, classes, known, rows, lexemes } = post;
  const [coarse, middle, fine] = classes;
  const bounds = tokens.sentences[sentence]!;
  let n = 0;
  const put = (template: number, value: number): void => {
    if (n < MAX_SPARSE) room[n++] = feature(1000 + template, value);
  };
  const mix = (a: number, b: number): number => Math.imul(a, 0x85ebca6b) ^ b;
  put(0, 0);
  put(1, group);
  const length = Math.min(8, to - from);
  put(2, length);
  put(3, mix(length, group));
  let whole = 0;
  let money = false, number = false, capital = 0, mark = false;
  for (let i = from; i < to && i < from + 12; i++) {
    put(4, stems[i]!);
    put(5, middle[i]!);
    put(6, fine[i]!);
    put(7, mix(known.roles[i]!, group));
    if (i > from) put(8, mix(stems[i - 1]!, stems[i]!));
    whole = mix(whole, stems[i]!);
    if (tokens.kind[i] === KIND.number) number = true;
    if (tokens.word[i] === "$" || tokens.word[i] === "£" || tokens.word[i] === "€") money = true;
    if (tokens.kind[i] === KIND.mark) mark = true;
    const written = tokens.letterCase[i];
    if (written === CASE.capital || written === CASE.upper || written === CASE.mixed) capital++;
  }
  put(9, whole);
  const last = to - 1;
  put(10, words[from]!);
  put(11, stems[last]!);
  put(12, mix(coarse[from]!, coarse[last]!));
  put(13, middle[last]!);
  put(14, mix(shapes[from]!, shapes[last]!));
  put(15, mix(lexemes.traits(rows[from]!), lexemes.traits(rows[last]!)));
  put(16, (money ? 1 : 0) | (number ? 2 : 0) | (mark ? 4 : 0) | Math.min(3, capital) << 3);
  put(17, mix(known.roles[last]!, lexemes.traits(rows[last]!)));
  // What stands around it.
  const word = (i: number): number => i < bounds.from ? 11 : i >= bounds.to ? 13 : words[i]!;
  const wide = (i: number): number => i < bounds.from ? 11 : i >= bounds.to ? 13 : middle[i]!;
  const b1 = word(from - 1), b2 = word(from - 2), b3 = word(from - 3);
  const a1 = word(to), a2 = word(to + 1), a3 = word(to + 2);
  put(20, b1);
  put(21, b2);
  put(22, b3);
  put(23, a1);
  put(24, a2);
  put(25, mix(b2, b1));
  put(26, mix(mix(b3, b2), b1));
  put(27, mix(a1, a2));
  put(28, mix(b1, a1));
  put(29, mix(b1, stems[last]!));
  put(30, mix(b1, middle[last]!));
  put(31, wide(from - 1));
  put(32, wide(from - 2));
  put(33, wide(from - 3));
  put(34, wide(to));
  put(35, mix(wide(from - 2), wide(from - 1)));
  put(36, mix(a1, mix(a2, a3)));
  put(37, mix(b1, group));
  put(38, mix(mix(b2, b1), group));
  for (let i = Math.max(bounds.from, from - 10); i < from; i++) {
    put(40, stems[i]!);
    put(41, mix(stems[i]!, group));
  }
  for (let i = to; i < Math.min(bounds.to, to + 8); i++) {
    put(42, stems[i]!);
    put(43, mix(stems[i]!, group));
  }
  put(44, mix(words[bounds.from]!, word(bounds.from + 1)));
  // The sentence, and where it stands.
  const inTitle = tokens.start[from]! < tokens.titleEnd;
  const place = inTitle ? 0 : bounds.line === 1 && sentence < 4 ? 1 : 2;
  put(50, mix(place, group));
  put(51, mix(bounds.asks ? 1 : 0, mix(place, group)));
  const line = tokens.lines[bounds.line]!;
  const labelled = line.label > line.from;
  const form = !labelled ? 0 : from < line.label ? 1 : 2;
  put(52, mix(form, group));
  if (form === 2) {
    for (let i = line.from; i < Math.min(line.from + 6, line.label); i++) put(53, stems[i]!);
  }
  put(54, mix(line.listed ? 1 : 0, mix(group, Math.min(4, to - from))));
  if (line.lead >= 0) {
    const lead = tokens.lines[line.lead]!;
    for (let i = Math.max(lead.from, lead.to - 10); i < lead.to; i++) {
      put(55, stems[i]!);
      put(56, mix(stems[i]!, group));
    }
  }
  const previous = tokens.sentences[sentence - 1];
  if (previous !== undefined && previous.to > tokens.lines[0]!.to) {
    for (let i = Math.max(previous.from, previous.to - 8); i < previous.to; i++) put(57, stems[i]!);
  }
  // Other spans of the post.
  put(60, mix(group, Math.min(6, company.counts[THING]!)));
  put(61, mix(group, company.products.length === 0 ? 0 : 1));
  let near = 9;
  for (const at of company.products) {
    const apart = at >= bounds.from && at < bounds.to ? at - from : 99;
    if (apart !== 99) near = Math.max(-4, Math.min(4, Math.trunc(apart / 2)));
  }
  put(62, mix(group, near));
  const before = candidates[k - 1];
  const after = candidates[k + 1];
  let own = 0;
  for (let i = from; i < to; i++) if (company.named.has(stems[i]!)) own++;
  put(69, mix(group, own === 0 ? 0 : own === to - from ? 2 : 1));
  put(63, mix(group, before?.sentence === sentence ? before.group : 9));
  put(64, mix(group, after?.sentence === sentence ? after.group : 9));
  put(65, mix(group, mix(post.inTitle[last]!, post.often[last]!)));
  put(66, mix(group, mix(post.inTitle[last]!, known.roles[last]!)));
  if (known.roles[last] === ROLE.kind || group === PRODUCT) {
    put(67, mix(stems[last]!, place));
    put(68, mix(b1, place));
  }
  return room.slice(0, n);
}

/** The dense inputs of a candidate, into `out`. */
export function denseOf(
  post: Prepared,
  candidate: Candidate,
  out: Float32Array,
): void {
  const { from, to, sentence, support, group } = candidate;
  const { tokens, rows, lexemes: { table: { vectors, dims } } } = post;
  const bounds = tokens.sentences[sentence]!;
  const vectored = vectors.length / dims;
  out.fill(0);
  const mean = (window: number, start: number, end: number): void => {
    let count = 0;
    const at = window * dims;
    for (let i = Math.max(bounds.from, start); i < Math.min(bounds.to, end); i++) {
      const row = rows[i]!;
      if (row < 0 || row >= vectored) continue;
      count++;
      for (let d = 0; d < dims; d++) out[at + d]! += vectors[row * dims + d]!;
    }
    const scale = count === 0 ? 0 : 1 / (count * 32);
    for (let d = at; d < at + dims; d++) out[d]! *= scale;
  };
  mean(0, from, to);
  mean(1, to - 1, to);
  mean(2, from - 1, from);
  mean(3, from - 2, from - 1);
  mean(4, from - 3, from - 2);
  mean(5, from - 9, from - 3);
  mean(6, to, to + 1);
  mean(7, to + 1, to + 4);
  mean(8, bounds.from, bounds.to);
  let at = WINDOWS * dims;
  for (const value of support) out[at++] = 2 * value;
  out[at++] = group === PRODUCT ? 1 : 0;
  out[at++] = tokens.start[from]! < tokens.titleEnd ? 1 : 0;
  out[at++] = Math.min(1, from / 300);
  out[at++] = Math.min(1, (to - from) / 8);
  out[at++] = Math.min(1, (from - bounds.from) / 20);
  out[at++] = Math.min(1, (bounds.to - to) / 20);
  out[at++] = bounds.asks ? 1 : 0;
}

/** A log-linear model of the sparse features, and a hidden layer over the dense ones beside it. */
export interface SpanWeights<Values = Int8Array> {
  readonly keys: Int32Array;
  /** `CLASSES` a feature. */
  readonly values: Values;
  readonly scale: number;
  readonly hidden: number;
  /** `hidden` a dense input, then `hidden` biases. */
  readonly first: Float32Array;
  /** `CLASSES` a hidden unit, then `CLASSES` biases. */
  readonly second: Float32Array;
}

/** The second look with its weights. */
export class SpanReader {
  readonly weights: SpanWeights;
  readonly #table: FeatureTable;
  readonly #dense: Float32Array;
  readonly #units: Float64Array;
  readonly #sums = new Int32Array(CLASSES);

  constructor(weights: SpanWeights, dims: number) {
    this.weights = weights;
    this.#table = new FeatureTable(weights.keys);
    this.#dense = new Float32Array(denseSize(dims));
    this.#units = new Float64Array(weights.hidden);
  }

  /** The classes' probabilities of every candidate. */
  read(post: Prepared, candidates: readonly Candidate[]): Float64Array[] {
    const { values, scale, hidden, first, second } = this.weights;
    const company = companyOf(post, candidates);
    const units = this.#units;
    const dense = this.#dense;
    const sums = this.#sums;
    return candidates.map((candidate, k) => {
      const z = new Float64Array(CLASSES);
      sums.fill(0);
      for (const key of sparseOf(post, candidates, k, company)) {
        const row = this.#table.row(key);
        if (row < 0) continue;
        for (let c = 0, at = row * CLASSES; c < CLASSES; c++) sums[c]! += values[at + c]!;
      }
      for (let c = 0; c < CLASSES; c++) z[c] = sums[c]! * scale;
      denseOf(post, candidate, dense);
      const biases = dense.length * hidden;
      for (let h = 0; h < hidden; h++) units[h] = first[biases + h]!;
      for (let d = 0; d < dense.length; d++) {
        const x = dense[d]!;
        if (x === 0) continue;
        for (let h = 0, at = d * hidden; h < hidden; h++) units[h]! += x * first[at + h]!;
      }
      for (let h = 0; h < hidden; h++) {
        const u = units[h]!;
        if (u <= 0) continue;
        for (let c = 0, at = h * CLASSES; c < CLASSES; c++) z[c]! += u * second[at + c]!;
      }
      for (let c = 0; c < CLASSES; c++) z[c]! += second[hidden * CLASSES + c]!;
      shares(z);
      return z;
    });
  }
}
