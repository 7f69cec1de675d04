/** Learns which words stand in posts that want a kind of product (mining/extract/product/shelves.ts). */
import { hashWord } from "../../../mining/classify/hash.ts";
import type { Prepared } from "../../../mining/extract/features.ts";
import { kindNameOf } from "../../../mining/extract/product/names.ts";
import { eachStem, lastStem, type ShelfTable } from "../../../mining/extract/product/shelves.ts";

/** A text whose product is known. */
export interface ShelfPost {
  readonly post: Prepared;
  readonly community: string;
  readonly product: string;
  /** A request instead of a post: says nothing of how often what a post names is wanted. */
  readonly isQuery: boolean;
}

/** A stem in fewer posts tells nothing, and neither does one in more than this share of them. */
const LEAST_POSTS = 3;
const MOST_SHARE = 0.1;
/** How many posts of any kind stand beside those of a kind, so that few posts do not make a word sure. */
const SMOOTHING = 30;
/** The same for how often a thing that is named is wanted. */
const NAMED_SMOOTHING = 3;
/** A word in at least this many posts, none of which wants what it names, does not name a product. */
const NEVER_WANTED_POSTS = 8;
/** The least that a stem must say of a kind, and the most stems of one kind. */
const LEAST_WEIGHT = 0.3;
const MOST_STEMS = 80;
/** How much a kind's own frequency counts beside what the words say. */
const PRIOR = 0.3;

/** Fits the table. The same posts give the same bytes. */
export function learnShelves(posts: readonly ShelfPost[]): ShelfTable {
  const kinds = new Map<string, number>();
  const inKinds = new Map<number, Map<string, number>>();
  const inAll = new Map<number, number>();
  const named = new Map<number, { posts: number; wanted: number }>();
  for (const { post, community, product, isQuery } of posts) {
    const kind = kindNameOf(product);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const all = new Set<number>();
    eachStem(post, community, (hash) => all.add(hash));
    const last = hashWord(lastStem(kind));
    for (const hash of all) {
      inAll.set(hash, (inAll.get(hash) ?? 0) + 1);
      const of = inKinds.get(hash) ?? new Map<string, number>();
      inKinds.set(hash, of.set(kind, (of.get(kind) ?? 0) + 1));
    }
    for (const word of isQuery ? [] : all) {
      const count = named.get(word) ?? { posts: 0, wanted: 0 };
      named.set(word, count);
      count.posts++;
      if (word === last) count.wanted++;
    }
  }
  const byKind = new Map<string, { hash: number; weight: number; worth: number }[]>();
  for (const [hash, of] of inKinds) {
    const all = inAll.get(hash)!;
    const share = (all + 1) / posts.length;
    if (all < LEAST_POSTS || share > MOST_SHARE) continue;
    for (const [kind, count] of of) {
      const own = (count + SMOOTHING * share) / (kinds.get(kind)! + SMOOTHING);
      const weight = Math.log(own / share);
      if (weight < LEAST_WEIGHT) continue;
      const list = byKind.get(kind) ?? [];
      byKind.set(kind, list);
      list.push({ hash, weight, worth: weight * Math.sqrt(count) });
    }
  }
  const names = [...byKind.keys()].sort();
  const entries = names.flatMap((name, kind) =>
    byKind.get(name)!.sort((a, b) => b.worth - a.worth || a.hash - b.hash).slice(0, MOST_STEMS)
      .map(({ hash, weight }) => ({ hash, kind, weight }))
  ).sort((a, b) => a.hash - b.hash || a.kind - b.kind);
  const keys: number[] = [];
  const ends: number[] = [];
  entries.forEach(({ hash }, i) => {
    if (keys.at(-1) !== hash) keys.push(hash);
    ends[keys.length - 1] = i + 1;
  });
  return {
    names,
    priors: Uint8Array.from(names, (name) => byte(8 * PRIOR * Math.log(kinds.get(name)!))),
    keys: Int32Array.from(keys),
    ends: Int32Array.from(ends),
    kinds: Uint16Array.from(entries, ({ kind }) => kind),
    weights: Uint8Array.from(entries, ({ weight }) => byte(16 * weight)),
    ...learnOdds(named),
  };
}

/** How often a thing that a word names is wanted, beside the mean of all words that ever named a wanted one. */
function learnOdds(
  named: ReadonlyMap<number, { readonly posts: number; readonly wanted: number }>,
): Pick<ShelfTable, "lastKeys" | "lastOdds"> {
  const words = [...named].map(([hash, count]) => ({ hash, ...count }))
    .filter(({ posts, wanted }) => posts >= (wanted > 0 ? LEAST_POSTS : NEVER_WANTED_POSTS))
    .sort((a, b) => a.hash - b.hash);
  const wanted = words.filter(({ wanted }) => wanted > 0);
  const sum = (of: "posts" | "wanted"): number => wanted.reduce((all, one) => all + one[of], 0);
  const mean = sum("wanted") / Math.max(1, sum("posts"));
  const usual = Math.log(mean / (1 - mean));
  return {
    lastKeys: Int32Array.from(words, ({ hash }) => hash),
    lastOdds: Int8Array.from(words, ({ posts, wanted }) => {
      const odds = Math.log(
        (wanted + NAMED_SMOOTHING * mean) / (posts - wanted + NAMED_SMOOTHING * (1 - mean)),
      );
      return Math.max(-127, Math.min(127, Math.round(16 * (odds - usual))));
    }),
  };
}

const byte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));
