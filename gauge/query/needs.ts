/** The needs that a query speaks of, by the lexicon that found those of the signals. */
import { lexicon } from "../../mining/want/lexicon.ts";
import { isPlural, plural, singular } from "../../mining/want/grammar.ts";
import { needsSpoken } from "../../mining/want/needs.ts";
import type { KindSpan } from "./head.ts";

/** Words `start` up to, not including, `end` speak of needs, each given by the words of its name. */
export interface SpokenNeeds {
  readonly start: number;
  readonly end: number;
  readonly names: readonly (readonly string[])[];
  readonly ids: readonly string[];
  /** What else people say who have such a need. */
  readonly cues: readonly (readonly string[])[];
  /** Needs that say how much it may cost, and nothing of the product. */
  readonly price: boolean;
}

/** Words of queries for what posts put into other words. */
const MEANS: Readonly<Record<string, string>> = {
  break: "durable",
  breaks: "durable",
  breaking: "durable",
  broken: "durable",
  unbreakable: "durable",
  indestructible: "durable",
  robust: "durable",
  soundproof: "quiet",
  noiseless: "quiet",
};

/** What posts say besides the cues by which needs are found: who tells how a thing failed wants one that lasts. */
const ALSO: Readonly<Record<string, readonly (readonly string[])[]>> = {
  durability: "bi4l break broke broken fray died survive".split(" ").map((word) => [word]),
};

/** Cues of a need that are looked for, the first listed: each costs a search. */
const MOST_CUES = 16;

const PRICE = new Set(["budget", "premium"]);

/**
 * Finds needs in folded words: as they stand, and with each word in its other number, since cues are
 * listed in one form ("breaks" for "does not break"). Left to right, none overlapping another.
 */
export function findNeeds(
  words: readonly string[],
  spans: readonly KindSpan[],
): readonly SpokenNeeds[] {
  const kinds = spans.flatMap((span) => span.kinds).flatMap((name) => {
    const kind = lexicon().kinds.get(name);
    return kind === undefined ? [] : [kind];
  });
  const other = words.map((word) => isPlural(word) ? singular(word) : plural(word));
  const singulars = words.map(singular);
  const meant = words.map((word) => MEANS[word] ?? word);
  const hits = [words, singulars, other, meant].flatMap((forms) => needsSpoken(forms, kinds))
    .sort((a, b) => (b.end - b.start) - (a.end - a.start) || a.start - b.start);
  const found: SpokenNeeds[] = [];
  for (const { start, end, value } of hits) {
    if (found.some((taken) => start < taken.end && taken.start < end)) continue;
    found.push({
      start,
      end,
      names: value.map(({ id }) => id.split("-")),
      ids: value.map(({ id }) => id),
      cues: value.flatMap(({ id, cues }) => [
        ...cues.filter(({ length }) => length <= 2).slice(0, MOST_CUES),
        ...ALSO[id] ?? [],
      ]),
      price: value.every(({ id }) => PRICE.has(id)),
    });
  }
  return found.sort((a, b) => a.start - b.start);
}
