/** Authors' names, of which nothing but a keyed hash goes further than the source. */
import { createHmac } from "node:crypto";
import type { Post, PseudonymousPost } from "./types.ts";

const HASH_HEX = 32;

/** An author as it is kept: a keyed hash, 32 hex digits, the same however the name is cased. `key` is hex. */
export function authorHash(author: string, key: string): string {
  return createHmac("sha256", key).update(author.toLowerCase()).digest("hex").slice(0, HASH_HEX);
}

/** The post with its author's hash in the place of the name. */
export function pseudonymous({ author, ...post }: Post, key: string): PseudonymousPost {
  return { ...post, authorHash: author === null ? null : authorHash(author, key) };
}
