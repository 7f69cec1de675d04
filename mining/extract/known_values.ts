/**
 * Values that are known, by the words that state them: a span says a known value where it holds all telling
 * words of one of the value's variants and little else. The variants were learned from what readers took
 * for the value, and reviewed (aliases.txt).
 */
import { once } from "../../core/once.ts";
import { rounded } from "../../core/numbers.ts";

/** A variant of a value, by its telling stems. */
interface Variant {
  readonly value: string;
  readonly stems: readonly string[];
}

export interface KnownValues {
  /** The value whose variant has these stems, in any order. */
  exact(stems: readonly string[]): string | undefined;
  /** The value that a longer statement makes; undefined where none is plain. */
  nearest(stems: readonly string[]): string | undefined;
}

/** The share of a span's weight that a variant must hold to be what the span says. */
const LEAST_SHARE = 0.55;
/** Words that turn a meaning round: a span with one says no value whose variant is without it. */
const TURNING: ReadonlySet<string> = new Set(
  "not no too without never hardly dont doesnt wont cant isnt arent".split(" "),
);

const join = (stems: readonly string[]): string => [...new Set(stems)].sort().join(" ");

/** Indexes variants; of two values with the same variant the first given wins. */
export function knownValues(
  variants: readonly Variant[],
): KnownValues {
  const byKey = new Map<string, string>();
  const byStem = new Map<string, Variant[]>();
  const spread = new Map<string, number>();
  for (const variant of variants) {
    const key = join(variant.stems);
    if (key === "" || byKey.has(key)) continue;
    byKey.set(key, variant.value);
    for (const stem of new Set(variant.stems)) {
      const list = byStem.get(stem) ?? [];
      list.push(variant);
      byStem.set(stem, list);
      spread.set(stem, (spread.get(stem) ?? 0) + 1);
    }
  }
  const total = byKey.size;
  /** How telling a stem is: rare ones tell more; one that no variant has tells as much as a rare one. */
  const weigh = once((): (stem: string) => number => {
    const weights = new Map<string, number>();
    return (stem) => {
      const known = weights.get(stem);
      if (known !== undefined) return known;
      const weight = rounded(Math.log(1 + total / (1 + (spread.get(stem) ?? 1))), 4);
      weights.set(stem, weight);
      return weight;
    };
  });
  return {
    exact: (stems) => byKey.get(join(stems)),
    nearest: (stems) => {
      const own = new Set(stems);
      const weight = weigh();
      const all = [...own].reduce((sum, stem) => sum + weight(stem), 0);
      let best: { value: string; share: number; key: string } | null = null;
      const seen = new Set<Variant>();
      for (const stem of own) {
        for (const variant of byStem.get(stem) ?? []) {
          if (seen.has(variant)) continue;
          seen.add(variant);
          if (!variant.stems.every((other) => own.has(other))) continue;
          const inside = new Set(variant.stems);
          if ([...own].some((other) => TURNING.has(other) && !inside.has(other))) continue;
          const share = rounded([...inside].reduce((sum, s) => sum + weight(s), 0) / all, 4);
          const key = join(variant.stems);
          if (
            best === null || share > best.share || (share === best.share && key < best.key)
          ) best = { value: variant.value, share, key };
        }
      }
      return best !== null && best.share >= LEAST_SHARE ? best.value : undefined;
    },
  };
}
