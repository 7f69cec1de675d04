/** The needs that a query speaks of, by the lexicon that found those of the signals. */
import { type Kind, lexicon } from "../../mining/lexicon/lexicon.ts";
import { isPlural, plural, singular } from "../../mining/lexicon/grammar.ts";
import { type Need, needsSpoken } from "../../mining/lexicon/needs.ts";
import type { FoundPhrase } from "../../mining/lexicon/phrases.ts";
import { wordingsOf } from "../../mining/extract/values.ts";
import type { FactType } from "../../mining/extract/types.ts";
import { wordWeight } from "./common.ts";
import type { KindSpan } from "./head.ts";
import { foldQuery } from "./input.ts";
import { namingWords, wholeNames } from "./same.ts";
import { onlyAsks } from "./word_classes.ts";

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

/** Cues of a need that are looked for, the first listed: each costs a search. */
const MOST_CUES = 16;

const PRICE = new Set(["budget", "premium"]);

/** Types of facts whose values a query may ask for; the first that knows the words says what they mean. */
const ASKED_TYPES: readonly FactType[] = ["use", "user", "attribute", "spec", "compat", "problem"];
/** The longest phrase that is looked for among the known values, and ways to say one that are looked for. */
const LONGEST_VALUE = 4;
const MOST_WORDINGS = 14;
/** All ways to say what these words ask, by the values that readers share; each in its words. */
function sayings(words: readonly string[]): readonly (readonly string[])[] {
  return wordingsOf(ASKED_TYPES, words.join(" ")).slice(0, MOST_WORDINGS)
    .map((way) => foldQuery(way).split(" "));
}

/** Phrases of `least` words and more that ask for a value which readers know under several wordings; longest first. */
function valuesIn(
  words: readonly string[],
  taken: readonly Pick<KindSpan, "start" | "end">[],
  least: number,
): SpokenNeeds[] {
  const found: SpokenNeeds[] = [];
  for (let size = Math.min(LONGEST_VALUE, words.length); size >= least; size--) {
    for (let start = 0; start + size <= words.length; start++) {
      const end = start + size;
      const own = words.slice(start, end);
      if ([...taken, ...found].some((other) => start < other.end && other.start < end)) continue;
      const edges = [own[0] ?? "", own.at(-1) ?? ""];
      const slight = size > 1 ? EMPTY : SLIGHT;
      if (edges.some((word) => onlyAsks(word) || wordWeight(word) <= slight)) continue;
      const names = sayings(own);
      if (names.length > 0) {
        found.push({ start, end, names, ids: [own.join("-")], cues: [], price: false });
      }
    }
  }
  return found;
}

/** Products that are named beside the one that is asked for, under all of their names: "for a bicycle". */
function productsIn(
  words: readonly string[],
  spans: readonly KindSpan[],
  taken: readonly SpokenNeeds[],
): SpokenNeeds[] {
  const inside = spans.flatMap(({ start, end }): KindSpan[] =>
    words.slice(start, end - 1).flatMap((word, i) => {
      const term = lexicon().terms.get([word]);
      return term?.type === "kind"
        ? [{ start: start + i, end: start + i + 1, kinds: [term.kind.name] }]
        : [];
    })
  );
  return [...spans, ...inside].flatMap(({ start, end, kinds }): SpokenNeeds[] => {
    const [kind, ...others] = kinds;
    const typed = words.slice(start, end);
    if (kind === undefined || others.length > 0 || namingWords(typed, kind).length < typed.length) {
      return [];
    }
    if (taken.some((other) => start < other.end && other.start < end)) return [];
    const names = wholeNames(kind).filter((name) => singular(name) === name || name === kind)
      .map((name) => name.split(/[\s-]+/));
    return [{
      start,
      end,
      names: [typed, ...names],
      ids: [`product-${kind}`],
      cues: [],
      price: false,
    }];
  });
}

/** Words of this weight and less are no value alone, and begin and end none. */
const SLIGHT = 0.3;
const EMPTY = 0.1;

const known = (kinds: readonly string[]): Kind[] =>
  kinds.flatMap((name) => lexicon().kinds.get(name) ?? []);

/** The needs of the word lists that words speak of who ask for one of the kinds, in either number of each word. */
export function needsIn(
  words: readonly string[],
  kinds: readonly string[],
): readonly FoundPhrase<readonly Need[]>[] {
  return needsOf(words, known(kinds));
}

function needsOf(words: readonly string[], kinds: readonly Kind[]): FoundPhrase<readonly Need[]>[] {
  const other = words.map((word) => isPlural(word) ? singular(word) : plural(word));
  return [words, words.map(singular), other].flatMap((forms) => needsSpoken(forms, kinds));
}

/**
 * Finds needs in folded words: as they stand, and with each word in its other number, since cues are
 * listed in one form ("breaks" for "does not break"). Left to right, none overlapping another.
 */
export function findNeeds(
  words: readonly string[],
  spans: readonly KindSpan[],
): readonly SpokenNeeds[] {
  const kinds = known(spans.flatMap((span) => span.kinds));
  const hits = needsOf(words, kinds).sort((a, b) =>
    (b.end - b.start) - (a.end - a.start) || a.start - b.start
  );
  // "Work flashlight" is one for work.
  const uses = words.flatMap((word, i) =>
    spans.some(({ start }) => start === i + 1)
      ? needsSpoken(["for", word], kinds).filter(({ start, end }) => start === 0 && end === 2)
        .map(({ value }) => ({ start: i, end: i + 1, value }))
      : []
  );
  // What readers share in several words says more than a word of it: "police officers" are not all who work.
  const phrases = valuesIn(words, spans, 2);
  const found: SpokenNeeds[] = phrases.filter(({ start, end }) =>
    hits.every((hit) => hit.end <= start || end <= hit.start || hit.end - hit.start < end - start)
  );
  for (const { start, end, value } of [...hits, ...uses]) {
    // "That fits a laptop" asks for the laptop.
    const tells = !words.slice(start, end).every((word) =>
      onlyAsks(word) || wordWeight(word) <= SLIGHT
    ) || start + 1 === spans[0]?.start;
    if (!tells && words.slice(end).some((word) => wordWeight(word) > SLIGHT)) continue;
    if (found.some((taken) => start < taken.end && taken.start < end)) continue;
    found.push({
      start,
      end,
      names: [...value.map(({ id }) => id.split("-")), ...sayings(words.slice(start, end))],
      ids: value.map(({ id }) => id),
      cues: value.flatMap(({ cues }) =>
        cues.filter(({ length }) => length <= 2).slice(0, MOST_CUES)
      ),
      price: value.every(({ id }) => PRICE.has(id)),
    });
  }
  found.push(...valuesIn(words, found, 1));
  found.push(...productsIn(words, spans, found));
  return found.sort((a, b) => a.start - b.start);
}
