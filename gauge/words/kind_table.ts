/** Which kinds of products words speak of, and how much, as learned of what people say of each kind (tasks/gauge_kinds.ts). */
import describedText from "./described.txt" with { type: "text" };
import { once } from "../../core/once.ts";

/** Weights are steps of a quarter of a logarithm. */
const STEPS = 4;
/** Digits that encode kinds (two digits) and weights (one); their order is that of the numbers. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_~";
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));
const ENTRY = 3;

/** How much of a difference in logarithms counts: the words of a query are not independent of each other. */
const TEMPER = 0.8;
/** The logarithm for "none of the kinds", to which each stem adds one. */
const NONE = 4;

/** A kind that words speak of. */
export interface SpokenKind {
  readonly kind: string;
  /** How far they do: a sum of logarithms. */
  readonly score: number;
  /** Its share among all kinds and "none of them", 0-1. */
  readonly share: number;
}

/** Which kinds stems speak of, and how much. */
export class KindTable {
  readonly #kinds: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #stems: ReadonlyMap<string, string>;

  /** Reads what `write` wrote. */
  constructor(text: string) {
    const [kinds = "", ...lines] = text.split("\n").filter((line) =>
      line !== "" && !line.startsWith("#")
    );
    this.#kinds = kinds.split("|");
    this.#known = new Set(this.#kinds);
    this.#stems = new Map(lines.map((line) => {
      const at = line.indexOf(" ");
      return [line.slice(0, at), line.slice(at + 1)];
    }));
  }

  /** A table as text: the kinds, and a line for each stem. */
  static write(
    speaking: ReadonlyMap<string, readonly (readonly [kind: string, weight: number])[]>,
  ): string {
    const kinds = [...new Set([...speaking.values()].flatMap((all) => all.map(([kind]) => kind)))]
      .sort();
    const numbers = new Map(kinds.map((kind, i) => [kind, i]));
    const digit = (value: number): string => DIGITS[Math.min(DIGITS.length - 1, value)] ?? "";
    const lines = [...speaking].map(([stem, all]) => {
      const entries = all.map(([kind, weight]) => {
        const number = numbers.get(kind) ?? 0;
        return digit(Math.floor(number / DIGITS.length)) + digit(number % DIGITS.length) +
          digit(Math.round(weight * STEPS));
      });
      return `${stem} ${entries.join("")}`;
    });
    return [
      "# Made by tasks/gauge_kinds.ts: kinds of products, then stems with the kinds that they speak of (two digits) and",
      "# the logarithm of how much likelier those are then, in quarters (one digit).",
      kinds.join("|"),
      ...lines,
      "",
    ].join("\n");
  }

  /** How much likelier each kind is where this stem stands, as a logarithm. */
  of(stem: string): ReadonlyMap<string, number> {
    const entries = this.#stems.get(stem) ?? "";
    const value = (at: number): number => VALUES.get(entries[at] ?? "") ?? 0;
    const found = new Map<string, number>();
    for (let at = 0; at < entries.length; at += ENTRY) {
      const kind = this.#kinds[value(at) * DIGITS.length + value(at + 1)];
      if (kind !== undefined) found.set(kind, value(at + 2) / STEPS);
    }
    return found;
  }

  /** All kinds that any stem speaks of. */
  get kinds(): readonly string[] {
    return this.#kinds;
  }

  /** Whether any stem speaks of this kind. */
  has(kind: string): boolean {
    return this.#known.has(kind);
  }

  /** The kinds that the stems speak of, except `not`, the likeliest first; `also` is added to their logarithms. */
  read(
    stems: Iterable<string>,
    also: ReadonlyMap<string, number> = new Map(),
    not: ReadonlySet<string> = new Set(),
  ): SpokenKind[] {
    const scores = new Map(also);
    const asked = new Set(stems);
    for (const stem of asked) {
      for (const [kind, weight] of this.of(stem)) {
        if (!not.has(kind)) scores.set(kind, (scores.get(kind) ?? 0) + weight);
      }
    }
    const likely = (score: number): number => Math.exp(TEMPER * score);
    const idle = Math.max(0, this.#kinds.length - scores.size);
    const all = [...scores.values()].reduce((sum, score) => sum + likely(score), idle) +
      likely(NONE + asked.size);
    return [...scores].map(([kind, score]) => ({ kind, score, share: likely(score) / all }))
      .sort((a, b) => b.score - a.score || (a.kind < b.kind ? -1 : 1));
  }
}

/** What words say of kinds, as learned (tasks/gauge_kinds.ts). */
export const describedKinds = once(() => new KindTable(describedText));
