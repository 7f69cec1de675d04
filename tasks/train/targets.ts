/** Labels as what a model should answer. */
import { PATTERN_CLASSES } from "../../mining/classify/groups.ts";
import { LEVELS } from "../../mining/classify/model.ts";
import { PATTERNS } from "../../mining/types.ts";
import type { Label } from "./data.ts";
import type { Item } from "./items.ts";

/** What a first pattern counts where there is a second. */
const FIRST = 0.75;
const OUTPUTS = PATTERN_CLASSES + 2 * LEVELS;

/** `PATTERN_CLASSES` shares per item: none about a physical product and none about anything else are two classes. */
export function classTargets(items: readonly Item[]): Float32Array {
  const out = new Float32Array(items.length * PATTERN_CLASSES);
  items.forEach(({ label }, i) => {
    const second = label.pattern === null ? null : label.also;
    out[i * PATTERN_CLASSES + classOf(label)] = second === null ? 1 : FIRST;
    if (second !== null) out[i * PATTERN_CLASSES + PATTERNS.indexOf(second)] = 1 - FIRST;
  });
  return out;
}

/** `OUTPUTS` shares per item: classes, levels of intensity, levels of willingness to pay. */
export function allTargets(items: readonly Item[]): Float32Array {
  const classes = classTargets(items);
  const out = new Float32Array(items.length * OUTPUTS);
  items.forEach(({ label }, i) => {
    out.set(classes.subarray(i * PATTERN_CLASSES, (i + 1) * PATTERN_CLASSES), i * OUTPUTS);
    out[i * OUTPUTS + PATTERN_CLASSES + label.intensity] = 1;
    out[i * OUTPUTS + PATTERN_CLASSES + LEVELS + label.wtp] = 1;
  });
  return out;
}

function classOf(label: Label): number {
  if (label.pattern === null) return label.physical ? PATTERNS.length : PATTERNS.length + 1;
  return PATTERNS.indexOf(label.pattern);
}
