/**
 * The trained part: softmax regression on word groups beside a few small networks on cues and averaged word
 * vectors, their probabilities averaged. Weights come from weights.txt, which `deno task train` makes.
 */
import { Buffer } from "node:buffer";
import { OperatorError } from "../../core/errors.ts";
import type { Decision } from "./decide.ts";
import { shares } from "./numbers.ts";
import { CUE_FEATURES, type Reading } from "./reading.ts";
import { HashTable } from "./table.ts";
import { denseOf, type WordTable } from "./words.ts";

/** The eight patterns, then `none` about a physical product, then `none` about anything else. */
export const CLASSES = 10;
/** Levels of intensity and of willingness to pay. */
export const LEVELS = 4;
const OUTPUTS = CLASSES + 2 * LEVELS;

/** Arrays of the artefact and how they are stored. Scales turn stored whole numbers into weights. */
export interface Section {
  readonly name: string;
  readonly type: "i32" | "i16" | "i8" | "u8" | "f32";
  readonly length: number;
  readonly scale: number;
}

export interface Header {
  readonly hidden: number;
  readonly networks: number;
  readonly dims: number;
  /** Length of a reading's cues when the weights were made: other cues need other weights. */
  readonly cueFeatures: number;
  readonly decision: Decision;
  readonly sections: readonly Section[];
}

export interface Scores {
  /** `CLASSES` probabilities. */
  readonly classes: Float64Array;
  /** `LEVELS` probabilities each. */
  readonly intensity: Float64Array;
  readonly wtp: Float64Array;
}

interface Net {
  readonly first: Int16Array;
  readonly firstScale: number;
  readonly firstBias: Float32Array;
  readonly second: Float32Array;
  readonly secondBias: Float32Array;
}

const WIDTH = { i32: 4, i16: 2, i8: 1, u8: 1, f32: 4 } as const;

export class Model {
  readonly header: Header;
  readonly #words: WordTable;
  readonly #grams: HashTable;
  readonly #gramWeights: Uint8Array;
  readonly #linear: Int8Array;
  readonly #linearScale: number;
  readonly #linearBias: Float32Array;
  readonly #nets: readonly Net[];
  readonly #seen: Uint32Array;
  #turn = 0;
  readonly #rows: Int32Array;
  readonly #dense: Float32Array;
  readonly #hidden: Float64Array;

  /** Reads the artefact: a comment line, a line of JSON (`Header`), a line of base64. */
  constructor(artefact: string) {
    const [, json, data] = artefact.split("\n");
    const header = JSON.parse(json ?? "") as Header;
    if (header.cueFeatures !== CUE_FEATURES) {
      throw new OperatorError(
        "mining/classify/weights.txt was made for other cues: run deno task train",
      );
    }
    this.header = header;
    const bytes = Buffer.from(data ?? "", "base64");
    const raw = new Map<string, { bytes: ArrayBuffer; scale: number }>();
    let at = 0;
    for (const section of header.sections) {
      const size = section.length * WIDTH[section.type];
      const copy = new Uint8Array(size);
      copy.set(bytes.subarray(at, at + size));
      raw.set(section.name, { bytes: copy.buffer, scale: section.scale });
      at += size;
    }
    const part = (name: string) => {
      const found = raw.get(name);
      if (found === undefined) {
        throw new OperatorError(`mining/classify/weights.txt has no ${name}`);
      }
      return found;
    };
    this.#words = {
      table: new HashTable(new Int32Array(part("wordKeys").bytes)),
      values: new Int8Array(part("wordValues").bytes),
      weights: new Uint8Array(part("wordWeights").bytes),
      dims: header.dims,
    };
    this.#grams = new HashTable(new Int32Array(part("gramKeys").bytes));
    this.#gramWeights = new Uint8Array(part("gramWeights").bytes);
    this.#linear = new Int8Array(part("linear").bytes);
    this.#linearScale = part("linear").scale;
    this.#linearBias = new Float32Array(part("linearBias").bytes);
    this.#nets = Array.from({ length: header.networks }, (_, i) => ({
      first: new Int16Array(part(`first${i}`).bytes),
      firstScale: part(`first${i}`).scale,
      firstBias: new Float32Array(part(`firstBias${i}`).bytes),
      second: new Float32Array(part(`second${i}`).bytes),
      secondBias: new Float32Array(part(`secondBias${i}`).bytes),
    }));
    this.#seen = new Uint32Array(this.#gramWeights.length);
    this.#rows = new Int32Array(this.#gramWeights.length);
    this.#dense = new Float32Array(2 * header.dims);
    this.#hidden = new Float64Array(header.hidden);
  }

  /** Scores one reading. Not re-entrant, which one thread never notices: it reuses its own buffers. */
  score(reading: Reading): Scores {
    const scores: Scores = {
      classes: this.#linearScores(reading),
      intensity: new Float64Array(LEVELS),
      wtp: new Float64Array(LEVELS),
    };
    denseOf(reading.words, reading.titleWords, this.#words, this.#dense);
    const classes = new Float64Array(CLASSES);
    const share = 1 / this.#nets.length;
    for (const net of this.#nets) {
      const out = this.#runNet(net, reading.cues);
      const parts = [
        out.subarray(0, CLASSES),
        out.subarray(CLASSES, CLASSES + LEVELS),
        out.subarray(CLASSES + LEVELS),
      ];
      for (const part of parts) shares(part);
      for (let c = 0; c < CLASSES; c++) classes[c]! += share * parts[0]![c]!;
      for (let l = 0; l < LEVELS; l++) {
        scores.intensity[l]! += share * parts[1]![l]!;
        scores.wtp[l]! += share * parts[2]![l]!;
      }
    }
    for (let c = 0; c < CLASSES; c++) scores.classes[c] = (scores.classes[c]! + classes[c]!) / 2;
    return scores;
  }

  /** Softmax regression on the word groups the model knows, each counted once, scaled to length 1. */
  #linearScores(reading: Reading): Float64Array {
    const z = new Float64Array(CLASSES);
    if (++this.#turn === 0xffffffff) {
      this.#seen.fill(0);
      this.#turn = 1;
    }
    let count = 0;
    let square = 0;
    for (let i = 0; i < reading.grams.length; i++) {
      const row = this.#grams.row(reading.grams[i]!);
      if (row < 0 || this.#seen[row] === this.#turn) continue;
      this.#seen[row] = this.#turn;
      this.#rows[count++] = row;
      square += this.#gramWeights[row]! ** 2;
    }
    const scale = square > 0 ? this.#linearScale / Math.sqrt(square) : 0;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i]!;
      const weight = this.#gramWeights[row]!;
      for (let c = 0, at = row * CLASSES; c < CLASSES; c++) z[c]! += weight * this.#linear[at + c]!;
    }
    for (let c = 0; c < CLASSES; c++) z[c] = this.#linearBias[c]! + z[c]! * scale;
    shares(z);
    return z;
  }

  #runNet(net: Net, cues: Float32Array): Float64Array {
    const h = this.#hidden;
    const width = h.length;
    h.fill(0);
    for (let i = 0; i < cues.length; i++) {
      const value = cues[i]!;
      if (value === 0) continue;
      for (let j = 0, at = i * width; j < width; j++) h[j]! += value * net.first[at + j]!;
    }
    for (let i = 0; i < this.#dense.length; i++) {
      const value = this.#dense[i]!;
      for (let j = 0, at = (CUE_FEATURES + i) * width; j < width; j++) {
        h[j]! += value * net.first[at + j]!;
      }
    }
    const out = Float64Array.from(net.secondBias);
    for (let j = 0; j < width; j++) {
      const value = h[j]! * net.firstScale + net.firstBias[j]!;
      if (value <= 0) continue;
      for (let o = 0; o < OUTPUTS; o++) out[o]! += value * net.second[j * OUTPUTS + o]!;
    }
    return out;
  }
}
