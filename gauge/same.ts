/** Which names of a product kind mean the whole kind, and which only a part of it. */
import sameText from "./same.txt" with { type: "text" };
import { once } from "../core/once.ts";

/** A word without the ending of the plural, near enough to compare names. */
export const bare = (word: string): string => word.replace(/e?s$/, "");

const bareAll = (words: readonly string[]): string => words.map(bare).join(" ");
const split = (name: string): readonly string[] => name.trim().split(/[\s-]+/);

const lines = once((): readonly string[] =>
  sameText.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
);

const listed = (mark: string): [string, string[]][] =>
  lines().map((line) => line.split(mark)).filter(({ length }) => length === 2)
    .map(([kind = "", others = ""]) => [kind, others.split(", ")]);

const names = once((): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    listed(" = ").map(([kind, others]) => [
      kind,
      new Set(others.map((name) => bareAll(split(name)))),
    ]),
  )
);

const parts = once((): ReadonlyMap<string, readonly string[]> => new Map(listed(" > ")));

/** Kinds of their own that are one of this kind, too: a mechanical keyboard is a keyboard. */
export function partsOfKind(kind: string): readonly string[] {
  return parts().get(kind) ?? [];
}

/**
 * Whether these words mean the whole kind: words of its own name, its last among them or a short form of
 * it ("mouse", "dryer", "car stereo"), or another name for the same ("sofa").
 */
export function meansKind(words: readonly string[], kind: string): boolean {
  const own = new Set(split(kind).map(bare));
  return words.every((word) => own.has(bare(word))) ||
    names().get(kind)?.has(bareAll(words)) === true;
}

/** Those of the words that stand in the kind's own name, where its last word is the words' last. */
export function namingWords(words: readonly string[], kind: string): readonly number[] {
  const own = split(kind).map(bare);
  const last = words.at(-1);
  if (last === undefined || bare(last) !== own.at(-1)) return [];
  return words.flatMap((word, i) => own.includes(bare(word)) ? [i] : []);
}
