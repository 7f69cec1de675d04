/** What the second look sees of a stretch: sparse features of it, its sentence and its post, and windows of words. */
import { int32s } from "../../../core/pieces.ts";
import type { Candidate } from "./candidates.ts";
import { feature, type Prepared } from "../features.ts";
import { ROLE } from "../gazetteers.ts";
import { PRODUCT, TYPES } from "../tagger.ts";
import { CASE, KIND, type Sentence } from "../tokens.ts";
import { CUE } from "../stance.ts";
import { FACT_TYPES } from "../types.ts";

/** Vectors beside the sparse features: of the span, its ends, the words before and after it, its sentence. */
export const WINDOWS = 9;
/** Numbers beside the vectors: the tagger's support, then those that `scalarsOf` writes behind it. */
export const SCALARS = 2 * TYPES + 1 + 7;

/** Most sparse features that one candidate has. */
export const MAX_SPARSE = 240;

/** The tagger's number of products that are weighed. */
const THING = FACT_TYPES.indexOf("considered");

/** What all candidates of a post share, counted once. */
interface Company {
  readonly counts: Int32Array;
  /** First tokens of what is likely the product's name. */
  readonly products: readonly number[];
  /** Its words' stems. */
  readonly named: ReadonlySet<number>;
  /** How long the post is, in steps of half an octave: a short one says little besides what it wants. */
  readonly size: number;
}

/** Counts what all candidates of a post share. */
export function companyOf(post: Prepared, candidates: readonly Candidate[]): Company {
  const counts = int32s(TYPES);
  const products: number[] = [];
  const named = new Set<number>();
  for (const { group, from, to, support } of candidates) {
    if (support[group]! > 0.3) counts[group]!++;
    if (group !== PRODUCT || support[PRODUCT]! < 0.3) continue;
    products.push(from);
    for (let i = from; i < to; i++) named.add(post.stems[i]!);
  }
  const size = Math.round(2 * Math.log2(1 + post.words.length));
  return { counts, products, named, size };
}

/** Fills `room` with the sparse features of candidate `k`; returns how many. */
export function sparseOf(
  post: Prepared,
  candidates: readonly Candidate[],
  k: number,
  company: Company,
  room: Int32Array,
): number {
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
  // Whether it is asked for.
  const { cues, denied, before: cuesBefore, after: cueAfter, lines, parts, persons } = post.stance;
  const here = denied[from]!;
  let inside = 0, needless = 0;
  for (let i = from; i < to; i++) {
    if (inside === 0 && cues[i]! < CUE.want) inside = cues[i]!;
    if (inside !== 0 && cues[i] === CUE.weight) needless = 1;
  }
  put(82, here & 3);
  put(70, mix(here, group));
  put(71, mix(here & 3, mix(inside, needless)));
  put(72, mix(mix(here & 3, inside), stems[last]!));
  put(73, mix(cuesBefore[from]!, group));
  put(74, mix(cuesBefore[from]! & 15, group));
  put(75, mix(cueAfter[last]!, group));
  put(76, mix(cuesBefore[from]! & 15, cueAfter[last]!));
  put(77, mix(persons[sentence]!, mix(bounds.asks ? 1 : 0, group)));
  put(78, mix(mix(cuesBefore[from]! & 15, persons[sentence]!), group));
  put(79, mix(mix(lines[bounds.line]!, parts), group));
  put(83, mix(company.size, group));
  put(84, mix(mix(company.size, place), group));
  put(80, mix(post.shared[from]!, mix(bounds.asks ? 1 : 0, post.shared[last]!)));
  const next = tokens.sentences[sentence + 1];
  if (next !== undefined) {
    for (let i = next.from; i < Math.min(next.to, next.from + 5); i++) put(81, stems[i]!);
  }
  return n;
}

/** Room for the first and the last token, exclusive, of each window of a candidate. */
export const windows = new Int32Array(2 * WINDOWS);

/** Places the windows of a candidate, inside its sentence. */
export function placeWindows({ from, to }: Candidate, bounds: Sentence): void {
  const place = (window: number, start: number, end: number): void => {
    windows[2 * window] = Math.max(bounds.from, start);
    windows[2 * window + 1] = Math.min(bounds.to, end);
  };
  place(0, from, to);
  place(1, to - 1, to);
  place(2, from - 1, from);
  place(3, from - 2, from - 1);
  place(4, from - 3, from - 2);
  place(5, from - 9, from - 3);
  place(6, to, to + 1);
  place(7, to + 1, to + 4);
  place(8, bounds.from, bounds.to);
}

/** Writes the mean of the vectors of tokens `start..end` to `out[at..]`; false, and nothing, where none has one. */
export function meanOf(
  { rows, lexemes: { table: { vectors, dims } } }: Prepared,
  start: number,
  end: number,
  out: Float32Array,
  at: number,
): boolean {
  let count = 0;
  for (let i = start; i < end; i++) {
    const from = rows[i]! * dims;
    if (from < 0 || from >= vectors.length) continue;
    if (count++ === 0) { for (let d = 0; d < dims; d++) out[at + d] = vectors[from + d]!; }
    else for (let d = 0; d < dims; d++) out[at + d]! += vectors[from + d]!;
  }
  if (count === 0) return false;
  const scale = 1 / (count * 32);
  for (let d = at; d < at + dims; d++) out[d]! *= scale;
  return true;
}

/** Writes a candidate's inputs beside its vectors to `out[at..]`. */
export function scalarsOf(
  post: Prepared,
  candidate: Candidate,
  out: Float32Array,
  at: number,
): void {
  const { from, to, sentence, support, group } = candidate;
  const bounds = post.tokens.sentences[sentence]!;
  for (let s = 0; s < support.length; s++) out[at++] = 2 * support[s]!;
  out[at++] = group === PRODUCT ? 1 : 0;
  out[at++] = post.tokens.start[from]! < post.tokens.titleEnd ? 1 : 0;
  out[at++] = Math.min(1, from / 300);
  out[at++] = Math.min(1, (to - from) / 8);
  out[at++] = Math.min(1, (from - bounds.from) / 20);
  out[at++] = Math.min(1, (bounds.to - to) / 20);
  out[at++] = bounds.asks ? 1 : 0;
}
