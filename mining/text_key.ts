/**
 * A key that copies of one text share: the three smallest of differently hashed word 5-shingles, over
 * the title and the start of the body. Texts with a share J of shingles in common get the same key with
 * probability about J^3 (Broder, "On the resemblance and containment of documents", 1997): light edits
 * and cross-posts mostly fold, filled-in templates do not.
 */
import { createHash } from "node:crypto";
import { HASH_START, hashUnit } from "./classify/hash.ts";

const SHINGLE_WORDS = 5;
const MAX_WORDS = 400;
const SEEDS = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35] as const;

/** Notes that are about the posting and not of the text. */
const CROSS_POST = /[[(]?\bx-?post(?:ed)?\b[^\])\n]*[\])]?|\bedit\s*\d*:.*$/gim;
const ADDRESS = /https?:\/\/\S+/g;

/** FNV-1a over UTF-16 code units, its bits not mixed: stored keys are made of it. */
function fnv1a(word: string): number {
  let hash = HASH_START;
  for (let i = 0; i < word.length; i++) hash = hashUnit(hash, word.charCodeAt(i));
  return hash >>> 0;
}

function seeded(hash: number, seed: number): number {
  let value = Math.imul(hash ^ seed, 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 15), 0x297a2d39);
  return (value ^ (value >>> 16)) >>> 0;
}

/** The key of a text, 24 hex digits; the same for the same words in the same order. */
export function textKey(title: string, body: string): string {
  const text = `${title}\n${body}`.slice(0, 8_000).replace(CROSS_POST, " ").replace(ADDRESS, " ");
  const words = text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const hashes = words.slice(0, MAX_WORDS).map(fnv1a);
  if (hashes.length < SHINGLE_WORDS) {
    return createHash("sha256").update(words.join(" ")).digest("hex").slice(0, 24);
  }
  const smallest = new Uint32Array(SEEDS.length).fill(0xffffffff);
  for (let start = 0; start + SHINGLE_WORDS <= hashes.length; start++) {
    let shingle = 0;
    for (let i = start; i < start + SHINGLE_WORDS; i++) {
      shingle = Math.imul(shingle, 31) + (hashes[i] ?? 0) >>> 0;
    }
    SEEDS.forEach((seed, i) => {
      const value = seeded(shingle, seed);
      if (value < (smallest[i] ?? 0)) smallest[i] = value;
    });
  }
  return [...smallest].map((value) => value.toString(16).padStart(8, "0")).join("");
}
