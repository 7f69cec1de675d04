/**
 * The trained part: softmax regression on word groups, and a few small networks on cues, averaged word vectors and
 * what that regression leans to; their probabilities averaged. Weights come from weights.txt, which `deno task
 * train` makes.
 */
import { Buffer } from "node:buffer";
import { OperatorError } from "../../core/errors.ts";
import type { Decision } from "./decide.ts";
import { GROUP_SHARE, GroupRegression, PATTERN_CLASSES } from "./groups.ts";
import { shares } from "./numbers.ts";
import { Nets, type NetShape } from "./nets.ts";
import { CUE_FEATURES, MAX_SENTENCES, type Reading } from "./reading.ts";
import { HashTable } from "./table.ts";
import { BLOCKS, denseWords, type WordTable } from "./word_table.ts";

/** Levels of intensity and of willingness to pay. */
export const LEVELS = 4;

/** An array of the artefact. Whole numbers times `scale` are its weights; `length` counts them. */
export interface NetworkSection {
  readonly name: string;
  readonly type: "i32" | "i8" | "u8" | "f32";
  readonly length: number;
  readonly scale: number;
}

/**
 * The artefact's second line: the sizes of the networks, the decision, and the arrays in their
 * order.
 */
export interface NetworkHeader extends NetShape {
  /** Length of a reading's cues when the weights were made: other cues need other weights. */
  readonly cueFeatures: number;
  readonly decision: Decision;
  readonly sections: readonly NetworkSection[];
}

/** What the model makes of a post: probabilities that sum to 1 in each array. */
export interface Scores {
  /** `PATTERN_CLASSES` probabilities. */
  readonly classes: Float64Array;
  /** `LEVELS` probabilities each. */
  readonly intensity: Float64Array;
  readonly wtp: Float64Array;
}

const WIDTH = { i32: 4, i8: 1, u8: 1, f32: 4 } as const;

/** The trained classifier. It reads its artefact once, and scores readings one at a time. */
export class Model {
  readonly header: NetworkHeader;
  readonly #words: WordTable;
  readonly #groups: GroupRegression;
  readonly #nets: Nets;
  readonly #dense: Float32Array;
  readonly #each: Float32Array;

  /** Reads the artefact: a comment line, a line of JSON (`NetworkHeader`), a line of base64. */
  constructor(artefact: string) {
    const [, json, data] = artefact.split("\n");
    const header = JSON.parse(json ?? "") as NetworkHeader;
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
    this.#groups = new GroupRegression({
      keys: new Int32Array(part("gramKeys").bytes),
      weights: new Uint8Array(part("gramWeights").bytes),
      pulls: new Int8Array(part("linear").bytes),
      scale: part("linear").scale,
      bias: new Float32Array(part("linearBias").bytes),
    });
    this.#nets = new Nets(header, {
      floats: (name) => new Float32Array(part(name).bytes),
      bytes: (name) => new Int8Array(part(name).bytes),
    });
    this.#dense = new Float32Array(BLOCKS * header.dims);
    this.#each = new Float32Array(MAX_SENTENCES * header.dims);
  }

  /** Scores one reading. Not re-entrant, which one thread never notices: it reuses its own buffers. */
  score(reading: Reading): Scores {
    const scores: Scores = {
      classes: this.#groups.read(reading),
      intensity: new Float64Array(LEVELS),
      wtp: new Float64Array(LEVELS),
    };
    denseWords(reading, this.#words, this.#dense, this.#each);
    for (let c = 0; c < PATTERN_CLASSES; c++) scores.classes[c]! *= GROUP_SHARE;
    const groups = this.#groups;
    this.#nets.fill(
      { sparse: reading.cues, leaning: groups.leaning, dense: this.#dense },
      { points: reading.points, leanings: groups.each, dense: this.#each },
    );
    const networks = this.header.networks;
    const share = 1 / networks;
    for (let k = 0; k < networks; k++) {
      const out = this.#nets.output(k);
      const parts = [
        out.subarray(0, PATTERN_CLASSES),
        out.subarray(PATTERN_CLASSES, PATTERN_CLASSES + LEVELS),
        out.subarray(PATTERN_CLASSES + LEVELS),
      ];
      for (const part of parts) shares(part);
      for (let c = 0; c < PATTERN_CLASSES; c++) {
        scores.classes[c]! += (1 - GROUP_SHARE) * share * parts[0]![c]!;
      }
      for (let l = 0; l < LEVELS; l++) {
        scores.intensity[l]! += share * parts[1]![l]!;
        scores.wtp[l]! += share * parts[2]![l]!;
      }
    }
    return scores;
  }
}
