/**
 * The gist: a small network over word embeddings that scores the kinds of product by all words of a post. Its
 * embeddings begin as those learned from unlabelled posts, so that words that no labelled post of a kind holds count.
 */
import { HashTable } from "../../classify/table.ts";
import type { Prepared } from "../features.ts";
import { byLastStem, eachStem, lastStem } from "./shelves.ts";

/** What was learned of words and kinds. */
export interface GistTable {
  readonly dims: number;
  /** Hashes of stems. */
  readonly keys: Int32Array;
  /** How rare each stem is, as a logarithm in sixteenths. */
  readonly rareness: Uint8Array;
  /** `dims` values a stem, and what they are multiplied with. */
  readonly words: Int8Array;
  readonly wordScale: number;
  readonly names: readonly string[];
  /** `dims` values a kind, and what they are multiplied with. */
  readonly kinds: Int8Array;
  readonly kindScale: number;
  /** How likely each kind is before any word, as a logarithm in sixteenths. */
  readonly usual: Int8Array;
}

/** What a post's words say of a kind. */
export interface GistGuess {
  readonly name: string;
  /** A logarithm: of two kinds the likelier has the greater one. */
  readonly score: number;
}

/** The table, ready to be asked about one post at a time. */
export class Gist {
  readonly #table: GistTable;
  readonly #rows: HashTable;
  readonly #byName: ReadonlyMap<string, number>;
  /** Kinds by the stem of their name's last word. */
  readonly #byLast: ReadonlyMap<string, readonly number[]>;
  readonly #point: Float64Array;
  /** The number of the post that each stem was last counted in. */
  readonly #seen: Int32Array;
  /** What was asked of this post's kinds, and the number of the post that each was last asked of. */
  readonly #scores: Float64Array;
  readonly #scored: Int32Array;
  #post = 0;
  #length = 0;

  constructor(table: GistTable) {
    this.#table = table;
    this.#rows = new HashTable(table.keys);
    this.#point = new Float64Array(table.dims);
    this.#seen = new Int32Array(table.keys.length);
    this.#scores = new Float64Array(table.names.length);
    this.#scored = new Int32Array(table.names.length);
    this.#byName = new Map(table.names.map((name, kind) => [name, kind]));
    this.#byLast = byLastStem(table.names);
  }

  /** Reads a post: kinds are asked for until the next one is read. */
  read(post: Prepared, community: string): this {
    const { dims, wordScale, kindScale } = this.#table;
    const point = this.#point.fill(0);
    this.#post++;
    this.#length = 0;
    eachStem(post, community, (hash, times) => this.#add(hash, times));
    const scale = wordScale * kindScale / Math.max(1e-6, Math.sqrt(this.#length));
    for (let d = 0; d < dims; d++) point[d]! *= scale;
    return this;
  }

  /** What the post's words say of a kind of this name; null for one that was not learned. */
  named(name: string): GistGuess | null {
    const kind = this.#byName.get(name);
    return kind === undefined ? null : this.#guess(kind);
  }

  /** Of the kinds whose name ends with the same word as this one's the likeliest; null if there is none. */
  of(name: string): GistGuess | null {
    const kinds = this.#byLast.get(lastStem(name));
    if (kinds === undefined) return null;
    return this.#guess(kinds.reduce((a, b) => this.#score(b) > this.#score(a) ? b : a));
  }

  #guess(kind: number): GistGuess {
    return { name: this.#table.names[kind]!, score: this.#score(kind) };
  }

  #score(kind: number): number {
    if (this.#scored[kind] === this.#post) return this.#scores[kind]!;
    const { dims, kinds, usual } = this.#table;
    const point = this.#point;
    let sum = usual[kind]! / 16;
    for (let d = 0, k = kind * dims; d < dims; d++, k++) sum += point[d]! * kinds[k]!;
    this.#scored[kind] = this.#post;
    return this.#scores[kind] = sum;
  }

  #add(hash: number, times: number): void {
    const { dims, words, rareness } = this.#table;
    const row = this.#rows.row(hash);
    if (row < 0 || this.#seen[row] === this.#post) return;
    this.#seen[row] = this.#post;
    const weight = times * rareness[row]! / 16;
    const point = this.#point;
    this.#length += weight * weight;
    for (let d = 0, k = row * dims; d < dims; d++, k++) point[d]! += weight * words[k]!;
  }
}
