/**
 * Learns which kind of product words speak of (gauge/words/kind_table.ts), from four witnesses: what writers said of
 * each kind without its name, what posts say who want it, its names, and which words stand beside the words of these.
 */
import { HashTable } from "../../mining/classify/table.ts";
import { hashWord } from "../../mining/classify/hash.ts";
import { learnVectors, type WordVectors } from "./vectors.ts";

/** A text about a kind, as stems. */
export interface Described {
  readonly kind: string;
  /** What witnesses: a request that never names the kind, a post of a writer, a post of the corpus, or a name. */
  readonly from: "query" | "post" | "corpus" | "name";
  readonly stems: readonly string[];
}

/** How much likelier kinds are where a stem stands: a logarithm for each kind, the greatest first. */
type Speaking = ReadonlyMap<string, readonly (readonly [kind: string, weight: number])[]>;

/** What share of a kind's texts a witness vouches for, and texts without the stem that are added to each kind's. */
const WITNESS = {
  query: { share: 1, texts: 2 },
  post: { share: 0.16, texts: 1 },
  corpus: { share: 0.25, texts: 5 },
  name: { share: 0.5, texts: 3 },
} as const;
/** How far each witness places a kind among the words' vectors. */
const PLACED = { query: 1, post: 1, corpus: 0.5, name: 0.5 } as const;
/** How frequent a word is at least taken to be: that of a rare one is chance. */
const FLOOR = 0.0005;
/** The most that a witnessed stem says. */
const MOST = 6;
/** What a stem says of a kind that its vector points at, where it is as rare as one of a thousand posts' words. */
const NEAR = 4;
const RARE = 7;
const DIMENSIONS = 128;
/** A stem is kept if at least this many posts have it, or a witness of ours does. */
const FEWEST_POSTS = 15;
/** Kinds that a stem is kept with, and what it says of them at least. */
const KINDS = 60;
const LEAST = 1.375;

/** What is known of stems from posts of all sorts. */
interface Common {
  /** The share of posts with the stem. */
  share(stem: string): number;
  readonly vectors: WordVectors;
  row(stem: string): number;
  readonly frequent: readonly string[];
}

/** Learns from posts of all sorts, as the stems of their words in reading order. */
export function commonOf(posts: readonly (readonly string[])[]): Common {
  const counts = new Map<string, number>();
  for (const post of posts) {
    for (const stem of new Set(post)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  const vectors = learnVectors(
    posts.map((post) => Int32Array.from(post, hashWord)),
    DIMENSIONS,
  );
  const rows = new HashTable(vectors.keys);
  return {
    share: (stem) => (1 + (counts.get(stem) ?? 0)) / posts.length,
    vectors,
    row: (stem) => rows.row(hashWord(stem)),
    frequent: [...counts].flatMap(([stem, n]) => n >= FEWEST_POSTS ? [stem] : []),
  };
}

/** For each stem and kind the share of the kind's texts of one witness with it. */
function sharesOf(
  texts: readonly Described[],
  from: Described["from"],
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const counts = new Map<string, Map<string, number>>();
  for (const text of texts) {
    if (text.from !== from) continue;
    sizes.set(text.kind, (sizes.get(text.kind) ?? 0) + 1);
    for (const stem of new Set(text.stems)) {
      const kinds = counts.get(stem) ?? new Map<string, number>();
      counts.set(stem, kinds.set(text.kind, (kinds.get(text.kind) ?? 0) + 1));
    }
  }
  for (const kinds of counts.values()) {
    for (const [kind, n] of kinds) {
      kinds.set(kind, n / ((sizes.get(kind) ?? 0) + WITNESS[from].texts));
    }
  }
  return counts;
}

/** Adds `times` the vector of a stem to `to` from `at`. */
function addVector({ vectors }: Common, row: number, times: number, to: Float64Array, at: number) {
  for (let d = 0; d < DIMENSIONS; d++) {
    to[at + d]! += times * vectors.values[row * DIMENSIONS + d]!;
  }
}

function scaleToOne(values: Float64Array): void {
  const length = Math.hypot(...values);
  if (length > 0) { for (let d = 0; d < values.length; d++) values[d]! /= length; }
}

/** Learns from texts about kinds. */
export function learnDescribed(texts: readonly Described[], common: Common): Speaking {
  const kinds = [...new Set(texts.map(({ kind }) => kind))].sort();
  const numbers = new Map(kinds.map((kind, i) => [kind, i]));
  const rareness = (stem: string): number => -Math.log(common.share(stem));
  const said = new Map<string, Float64Array>();
  const places = new Float64Array(kinds.length * DIMENSIONS);
  const frequent = new Set(common.frequent);
  for (const from of ["query", "post", "corpus", "name"] as const) {
    const own = new Float64Array(kinds.length * DIMENSIONS);
    for (const [stem, shares] of sharesOf(texts, from)) {
      if (from === "corpus" && !frequent.has(stem)) continue;
      const row = common.row(stem);
      const all = said.get(stem) ?? new Float64Array(kinds.length);
      said.set(stem, all);
      for (const [kind, share] of shares) {
        const k = numbers.get(kind) ?? 0;
        const beyond = from === "corpus" ? Math.max(0, share - common.share(stem)) : share;
        all[k]! += WITNESS[from].share * beyond;
        if (row >= 0) addVector(common, row, beyond * rareness(stem), own, k * DIMENSIONS);
      }
    }
    for (let k = 0; k < kinds.length; k++) {
      const place = own.subarray(k * DIMENSIONS, (k + 1) * DIMENSIONS);
      scaleToOne(place);
      for (let d = 0; d < DIMENSIONS; d++) places[k * DIMENSIONS + d]! += PLACED[from] * place[d]!;
    }
  }
  centre(places, kinds.length);
  const speaking = new Map<string, (readonly [string, number])[]>();
  for (const stem of [...frequent.union(new Set(said.keys()))].sort()) {
    const row = common.row(stem);
    const shares = said.get(stem);
    const floor = common.share(stem) + FLOOR;
    const near = NEAR * rareness(stem) / RARE;
    const weights = kinds.map((kind, k): readonly [string, number] => {
      const told = Math.min(MOST, Math.log(1 + (shares?.[k] ?? 0) / floor));
      return [kind, told + (row < 0 ? 0 : near * cosine(common, row, places, k))];
    });
    const kept = weights.filter(([, weight]) => weight >= LEAST)
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, KINDS);
    if (kept.length > 0) speaking.set(stem, kept);
  }
  return speaking;
}

/** Takes from the kinds' places what all have, and scales them to one length. */
function centre(places: Float64Array, kinds: number): void {
  for (let d = 0; d < DIMENSIONS; d++) {
    let sum = 0;
    for (let k = 0; k < kinds; k++) sum += places[k * DIMENSIONS + d]!;
    for (let k = 0; k < kinds; k++) places[k * DIMENSIONS + d]! -= sum / kinds;
  }
  for (let k = 0; k < kinds; k++) {
    scaleToOne(places.subarray(k * DIMENSIONS, (k + 1) * DIMENSIONS));
  }
}

/** Vectors of words have this length. */
const LENGTH = 254;

function cosine({ vectors }: Common, row: number, places: Float64Array, kind: number): number {
  let sum = 0;
  for (let d = 0; d < DIMENSIONS; d++) {
    sum += vectors.values[row * DIMENSIONS + d]! * places[kind * DIMENSIONS + d]!;
  }
  return sum / LENGTH;
}
