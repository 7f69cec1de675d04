/** Which of the kinds that a post names it is about. */
import type { CategoryPrior, Pattern, PostText } from "../types.ts";
import { CATEGORY_SLUGS } from "../categories.ts";
import { guessNounPhrase } from "./fallback.ts";
import { type Kind, lexicon } from "./lexicon.ts";
import { kindOfCommunity } from "./community.ts";
import type { Mention, Named } from "./mentions.ts";
import type { Words } from "./tokens.ts";

/** The kind of product a post is about, and where it says so. */
export interface Chosen {
  readonly kind: Kind;
  /** The heaviest place that names it; null where only the community or a brand does. */
  readonly mention: Mention | null;
  readonly mentions: readonly Mention[];
  /** How much spoke for it, and for the next best kind. */
  readonly score: number;
  readonly next: number;
}

interface Candidate {
  readonly kind: Kind;
  score: number;
  readonly mentions: Mention[];
}

/** Kinds that are mostly a part of another one: named by one word beside the whole, they speak for the whole. */
const WHOLES: Readonly<Record<string, readonly string[]>> = {
  "microphone": ["gaming headset", "headphones", "earphones", "camcorder", "camera"],
  "headphone cable": ["earphones", "headphones", "gaming headset"],
  "usb cable": ["earphones", "headphones", "phone", "tablet"],
  "display cable": ["monitor", "tv", "projector"],
  "laptop battery": ["laptop"],
  "laptop screen": ["laptop"],
  "laptop charger": ["laptop"],
  "keyboard": ["laptop", "tablet", "phone"],
  "trackpad": ["laptop", "keyboard"],
  "phone screen": ["phone", "tablet"],
  "phone battery": ["phone"],
  "camera battery": ["camera"],
  "gaming pc": ["laptop"],
  "desktop computer": ["laptop"],
  "graphics card": ["laptop"],
  "cpu": ["laptop"],
  "ssd": ["laptop"],
  "hard drive": ["laptop"],
  "memory module": ["laptop", "gaming pc"],
  "bike wheels": ["bike"],
  "car wheels": ["suitcase", "stroller"],
  "skateboard": ["suitcase"],
  "keyboard switches": ["mechanical keyboard"],
  "monitor": ["laptop"],
  "headphone pads": ["headphones"],
  "phone charger": ["phone"],
  "camera": ["phone", "tablet"],
};
/** Parts that nobody means without the whole, unless they name both. */
const BUILT_IN: ReadonlySet<string> = new Set([
  "phone battery",
  "phone screen",
  "laptop battery",
  "laptop screen",
]);
/** How much stronger than its whole a part must be named to be what is wanted. */
const PART_MUST_BE = 2;

/** What a community's own subject weighs: posts there often do not name what goes without saying. */
const HOME = 0.9;

/** A kind known only by its place or brand needs this much; less is a guess nobody should read. */
const ENOUGH = 0.35;
/** Below this a noun phrase after "looking for a" is the better guess. */
const SURE = 1.2;

/**
 * Chooses the kind a post is about: every place that names one adds its weight, brands and the community's
 * own subject add a little, and the community's categories lean on the sum. Null where nothing is named.
 */
export function chooseKind(
  words: Words,
  text: PostText,
  named: Named,
  prior: CategoryPrior,
): Chosen | null {
  const candidates = collect(text, named);
  const home = kindOfCommunity(text.community)?.name;
  for (const [part, wholes] of Object.entries(WHOLES)) foldPart(candidates, part, wholes, home);
  let best: Candidate | null = null;
  let bestScore = 0;
  let next = 0;
  for (const candidate of candidates.values()) {
    const lean = 0.85 + 0.3 * Math.min(1, 3 * (prior[candidate.kind.category] ?? 0));
    const score = Math.round(candidate.score * lean * 1e6) / 1e6;
    const first = best === null || candidate.kind.name < best.kind.name;
    if (score > bestScore || (score === bestScore && first)) {
      [best, bestScore, next] = [candidate, score, bestScore];
    } else if (score > next) next = score;
  }
  const guess = bestScore < SURE ? guessNounPhrase(words) : null;
  // A phrase the lists know was weighed already.
  if (guess !== null && lexicon().terms.get(guess.name.split(" ")) === undefined) {
    const kind = unknownKind(guess.name, topCategory(prior));
    const mention = {
      kind,
      start: guess.start,
      end: guess.end,
      score: 1,
      chosen: false,
      role: 1 as const,
    };
    return { kind, mention, mentions: [mention], score: 1, next: bestScore };
  }
  if (best === null || bestScore < ENOUGH) return null;
  return {
    kind: best.kind,
    mention: heaviest(best.mentions),
    mentions: best.mentions,
    score: bestScore,
    next,
  };
}

function collect(text: PostText, named: Named): Map<string, Candidate> {
  const candidates = new Map<string, Candidate>();
  const add = (kind: Kind, score: number, mention: Mention | null) => {
    let candidate = candidates.get(kind.name);
    if (candidate === undefined) {
      candidate = { kind, score: 0, mentions: [] };
      candidates.set(kind.name, candidate);
    }
    candidate.score += score;
    if (mention !== null) candidate.mentions.push(mention);
  };
  for (const mention of named.mentions) add(mention.kind, mention.score, mention);
  for (const [brand, places] of named.brands) {
    const [kind] = brand.kinds;
    if (kind !== undefined) add(kind, 0.5 * Math.min(places.length, 2), null);
  }
  const home = kindOfCommunity(text.community);
  if (home !== null) add(home, home.weak ? 0.3 : HOME, null);
  return candidates;
}

function foldPart(
  candidates: ReadonlyMap<string, Candidate>,
  part: string,
  wholes: readonly string[],
  home: string | undefined,
): void {
  const found = candidates.get(part);
  if (found === undefined || found.score === 0) return;
  let whole: Candidate | undefined;
  for (const name of wholes) {
    const candidate = candidates.get(name);
    if (candidate !== undefined && candidate.score > (whole?.score ?? 0)) whole = candidate;
  }
  if (whole === undefined) return;
  if (whole.mentions.length === 0 && !BUILT_IN.has(part) && whole.kind.name !== home) return;
  if (found.score >= PART_MUST_BE * whole.score && !BUILT_IN.has(part)) return;
  // Named in full ("laptop battery"), the part is meant; named by one word, it describes the whole.
  if (found.mentions.some((mention) => mention.end - mention.start > 1)) return;
  whole.score += 0.5 * found.score;
  found.score = 0;
}

function unknownKind(name: string, category: string): Kind {
  return { name, category, plural: false, mass: false, weak: false, member: false };
}

function heaviest(mentions: readonly Mention[]): Mention | null {
  let best: Mention | null = null;
  for (const mention of mentions) if (best === null || mention.score > best.score) best = mention;
  return best;
}

function topCategory(prior: CategoryPrior): string {
  let best: string = CATEGORY_SLUGS[0] ?? "";
  for (const slug of CATEGORY_SLUGS) if ((prior[slug] ?? 0) > (prior[best] ?? 0)) best = slug;
  return best;
}

/** In a tale of a makeshift the title names the makeshift, elsewhere the product. */
export function titleWeight(pattern: Pattern | null): number {
  return pattern === "workaround" ? 1.1 : 2.5;
}
