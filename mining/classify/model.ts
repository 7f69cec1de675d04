/**
 * The trained part: softmax regression on word groups beside a few small networks on cues and averaged word
 * vectors, their probabilities averaged. Weights come from weights.txt, which `deno task train` makes.
 */
import { Buffer } from "node:buffer";
import { OperatorError } from "../../core/errors.ts";
import type { Decision } from "./decide.ts";
import { shares } from "./numbers.ts";
import { Nets, type NetShape } from "./nets.ts";
import { CUE_FEATURES, MAX_SENTENCES, type Reading } from "./reading.ts";
import { HashTable } from "./table.ts";
import { BLOCKS, denseOf, type WordTable } from "./words.ts";

/** The eight patterns, then `none` about a physical product, then `none` about anything else. */
export const CLASSES = 10;
/** Levels of intensity and of willingness to pay. */
export const LEVELS = 4;

/** Arrays of the artefact and how they are stored. Scales turn stored whole numbers into weights. */
export interface Section {
  readonly name: string;
  readonly type: "i32" | "i8" | "u8" | "f32";
  readonly length: number;
  readonly scale: number;
}

export interface Header extends NetShape {
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

const WIDTH = { i32: 4, i8: 1, u8: 1, f32: 4 } as const;

export class Model {
  readonly header: Header;
  readonly #words: WordTable;
  readonly #grams: HashTable;
  readonly #gramWeights: Uint8Array;
  readonly #linear: Int8Array;
  readonly #linearScale: number;
  readonly #linearBias: Float32Array;
  readonly #nets: Nets;
  readonly #seen: Uint32Array;
  #turn = 0;
  readonly #rows: Int32Array;
  readonly #dense: Float32Array;
  readonly #each: Float32Array;

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
    this.#nets = new Nets(header, {
      floats: (name) => new Float32Array(part(name).bytes),
      bytes: (name) => new Int8Array(part(name).bytes),
    });
    this.#seen = new Uint32Array(this.#gramWeights.length);
    this.#rows = new Int32Array(this.#gramWeights.length);
    this.#dense = new Float32Array(BLOCKS * header.dims);
    this.#each = new Float32Array(MAX_SENTENCES * header.dims);
  }

  /** Scores one reading. Not re-entrant, which one thread never notices: it reuses its own buffers. */
  score(reading: Reading): Scores {
    const scores: Scores = {
      classes: this.#linearScores(reading),
      intensity: new Float64Array(LEVELS),
      wtp: new Float64Array(LEVELS),
    };
    denseOf(reading, this.#words, this.#dense, this.#each);
    const classes = new Float64Array(CLASSES);
    this.#nets.fill(reading.cues, this.#dense, reading.points, this.#each);
    const networks = this.header.networks;
    const share = 1 / networks;
    for (let k = 0; k < networks; k++) {
      const out = this.#nets.output(k);
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
    const turn = this.#turn;
    const table = this.#grams;
    const seen = this.#seen;
    const rows = this.#rows;
    const weights = this.#gramWeights;
    const linear = this.#linear;
    const grams = reading.grams;
    let count = 0;
    let square = 0;
    for (let i = 0; i < grams.length; i++) {
      const row = table.row(grams[i]!);
      if (row < 0 || seen[row] === turn) continue;
      seen[row] = turn;
      rows[count++] = row;
      square += weights[row]! * weights[row]!;
    }
    const scale = square > 0 ? this.#linearScale / Math.sqrt(square) : 0;
    for (let i = 0; i < count; i++) {
      const weight = weights[rows[i]!]!;
      for (let c = 0, at = rows[i]! * CLASSES; c < CLASSES; c++, at++) {
        z[c]! += weight * linear[at]!;
      }
    }
    for (let c = 0; c < CLASSES; c++) z[c] = this.#linearBias[c]! + z[c]! * scale;
    shares(z);
    return z;
  }
}
