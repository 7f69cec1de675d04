/** What the second look sees of a stretch: sparse features of it, its sentence and its post, and windows of words. */
import { int32s } from "../../short_arrays.ts";
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

/** A candidate with what its sparse features are made of. */
interface Look {
  readonly post: Prepared;
  readonly candidates: readonly Candidate[];
  readonly k: number;
  readonly company: Company;
  readonly from: number;
  readonly to: number;
  readonly last: number;
  readonly group: number;
  readonly sentence: number;
  /** Its sentence. */
  readonly bounds: Sentence;
  /** Where its sentence stands: 0 in the title, 1 early in the body's first line, 2 behind that. */
  readonly place: number;
  readonly asks: number;
}

/** The sparse features of a candidate, in the order in which they are put. */
class SparseFeatures {
  readonly #room: Int32Array;
  count = 0;

  constructor(room: Int32Array) {
    this.#room = room;
  }

  /** Adds a feature: the number of its template, which no other has, and a value. */
  put(template: number, value: number): void {
    if (this.count < MAX_SPARSE) this.#room[this.count++] = feature(1000 + template, value);
  }
}

const mix = (a: number, b: number): number => Math.imul(a, 0x85ebca6b) ^ b;

/**
 * Writes the sparse features of candidate `k` to `room`; returns how many. Those beyond
 * `MAX_SPARSE` are left out, so that the order of their groups is part of what the weights were
 * made for.
 */
export function sparseOf(
  post: Prepared,
  candidates: readonly Candidate[],
  k: number,
  company: Company,
  room: Int32Array,
): number {
  const out = new SparseFeatures(room);
  const look = lookAt(post, candidates, k, company);
  putWords(look, out);
  putEnds(look, out);
  putNeighbours(look, out);
  putSentence(look, out);
  putPlace(look, out);
  putLead(look, out);
  putOtherSpans(look, out);
  putRepeats(look, out);
  putStance(look, out);
  putPost(look, out);
  return out.count;
}

function lookAt(
  post: Prepared,
  candidates: readonly Candidate[],
  k: number,
  company: Company,
): Look {
  const { from, to, group, sentence } = candidates[k]!;
  const { tokens } = post;
  const bounds = tokens.sentences[sentence]!;
  const inTitle = tokens.start[from]! < tokens.titleEnd;
  const place = inTitle ? 0 : bounds.line === 1 && sentence < 4 ? 1 : 2;
  const asks = bounds.asks ? 1 : 0;
  const last = to - 1;
  // deno-fmt-ignore
  return { post, candidates, k, company, from, to, last, group, sentence, bounds, place, asks };
}

/** Its type, its length and its words. */
function putWords(
  { post: { stems, classes, known }, from, to, group }: Look,
  out: SparseFeatures,
): void {
  const [, middle, fine] = classes;
  out.put(0, 0);
  out.put(1, group);
  const length = Math.min(8, to - from);
  out.put(2, length);
  out.put(3, mix(length, group));
  let whole = 0;
  for (let i = from; i < to && i < from + MOST_WORDS; i++) {
    out.put(4, stems[i]!);
    out.put(5, middle[i]!);
    out.put(6, fine[i]!);
    out.put(7, mix(known.roles[i]!, group));
    if (i > from) out.put(8, mix(stems[i - 1]!, stems[i]!));
    whole = mix(whole, stems[i]!);
  }
  out.put(9, whole);
}

/** Words of a candidate that are looked at. */
const MOST_WORDS = 12;

/** Its first and its last word, and how it is written. */
function putEnds({ post, from, to, last }: Look, out: SparseFeatures): void {
  const { words, stems, shapes, classes: [coarse, middle], known, rows, lexemes } = post;
  out.put(10, words[from]!);
  out.put(11, stems[last]!);
  out.put(12, mix(coarse[from]!, coarse[last]!));
  out.put(13, middle[last]!);
  out.put(14, mix(shapes[from]!, shapes[last]!));
  out.put(15, mix(lexemes.traits(rows[from]!), lexemes.traits(rows[last]!)));
  out.put(16, writingOf(post, from, to));
  out.put(17, mix(known.roles[last]!, lexemes.traits(rows[last]!)));
}

/** Whether there are signs of money, numbers and marks in it, and how many capitals. */
function writingOf({ tokens }: Prepared, from: number, to: number): number {
  let money = false, number = false, capital = 0, mark = false;
  for (let i = from; i < to && i < from + MOST_WORDS; i++) {
    if (tokens.kind[i] === KIND.number) number = true;
    if (tokens.word[i] === "$" || tokens.word[i] === "£" || tokens.word[i] === "€") money = true;
    if (tokens.kind[i] === KIND.mark) mark = true;
    const written = tokens.letterCase[i];
    if (written === CASE.capital || written === CASE.upper || written === CASE.mixed) capital++;
  }
  return (money ? 1 : 0) | (number ? 2 : 0) | (mark ? 4 : 0) | Math.min(3, capital) << 3;
}

/** The value of a token, or one of its own where the sentence has begun or ended there. */
function inSentence(values: Int32Array, { from, to }: Sentence, i: number): number {
  return i < from ? 11 : i >= to ? 13 : values[i]!;
}

/** The three words before it and the three after it. */
function putNeighbours({ post, bounds, from, to, last, group }: Look, out: SparseFeatures): void {
  const { words, stems, classes: [, middle] } = post;
  const b1 = inSentence(words, bounds, from - 1);
  const b2 = inSentence(words, bounds, from - 2);
  const b3 = inSentence(words, bounds, from - 3);
  const a1 = inSentence(words, bounds, to);
  const a2 = inSentence(words, bounds, to + 1);
  const a3 = inSentence(words, bounds, to + 2);
  const wide1 = inSentence(middle, bounds, from - 1);
  const wide2 = inSentence(middle, bounds, from - 2);
  out.put(20, b1);
  out.put(21, b2);
  out.put(22, b3);
  out.put(23, a1);
  out.put(24, a2);
  out.put(25, mix(b2, b1));
  out.put(26, mix(mix(b3, b2), b1));
  out.put(27, mix(a1, a2));
  out.put(28, mix(b1, a1));
  out.put(29, mix(b1, stems[last]!));
  out.put(30, mix(b1, middle[last]!));
  out.put(31, wide1);
  out.put(32, wide2);
  out.put(33, inSentence(middle, bounds, from - 3));
  out.put(34, inSentence(middle, bounds, to));
  out.put(35, mix(wide2, wide1));
  out.put(36, mix(a1, mix(a2, a3)));
  out.put(37, mix(b1, group));
  out.put(38, mix(mix(b2, b1), group));
}

/** The further words of its sentence, wherever they stand in it, and how the sentence begins. */
function putSentence({ post, bounds, from, to, group }: Look, out: SparseFeatures): void {
  const { words, stems } = post;
  for (let i = Math.max(bounds.from, from - 10); i < from; i++) {
    out.put(40, stems[i]!);
    out.put(41, mix(stems[i]!, group));
  }
  for (let i = to; i < Math.min(bounds.to, to + 8); i++) {
    out.put(42, stems[i]!);
    out.put(43, mix(stems[i]!, group));
  }
  out.put(44, mix(words[bounds.from]!, inSentence(words, bounds, bounds.from + 1)));
}

/** Where its sentence stands in the post, whether it asks, and what its line is: listed, or labelled ("Budget: ..."). */
function putPlace({ post, bounds, from, to, group, place, asks }: Look, out: SparseFeatures): void {
  const { tokens, stems } = post;
  out.put(50, mix(place, group));
  out.put(51, mix(asks, mix(place, group)));
  const line = tokens.lines[bounds.line]!;
  const labelled = line.label > line.from;
  const form = !labelled ? 0 : from < line.label ? 1 : 2;
  out.put(52, mix(form, group));
  if (form === 2) {
    for (let i = line.from; i < Math.min(line.from + 6, line.label); i++) out.put(53, stems[i]!);
  }
  out.put(54, mix(line.listed ? 1 : 0, mix(group, Math.min(4, to - from))));
}

/** What leads to it: the line that its list stands under, and the end of the sentence before, the title apart. */
function putLead(
  { post: { tokens, stems }, bounds, sentence, group }: Look,
  out: SparseFeatures,
): void {
  const line = tokens.lines[bounds.line]!;
  if (line.lead >= 0) {
    const lead = tokens.lines[line.lead]!;
    for (let i = Math.max(lead.from, lead.to - 10); i < lead.to; i++) {
      out.put(55, stems[i]!);
      out.put(56, mix(stems[i]!, group));
    }
  }
  const previous = tokens.sentences[sentence - 1];
  if (previous !== undefined && previous.to > tokens.lines[0]!.to) {
    for (let i = Math.max(previous.from, previous.to - 8); i < previous.to; i++) {
      out.put(57, stems[i]!);
    }
  }
}

/** The post's other spans: what else is stated, where the product is named, and the spans beside it. */
function putOtherSpans(look: Look, out: SparseFeatures): void {
  const { post, candidates, k, company, bounds, from, to, group, sentence } = look;
  out.put(60, mix(group, Math.min(6, company.counts[THING]!)));
  out.put(61, mix(group, company.products.length === 0 ? 0 : 1));
  let near = 9;
  for (const at of company.products) {
    const apart = at >= bounds.from && at < bounds.to ? at - from : 99;
    if (apart !== 99) near = Math.max(-4, Math.min(4, Math.trunc(apart / 2)));
  }
  out.put(62, mix(group, near));
  let own = 0;
  for (let i = from; i < to; i++) if (company.named.has(post.stems[i]!)) own++;
  out.put(69, mix(group, own === 0 ? 0 : own === to - from ? 2 : 1));
  const before = candidates[k - 1];
  const after = candidates[k + 1];
  out.put(63, mix(group, before?.sentence === sentence ? before.group : 9));
  out.put(64, mix(group, after?.sentence === sentence ? after.group : 9));
}

/** Whether its last word stands in the title and elsewhere, too; of what may be the product, where it stands. */
function putRepeats({ post, bounds, from, last, group, place }: Look, out: SparseFeatures): void {
  const { stems, words, known } = post;
  out.put(65, mix(group, mix(post.inTitle[last]!, post.often[last]!)));
  out.put(66, mix(group, mix(post.inTitle[last]!, known.roles[last]!)));
  if (known.roles[last] === ROLE.kind || group === PRODUCT) {
    out.put(67, mix(stems[last]!, place));
    out.put(68, mix(inSentence(words, bounds, from - 1), place));
  }
}

/** Whether it is asked for or denied, by whom, and by which cues in it and around it. */
function putStance(look: Look, out: SparseFeatures): void {
  const { post: { stance, stems }, bounds, from, to, last, group, sentence, asks } = look;
  const { cues, denied, before, after, lines, parts, persons } = stance;
  const here = denied[from]!;
  const cuesBefore = before[from]!, cueBefore = cuesBefore & 15, cueAfter = after[last]!;
  let inside = 0, needless = 0;
  for (let i = from; i < to; i++) {
    if (inside === 0 && cues[i]! < CUE.want) inside = cues[i]!;
    if (inside !== 0 && cues[i] === CUE.weight) needless = 1;
  }
  out.put(82, here & 3);
  out.put(70, mix(here, group));
  out.put(71, mix(here & 3, mix(inside, needless)));
  out.put(72, mix(mix(here & 3, inside), stems[last]!));
  out.put(73, mix(cuesBefore, group));
  out.put(74, mix(cueBefore, group));
  out.put(75, mix(cueAfter, group));
  out.put(76, mix(cueBefore, cueAfter));
  out.put(77, mix(persons[sentence]!, mix(asks, group)));
  out.put(78, mix(mix(cueBefore, persons[sentence]!), group));
  out.put(79, mix(mix(lines[bounds.line]!, parts), group));
}

/** How long the post is, whether its words are a form's, and how the next sentence begins. */
function putPost(look: Look, out: SparseFeatures): void {
  const { post: { tokens, shared, stems }, company, from, last, group, sentence, place, asks } =
    look;
  out.put(83, mix(company.size, group));
  out.put(84, mix(mix(company.size, place), group));
  out.put(80, mix(shared[from]!, mix(asks, shared[last]!)));
  const next = tokens.sentences[sentence + 1];
  if (next !== undefined) {
    for (let i = next.from; i < Math.min(next.to, next.from + 5); i++) out.put(81, stems[i]!);
  }
}

/**
 * The first and the last token, exclusive, of each window of the candidate that `placeWindows` was
 * last called with.
 */
export const windows = new Int32Array(2 * WINDOWS);

/** Writes the windows of a candidate, cut to its sentence, to `windows`. */
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

/**
 * Writes the mean of the vectors of tokens `start..end`, a 32nd of it, to `out[at..]`. Gives false,
 * and writes nothing, where no token has one.
 */
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

/** Writes a candidate's `SCALARS` inputs beside its vectors, each about 0 to 2, to `out[at..]`. */
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
