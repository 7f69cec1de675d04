/** Makes weights small, and writes them as the two text files that the reader loads (mining/extract/model.ts). */
import { Buffer } from "node:buffer";
import { deflateRawSync } from "node:zlib";
import type { Header, ProductHeader, ReaderFiles, Section } from "../../../mining/extract/model.ts";
import { CLASSES, type SpanWeights } from "../../../mining/extract/spans/spans.ts";
import type { StackWeights } from "../../../mining/extract/spans/stacking.ts";
import { type TaggerWeights, TAGS } from "../../../mining/extract/tagger.ts";
import type { SpanDecision } from "../../../mining/extract/spans/choose.ts";
import type { LexemeTable } from "../../../mining/classify/lexemes.ts";
import type { ProductWeights } from "../../../mining/extract/product/choice.ts";
import type { GistTable } from "../../../mining/extract/product/gist.ts";
import type { ShelfTable } from "../../../mining/extract/product/shelves.ts";

/** Features kept: those of most weight. */
const TAGGER_ROWS = 57_000;
const SPAN_ROWS = 38_000;

/** Keeps the features of most weight, in whole numbers of -127..127. */
function compact(
  keys: Int32Array,
  values: ArrayLike<number>,
  width: number,
  most: number,
): { keys: Int32Array; values: Int8Array; scale: number } {
  const sizes = Float64Array.from(keys, (_, row) => {
    let sum = 0;
    for (let t = row * width; t < (row + 1) * width; t++) sum += values[t]! ** 2;
    return sum;
  });
  const order = [...sizes.keys()].sort((a, b) => sizes[b]! - sizes[a]! || a - b).slice(0, most);
  const rows = order.sort((a, b) => keys[a]! - keys[b]!);
  let top = 0;
  const magnitudes: number[] = [];
  for (const row of rows) {
    for (let t = row * width; t < (row + 1) * width; t++) magnitudes.push(Math.abs(values[t]!));
  }
  magnitudes.sort((a, b) => a - b);
  top = Math.max(1e-6, magnitudes[Math.floor(magnitudes.length * 0.9995)] ?? 1);
  const scale = top / 127;
  const out = new Int8Array(rows.length * width);
  rows.forEach((row, k) => {
    for (let t = 0; t < width; t++) {
      const whole = Math.round(values[row * width + t]! / scale);
      // What is next to nothing is nothing: zeros pack well.
      out[k * width + t] = Math.abs(whole) < 3 ? 0 : Math.max(-127, Math.min(127, whole));
    }
  });
  return { keys: Int32Array.from(rows, (row) => keys[row]!), values: out, scale };
}

/** The tagger's weights as whole numbers, those of the weightiest features alone. */
export function compactTagger(weights: TaggerWeights<Float32Array>): TaggerWeights {
  return { ...weights, ...compact(weights.keys, weights.values, TAGS, TAGGER_ROWS) };
}

/** The same of the second look, which is given its weights of what is wanted later (`withWanted`). */
export function compactSpans(weights: SpanWeights<Float32Array>): SpanWeights {
  const kept = compact(weights.keys, weights.values, CLASSES, SPAN_ROWS);
  return { ...weights, ...kept, wanted: new Int8Array(kept.keys.length) };
}

/** Steps of a quarter as many: they pack into far fewer bytes, and dozens of weights are added up anyway. */
const COARSE = 4;

function coarse(values: ArrayLike<number>): Int8Array {
  return Int8Array.from(values, (value) => Math.round(value / COARSE));
}

/** Rising whole numbers as the steps between them, byte by byte: all lowest bytes, then all second ones, and on. */
function stepsOf(keys: Int32Array): Uint8Array {
  const out = new Uint8Array(keys.length * 4);
  let before = -2147483648;
  keys.forEach((key, i) => {
    const step = key - before;
    for (let b = 0; b < 4; b++) out[b * keys.length + i] = Math.floor(step / 256 ** b) % 256;
    before = key;
  });
  return out;
}

/** The arrays of one file. */
class Arrays {
  readonly sections: Section[] = [];
  readonly #parts: Uint8Array[] = [];

  add(name: string, type: Section["type"], data: ArrayBufferView & ArrayLike<number>): void {
    this.sections.push({ name, type, length: data.length });
    this.#parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice());
  }

  /** The file's text. */
  text(of: string, header: unknown): string {
    const note =
      `# Weights of the built-in reader, ${of}, made by \`deno task train\`; not to be edited.`;
    const packed = deflateRawSync(Buffer.concat(this.#parts), { level: 9 });
    return `${note}\n${JSON.stringify(header)}\n${packed.toString("base64")}\n`;
  }
}

/** The texts of the files. The same reader gives the same bytes. */
export const toFactsArtefact = (reader: TrainedReader): ReaderFiles => ({
  facts: factsFile(reader),
  product: productFile(reader),
});

function factsFile({ lexemes, tagger, spans, stack, decision, gate }: TrainedReader): string {
  const arrays = new Arrays();
  const add = arrays.add.bind(arrays);
  add("wordKeys", "i32", lexemes.keys);
  add("wordClasses", "u16", lexemes.classes);
  add("wordTraits", "u8", lexemes.traits);
  add("wordVectors", "i8", lexemes.vectors);
  add("forms", "i32", lexemes.forms);
  add("phrases", "i32", lexemes.phrases);
  add("taggerKeys", "u8", stepsOf(tagger.keys));
  add("taggerValues", "i8", coarse(tagger.values));
  add("transitions", "f32", tagger.transitions);
  add("spanKeys", "u8", stepsOf(spans.keys));
  add("spanValues", "i8", coarse(spans.values));
  add("first", "f32", spans.first);
  add("second", "f32", spans.second);
  add("wanted", "i8", spans.wanted);
  add("stackFirst", "f32", stack.first);
  add("stackSecond", "f32", stack.second);
  const header: Header = {
    dims: lexemes.dims,
    hidden: spans.hidden,
    taggerScale: tagger.scale * COARSE,
    spanScale: spans.scale * COARSE,
    wantedScale: spans.wantedScale,
    stackHidden: stack.hidden,
    decision,
    gate: { weights: gate },
    sections: arrays.sections,
  };
  return arrays.text("for facts", header);
}

function productFile({ shelves, gist, product }: TrainedReader): string {
  const arrays = new Arrays();
  const add = arrays.add.bind(arrays);
  add("gistNames", "u8", new TextEncoder().encode(gist.names.join("\n")));
  add("gistKeys", "u8", stepsOf(gist.keys));
  add("gistRareness", "u8", gist.rareness);
  add("gistWords", "i8", gist.words);
  add("gistKinds", "i8", gist.kinds);
  add("gistUsual", "i8", gist.usual);
  add("shelfNames", "u8", new TextEncoder().encode(shelves.names.join("\n")));
  add("shelfPriors", "u8", shelves.priors);
  add("shelfKeys", "u8", stepsOf(shelves.keys));
  add("shelfEnds", "i32", shelves.ends);
  add("shelfKinds", "u16", shelves.kinds);
  add("shelfWeights", "u8", shelves.weights);
  add("lastKeys", "u8", stepsOf(shelves.lastKeys));
  add("lastOdds", "i8", shelves.lastOdds);
  const header: ProductHeader = {
    gist: { dims: gist.dims, wordScale: gist.wordScale, kindScale: gist.kindScale },
    product,
    sections: arrays.sections,
  };
  return arrays.text("for products", header);
}

/** A trained reader before it is written to its file. */
export interface TrainedReader {
  readonly lexemes: LexemeTable;
  readonly tagger: TaggerWeights;
  readonly spans: SpanWeights;
  readonly stack: StackWeights;
  readonly shelves: ShelfTable;
  readonly gist: GistTable;
  readonly decision: SpanDecision;
  readonly product: ProductWeights;
  readonly gate: readonly number[];
}
