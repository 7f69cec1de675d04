/**
 * The shelf: a bag-of-words model that scores the kinds of product by the words of posts that want them. It finds
 * kinds that a post never names ("the chuck seized"), and tells which of the things that it names is the wanted one.
 */
import { remembered } from "../../../core/recent.ts";
import { hashWord } from "../../classify/hash.ts";
import { settle } from "../../classify/numbers.ts";
import { HashTable } from "../../classify/table.ts";
import type { Prepared } from "../features.ts";
import { KIND, stem } from "../tokens.ts";

/** What was learned of kinds from posts whose product is known. */
export interface ShelfTable {
  /** The kinds' names. */
  readonly names: readonly string[];
  /** For each kind the logarithm of how often it was wanted, in eighths. */
  readonly priors: Uint8Array;
  /** Hashes of stems, and where the entries of each end. */
  readonly keys: Int32Array;
  readonly ends: Int32Array;
  /** An entry: a kind, and how much likelier the stem is in its posts than in any, as a logarithm in sixteenths. */
  readonly kinds: Uint16Array;
  readonly weights: Uint8Array;
  /** Hashes of the stems of last words of names, and how often such a name is the product wanted. */
  readonly lastKeys: Int32Array;
  readonly lastOdds: Int8Array;
}

/** How much likelier than another a kind is whose logarithm is one greater: the words of a post repeat each other. */
const TEMPER = 0.5;
/** Kinds this far behind the likeliest have no share worth counting. */
const FAR = 30;
/** How many times a word of the title or of the community's name counts. */
const TITLE_WEIGHT = 2;
/** Kinds that a reading tells all of, and those that it only names. */
const MOST = 6;
const MOST_NAMED = 40;

/** A kind that a post seems to be about. */
interface ShelfGuess {
  readonly name: string;
  /** Its share among all kinds, 0-1. */
  readonly share: number;
  /** How far its words bear it out, as a logarithm. */
  readonly score: number;
  /** How far they bear it out beside the kind that they bear out best, 0-1. */
  readonly support: number;
}

/** What a post's words say of kinds, until the next post is read. */
interface ShelfReading {
  /** The likeliest kinds, the likeliest first. */
  readonly best: readonly ShelfGuess[];
  /** The names of more of them. */
  readonly likely: readonly string[];
  /** Of the kinds whose name ends with the same word as this one's the likeliest; null if there is none. */
  of(name: string): ShelfGuess | null;
}

/**
 * The words of a community's name that tell what it is about, in lower case: those of three letters
 * or more, parted at capitals and marks.
 */
export function communityWords(community: string): string[] {
  return community.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2);
}

/** Names that are kept: posts repeat them. */
const REMEMBERED = 5_000;

/** The hashes of a community's name: of the whole, and of the stems of its words. */
const communityHashes = remembered(
  REMEMBERED,
  (community): readonly number[] =>
    community === "" ? [] : [
      hashWord(`c:${community.toLowerCase()}`),
      ...communityWords(community).map((word) => hashWord(stem(word))),
    ],
);

/** The stem of a name's last word: names that share it are of one kind, more or less. */
export const lastStem = remembered(
  REMEMBERED,
  (name: string): string => stem(name.slice(name.lastIndexOf(" ") + 1)),
);

/** The places of names in the list, by the stem of each one's last word. */
export const byLastStem = (names: readonly string[]): ReadonlyMap<string, readonly number[]> =>
  Map.groupBy(names.keys(), (kind) => lastStem(names[kind]!));

/**
 * Calls `count` with the hash of each stem of the community's name and of the post's words, and
 * with how often it counts.
 */
export function eachStem(
  { tokens: { kind, start, titleEnd }, stems }: Prepared,
  community: string,
  count: (hash: number, times: number) => void,
): void {
  for (const hash of communityHashes(community)) count(hash, TITLE_WEIGHT);
  for (let i = 0; i < stems.length; i++) {
    if (kind[i] !== KIND.word) continue;
    count(stems[i]!, start[i]! < titleEnd ? TITLE_WEIGHT : 1);
  }
}

/** The table, ready to be asked. */
export class Shelves {
  readonly #table: ShelfTable;
  readonly #rows: HashTable;
  readonly #odds: HashTable;
  /** Kinds by the stem of their name's last word. */
  readonly #byLast: ReadonlyMap<string, readonly number[]>;
  readonly #scores: Float64Array;
  /** The number of the post that each stem was last counted in. */
  readonly #seen: Int32Array;
  /** What kinds of each prior add to the sum of shares, or -1. */
  readonly #idle = new Float64Array(256);
  #post = 0;

  constructor(table: ShelfTable) {
    this.#table = table;
    this.#rows = new HashTable(table.keys);
    this.#odds = new HashTable(table.lastKeys);
    this.#scores = new Float64Array(table.names.length);
    this.#seen = new Int32Array(table.keys.length);
    this.#byLast = byLastStem(table.names);
  }

  /** How often a thing of such a name is what its post wants, as a logarithm of odds; 0 where nothing is known. */
  odds(name: string): number {
    const row = this.#odds.row(hashWord(lastStem(name)));
    return row < 0 ? 0 : this.#table.lastOdds[row]! / 16;
  }

  read(post: Prepared, community: string): ShelfReading {
    const { priors, names } = this.#table;
    const scores = this.#scores;
    this.#post++;
    for (let k = 0; k < scores.length; k++) scores[k] = priors[k]! / 8;
    eachStem(post, community, (hash, times) => this.#count(hash, times));
    const best = this.#likeliest(MOST_NAMED);
    const top = best.length === 0 ? 1 : scores[best[0]!]!;
    let sum = 0;
    // Most kinds have none of the post's words: those of one prior have one share.
    const idle = this.#idle.fill(-1);
    for (let k = 0; k < scores.length; k++) {
      const score = scores[k]!, prior = priors[k]!;
      if (score <= top - FAR) continue;
      if (score !== prior / 8) sum += Math.exp(TEMPER * (score - top));
      else {
        if (idle[prior] === -1) idle[prior] = Math.exp(TEMPER * (score - top));
        sum += idle[prior]!;
      }
    }
    const guess = (k: number): ShelfGuess => ({
      name: names[k]!,
      share: settle(Math.exp(TEMPER * (scores[k]! - top)) / sum),
      score: scores[k]!,
      support: top <= 0 ? 0 : scores[k]! / top,
    });
    return {
      best: best.slice(0, MOST).map(guess),
      likely: best.map((k) => names[k]!),
      of: (name) => {
        const kinds = this.#byLast.get(lastStem(name));
        if (kinds === undefined) return null;
        return guess(
          kinds.reduce((likeliest, k) => scores[k]! > scores[likeliest]! ? k : likeliest),
        );
      },
    };
  }

  /** The kinds of the greatest scores, the greatest first. */
  #likeliest(most: number): number[] {
    const scores = this.#scores;
    const best: number[] = [];
    let least = -Infinity;
    for (let k = 0; k < scores.length; k++) {
      const score = scores[k]!;
      if (best.length < most) best.push(k);
      else if (score <= least) continue;
      let at = best.length - 1;
      for (; at > 0 && scores[best[at - 1]!]! < score; at--) best[at] = best[at - 1]!;
      best[at] = k;
      if (best.length === most) least = scores[best[most - 1]!]!;
    }
    return best;
  }

  #count(hash: number, times: number): void {
    const { ends, kinds, weights } = this.#table;
    const row = this.#rows.row(hash);
    if (row < 0 || this.#seen[row] === this.#post) return;
    this.#seen[row] = this.#post;
    for (let e = row === 0 ? 0 : ends[row - 1]!; e < ends[row]!; e++) {
      this.#scores[kinds[e]!]! += times * weights[e]! / 16;
    }
  }
}
