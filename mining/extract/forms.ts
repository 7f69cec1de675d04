/**
 * The labels of forms that communities have their posts filled in with: words of the form's author, which state
 * nothing that the post's author wants. They were learned as lines that repeat in many posts of a community
 * (tasks/train/facts/forms.ts) and are kept as hashes, without the words.
 */
import { once } from "../../core/once.ts";
import { hashWord } from "../classify/hash.ts";
import formsText from "./forms.txt" with { type: "text" };

/** Where a form's label stands. */
export interface Label {
  readonly start: number;
  readonly end: number;
}

const known = once((): ReadonlySet<number> =>
  new Set(
    formsText.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => parseInt(line, 16) | 0),
  )
);

/** The part of a line that would be a form's label: up to its first colon or question mark, or all of it. */
export function labelOf(line: string): { readonly end: number; readonly key: string } {
  const cut = line.search(/[:?]/);
  const end = cut < 0 ? line.length : cut;
  const key = line.slice(0, end).toLowerCase().replace(/[^a-z0-9]+/g, " ").trim();
  return { end, key };
}

/** The hash that stands for a label. */
export const labelHash = (key: string): number => hashWord(`form:${key}`);

/** The labels of forms in `title + "\n" + body`, in order. */
export function formLabels(text: string): Label[] {
  const labels: Label[] = [];
  // The title is the author's own.
  let start = text.indexOf("\n") + 1;
  while (start > 0 && start < text.length) {
    const stop = text.indexOf("\n", start);
    const line = text.slice(start, stop < 0 ? text.length : stop);
    const { end, key } = labelOf(line);
    if (key !== "" && known().has(labelHash(key))) labels.push({ start, end: start + end });
    start = stop < 0 ? 0 : stop + 1;
  }
  return labels;
}
