import type { CategoryPrior, Demand, PostText, Want } from "../types.ts";
import { CATEGORY_SLUGS } from "../categories.ts";
import { guessNounPhrase } from "./fallback.ts";
import type { Kind } from "./lexicon.ts";
import { findNamed, kindOfCommunity, markQuote, type Mention, type Named } from "./mentions.ts";
import { findNeed } from "./needs.ts";
import { productPhrase } from "./product.ts";
import { splitWords, type Words } from "./tokens.ts";

/** Names the word lists and rules below; a want is comparable only with wants of the same version. */
export const WANT_VERSION = "1";

interface Chosen {
  readonly kind: Kind;
  /** The heaviest place that names it; null where only the community or a brand does. */
  readonly mention: Mention | null;
  readonly mentions: readonly Mention[];
}

/**
 * What the post wants: the product as it calls it, its canonical kind, the specific need, category and
 * brands. Null where no product can be named: then there is no signal. Deterministic; reads the title and
 * the beginning of the body only.
 */
export function extractWant(text: PostText, demand: Demand, prior: CategoryPrior): Want | null {
  const words = splitWords(text.title, text.body);
  const quoted = markQuote(words, demand.quote);
  const named = findNamed(words, text, quoted);
  const chosen = chooseKind(words, text, named, prior);
  if (chosen === null) return null;
  const { kind } = chosen;
  const sentences = new Set(chosen.mentions.map((mention) => words.sentence[mention.start]));
  const need = findNeed(words, quoted, {
    category: kind.category,
    own: new Set(kind.name.split(/[ -]/)),
    near: (word) => sentences.has(words.sentence[word]),
  });
  return {
    product: productPhrase(words, kind, chosen.mention),
    kind: kind.name,
    need: need?.id ?? null,
    category: kind.category,
    brands: [...named.brands].sort((a, b) => b[1] - a[1] || (a[0].name < b[0].name ? -1 : 1))
      .map(([brand]) => brand.name).slice(0, 8),
  };
}

function chooseKind(
  words: Words,
  text: PostText,
  named: Named,
  prior: CategoryPrior,
): Chosen | null {
  const home = kindOfCommunity(text.community);
  const byKind = new Map<string, { kind: Kind; score: number; mentions: Mention[] }>();
  const add = (kind: Kind, score: number, mention: Mention | null) => {
    const entry = byKind.get(kind.name) ?? { kind, score: 0, mentions: [] };
    entry.score += score;
    if (mention !== null) entry.mentions.push(mention);
    byKind.set(kind.name, entry);
  };
  for (const mention of named.mentions) add(mention.kind, mention.score, mention);
  for (const [brand, count] of named.brands) {
    const [kind] = brand.kinds;
    if (kind !== undefined) add(kind, 0.4 * Math.min(count, 2), null);
  }
  if (home !== null) add(home, home.weak ? 0.3 : 0.8, null);
  const guess = guessNounPhrase(words);
  let best: Chosen | null = null;
  let bestScore = 0;
  for (const { kind, score, mentions } of byKind.values()) {
    const lean = 0.85 + 0.3 * Math.min(1, 3 * (prior[kind.category] ?? 0));
    const total = Math.round(score * lean * 1e6);
    if (total > bestScore || (total === bestScore && best !== null && kind.name < best.kind.name)) {
      bestScore = total;
      best = { kind, mention: heaviest(mentions), mentions };
    }
  }
  bestScore /= 1e6;
  if (guess !== null && bestScore < 1.2) {
    const kind: Kind = {
      name: guess.name,
      category: topCategory(prior),
      plural: false,
      mass: false,
      weak: false,
    };
    const mention = { kind, start: guess.start, end: guess.end, score: 1, chosen: false };
    return { kind, mention, mentions: [mention] };
  }
  return bestScore < 0.35 ? null : best;
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

/**
 * The key of the cluster a signal belongs to: `kind/need`, or `kind/general` where no need was found. The same
 * text always has the same key, whatever else was read before it.
 */
export function wantKey(want: Want, _demand: Demand): string {
  return `${want.kind}/${want.need ?? "general"}`;
}

/** The category a post is about, by its products alone, or null: for communities without a prior. */
export function guessCategory(text: PostText): string | null {
  const words = splitWords(text.title, text.body);
  const named = findNamed(words, text, markQuote(words, ""));
  return chooseKind(words, text, named, {})?.kind.category ?? null;
}
