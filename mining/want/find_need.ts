/** Which needs a post speaks of, and which of them it states most plainly. */
import { fits, type Need, needs } from "./needs.ts";
import type { Found } from "./phrases.ts";
import type { Words } from "./tokens.ts";

/** A place of the post that speaks for a need. */
type Spoken = Found<readonly Need[]>;

/** Where the product stands and what it is called, for judging what is said near it. */
export interface Anchor {
  readonly category: string;
  readonly kind: string;
  /** The product's own words: a need that only repeats them is none ("running shoes for running"). */
  readonly own: ReadonlySet<string>;
  /** Where its heaviest mention stands, and the two words before it: "work boots" are for work. */
  readonly called: readonly number[];
  /** For every word of the post, whether it lies in a sentence that names the product. */
  readonly near: (word: number) => boolean;
}

/** Words in a product's own name that speak for a need. */
const CALLED: Readonly<Record<string, string>> = {
  work: "work",
  hiking: "hiking",
  trail: "hiking",
  winter: "winter",
  snow: "winter",
  summer: "hot-weather",
  running: "running",
  travel: "travel",
  camping: "camping",
  gaming: "gaming",
  wireless: "wireless",
  bluetooth: "wireless",
  cordless: "wireless",
  waterproof: "waterproof",
  rain: "waterproof",
  minimalist: "minimalist",
  barefoot: "minimalist",
  edc: "edc",
  keychain: "keychain",
  commuter: "commute",
  commuting: "commute",
  college: "student",
  school: "student",
  ultralight: "ultralight",
  lightweight: "ultralight",
  quiet: "quiet",
  silent: "quiet",
  ergonomic: "ergonomic",
  kids: "kids",
  womens: "women",
  mens: "men",
  rechargeable: "rechargeable",
  beginner: "beginner",
  starter: "beginner",
};

const IN_TITLE = 2.5;
const IN_QUOTE = 2.5;
const NEAR = 1.3;

/** Below this score a need is too weakly supported to be the point of the post. */
const ENOUGH = 1.9;
/** Below this one it is not spoken of: one telling word will do in a sentence that names the product. */
const SPOKEN = 1;
/** Who names more is listing. */
const MOST_SPOKEN = 6;

/** A need, and the words where the post states it. */
export interface FoundNeed {
  readonly need: Need;
  readonly at: readonly number[];
}

/** What a post asks of its product. */
export interface FoundNeeds {
  /** The need that the post is about, or null. */
  readonly plainest: FoundNeed | null;
  /** Ids of all needs that it speaks of, the plainest first. */
  readonly spoken: readonly string[];
}

/** The needs that the post speaks of; ties go to the one listed first in needs.txt. */
export function findNeeds(
  words: Words,
  quoted: readonly boolean[],
  anchor: Anchor,
): FoundNeeds {
  const scores = new Map<Need, number>();
  const places = new Map<Need, number[]>();
  for (const hit of needs().cues.all(words.word, words.breakAfter)) {
    if (hit.end - hit.start === 1 && anchor.own.has(words.word[hit.start] ?? "")) continue;
    const weight = weigh(hit, words, quoted, anchor);
    const against = waived(words, hit.start);
    for (const need of hit.value) {
      if (!fits(need, anchor.category, anchor.kind) || against === "any") continue;
      if (against === "use" && need.phrase.startsWith("for ")) continue;
      scores.set(need, Math.min(6, (scores.get(need) ?? 0) + weight));
      places.set(need, [...places.get(need) ?? [], hit.start]);
    }
  }
  for (const at of anchor.called) {
    const word = words.word[at] ?? "";
    const need = needs().byId.get(CALLED[word] ?? "");
    if (
      need === undefined || anchor.kind.includes(word) || !fits(need, anchor.category, anchor.kind)
    ) {
      continue;
    }
    scores.set(need, (scores.get(need) ?? 0) + 2);
    places.set(need, [...places.get(need) ?? [], at]);
  }
  const ranked = [...needs().byId.values()].flatMap((need) => {
    const score = (scores.get(need) ?? 0) * need.weight;
    return score > 0 ? [{ need, score }] : [];
  }).sort((a, b) => b.score - a.score);
  const [best] = ranked;
  const isPlain = best !== undefined && best.score >= ENOUGH * best.need.weight;
  return {
    plainest: isPlain ? { need: best.need, at: places.get(best.need) ?? [] } : null,
    spoken: ranked.filter(({ score }) => score >= SPOKEN).slice(0, MOST_SPOKEN)
      .map(({ need }) => need.id),
  };
}

/** Words before a need that say it does not matter ("don't care about portability"). */
const WAIVING = new Set(
  "care:dont,doesnt,not need:dont,doesnt,not,no mind:dont important:not,isnt,arent worry:dont,not worried:not bother:dont,not"
    .split(" ").flatMap((part) => {
      const [word = "", nots = ""] = part.split(":");
      return nots.split(",").map((not) => `${not} ${word}`);
    }),
);
const WAIVE_REACH = 5;
/** Right before a use they say that it is not the one ("no gaming"); before a fault they name it ("no hum"). */
const NOT_FOR = new Set(["no", "not", "without", "non", "zero"]);

/**
 * Whether the words before `at` say that what follows does not matter: "any" where they do of whatever need it is
 * ("I don't care about"), "use" where they do of a use alone ("no gaming"); null where they do not.
 */
function waived({ word, breakAfter }: Words, at: number): "any" | "use" | null {
  for (let i = at - 1; i >= Math.max(0, at - WAIVE_REACH) && breakAfter[i] !== true; i -= 1) {
    if (WAIVING.has(`${word[i - 1]} ${word[i]}`)) return "any";
    if (i >= at - 2 && NOT_FOR.has(word[i] ?? "") && word[i + 1] !== "only") return "use";
  }
  return null;
}

function weigh(hit: Spoken, words: Words, quoted: readonly boolean[], anchor: Anchor): number {
  let weight = hit.end - hit.start > 1 ? 1.2 : 0.8;
  if (hit.start < words.titleWords) weight *= IN_TITLE;
  if (quoted[hit.start] === true) weight *= IN_QUOTE;
  if (anchor.near(hit.start)) weight *= NEAR;
  return weight;
}
