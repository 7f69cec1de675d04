/** Writes what training learned as the one text file the classifier reads (mining/classify/weights.txt). */
import { Buffer } from "node:buffer";
import type { Decision } from "../../mining/classify/decide.ts";
import type { NetworkHeader, NetworkSection } from "../../mining/classify/model.ts";
import { CUE_FEATURES } from "../../mining/classify/reading.ts";
import { type Corpus, DIMS } from "./corpus.ts";
import { type Fitted, HIDDEN, NETWORK_COUNT, SENTENCE_HIDDEN } from "./fit.ts";

/** The artefact's text. The same corpus, weights and decision give the same bytes. */
export function toClassifierArtefact(corpus: Corpus, fitted: Fitted, decision: Decision): string {
  const sections: NetworkSection[] = [];
  const parts: Uint8Array[] = [];
  const add = (
    name: string,
    type: NetworkSection["type"],
    data: ArrayBufferView & ArrayLike<number>,
    scale = 1,
  ): void => {
    sections.push({ name, type, length: data.length, scale });
    parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice());
  };
  /** A first layer: bytes, one scale for the weights of each input. */
  const addTower = (name: string, k: number, weights: Float32Array, bias: Float32Array): void => {
    const units = bias.length;
    const bytes = new Int8Array(weights.length);
    const scales = new Float32Array(weights.length / units);
    scales.forEach((_, input) => {
      const row = weights.subarray(input * units, (input + 1) * units);
      const scale = Math.max(1e-9, ...row.map(Math.abs)) / 127;
      scales[input] = scale;
      row.forEach((weight, j) => bytes[input * units + j] = Math.round(weight / scale));
    });
    add(`${name}${k}`, "i8", bytes);
    add(`${name}Scale${k}`, "f32", scales);
    add(`${name}Bias${k}`, "f32", bias);
  };
  add("wordKeys", "i32", corpus.vectors.keys);
  add("wordValues", "i8", corpus.vectors.values);
  add("wordWeights", "u8", corpus.vectors.weights);
  add("gramKeys", "i32", corpus.gramKeys);
  add("gramWeights", "u8", corpus.gramWeights);
  const linear = quantise(fitted.linear.weights, 127);
  add("linear", "i8", Int8Array.from(linear.values), linear.scale);
  add("linearBias", "f32", fitted.linear.bias);
  fitted.networks.forEach((network, i) => {
    addTower(`first`, i, network.first, network.firstBias);
    addTower(`sentence`, i, network.sentence, network.sentenceBias);
    add(`second${i}`, "f32", network.second);
    add(`secondBias${i}`, "f32", network.secondBias);
  });
  const header: NetworkHeader = {
    hidden: HIDDEN,
    sentenceHidden: SENTENCE_HIDDEN,
    networks: NETWORK_COUNT,
    dims: DIMS,
    cueFeatures: CUE_FEATURES,
    decision,
    sections,
  };
  const note = "# Weights of the classifier, made by `deno task train`; not to be edited.";
  return `${note}\n${JSON.stringify(header)}\n${Buffer.concat(parts).toString("base64")}\n`;
}

/** Whole numbers in -top..top and the scale that turns them back; the few largest weights are clipped. */
function quantise(weights: Float32Array, top: number): { values: Float32Array; scale: number } {
  const sizes = Float32Array.from(weights, Math.abs).sort();
  const largest = sizes[Math.floor(sizes.length * 0.9999)]!;
  const scale = Math.max(largest, 1e-9) / top;
  return {
    values: weights.map((w) => Math.max(-top, Math.min(top, Math.round(w / scale)))),
    scale,
  };
}
