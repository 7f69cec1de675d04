/** Learns which words stand in posts that want a kind of product (mining/extract/product/shelves.ts). */
import { hashWord } from "../../../mining/classify/hash.ts";
import type { Prepared } from "../../../mining/extract/features.ts";
import { kindNameOf } from "../../../mining/extract/product/names.ts";
import {
  communityHashes,
  lastStem,
  type ShelfTable,
} from "../../../mining/extract/product/shelves.ts";
import { KIND } from "../../../mining/extract/tokens.ts";

/** A post whose product is known. */
export interface ShelfPost {
  readonly post: Prepared;
  readonly community: string;
  readonly product: string;
}

/** A stem in fewer posts tells nothing, and neither does one in more than this share of them. */
const LEAST_POSTS = 3;
const MOST_SHARE = 0.1;
/** How many posts of any kind stand beside those of a kind, so that few posts do not make a word sure. */
const SMOOTHING = 30;
/** The same for how often a thing that is named is wanted. */
const NAMED_SMOOTHING = 3;
/** The least that a stem must say of a kind, and the most stems of one kind. */
const LEAST_WEIGHT = 0.3;
const MOST_STEMS = 40;
/** How much a kind's own frequency counts beside what the words say. */
const PRIOR = 0.3;

/** Fits the table. The same posts give the same bytes. */
export function learnShelves(posts: readonly ShelfPost[]): ShelfTable {
  const kinds = new Map<string, number>();
  const inKinds = new Map<number, Map<string, number>>();
  const inAll = new Map<number, number>();
  const named = new Map<number, { posts: number; wanted: number }>();
  const lasts = new Set(posts.map(({ product }) => hashWord(lastStem(kindNameOf(product)))));
  for (const { post, community, product } of posts) {
    const kind = kindNameOf(product);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const { tokens: { kind: kindOf }, stems } = post;
    const all = new Set(communityHashes(community));
    const things = new Set<number>();
    stems.forEach((hash, i) => {
      if (kindOf[i] !== KIND.word) return;
      all.add(hash);
      if (lasts.has(hash)) things.add(hash);
    });
    const last = hashWord(lastStem(kind));
    for (const hash of all) {
      inAll.set(hash, (inAll.get(hash) ?? 0) + 1);
      const of = inKinds.get(hash) ?? new Map<string, number>();
      inKinds.set(hash, of.set(kind, (of.get(kind) ?? 0) + 1));
    }
    for (const thing of things) {
      const count = named.get(thing) ?? { posts: 0, wanted: 0 };
      named.set(thing, count);
      count.posts++;
      if (thing === last) count.wanted++;
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

/** How often a named thing is wanted, beside the mean of all things that are named. */
function learnOdds(
  named: ReadonlyMap<number, { readonly posts: number; readonly wanted: number }>,
): Pick<ShelfTable, "lastKeys" | "lastOdds"> {
  const things = [...named].filter(([, { posts }]) => posts >= LEAST_POSTS)
    .map(([hash, count]) => ({ hash, ...count }))
    .sort((a, b) => a.hash - b.hash);
  const sum = (of: "posts" | "wanted"): number => things.reduce((all, one) => all + one[of], 0);
  const mean = sum("wanted") / Math.max(1, sum("posts"));
  const usual = Math.log(mean / (1 - mean));
  return {
    lastKeys: Int32Array.from(things, ({ hash }) => hash),
    lastOdds: Int8Array.from(things, ({ posts, wanted }) => {
      const odds = Math.log(
        (wanted + NAMED_SMOOTHING * mean) / (posts - wanted + NAMED_SMOOTHING * (1 - mean)),
      );
      return Math.max(-127, Math.min(127, Math.round(16 * (odds - usual))));
    }),
  };
}

const byte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));
