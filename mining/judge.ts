/** From a post to what is stored of it: classify, name the want, hash the author. */
import { createHash, createHmac } from "node:crypto";
import type { Origin, PostRow } from "../db/posts.ts";
import type { SignalRow } from "../db/signals.ts";
import { CLASSIFIER_VERSION, classifyToQuote, type Printable, quotable } from "./classify/mod.ts";
import type { Registry } from "./communities/registry.ts";
import { uniformPrior } from "./communities/registry.ts";
import { textKey } from "./text_key.ts";
import type { CategoryPrior, Demand, Post, Want } from "./types.ts";
import { readWant, WANT_VERSION, wantKey } from "./want/mod.ts";
import { showingQuote } from "./want/quote.ts";

export interface JudgeContext {
  readonly registry: Registry;
  /** Hex; the key of the authors' hashes. */
  readonly authorHashKey: string;
  readonly origin: Origin;
  /** ISO 8601: when the source showed the post, or null for an archive. */
  readonly checkedAt: string | null;
}

type ReadingContext = Pick<JudgeContext, "registry" | "authorHashKey">;

/** A post that carries a signal, ready to be stored. */
export interface Judged {
  readonly post: PostRow;
  readonly signal: SignalRow;
  /** The cluster's key, of which `signal.opportunityId` is the hash. */
  readonly key: string;
}

const VERSIONS = `${CLASSIFIER_VERSION}/${WANT_VERSION}`;
const HASH_HEX = 32;
const ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 16;

/** `opp_` and 16 characters of lower-case base32: the first 80 bits of the key's SHA-256. */
export function opportunityId(key: string): string {
  const digest = createHash("sha256").update(key).digest();
  let bits = 0n;
  for (const byte of digest.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let id = "";
  for (let i = 0; i < ID_LENGTH; i++) {
    id = (ID_LETTERS[Number(bits & 31n)] ?? "") + id;
    bits >>= 5n;
  }
  return `opp_${id}`;
}

/** An author as it is kept: a keyed hash, 32 hex digits, the same however the name is cased. */
export function authorHash(author: string, key: string): string {
  return createHmac("sha256", key).update(author.toLowerCase()).digest("hex").slice(0, HASH_HEX);
}

/** The prior of a post's community; even for one outside the registry. */
export function priorOf(registry: Registry, community: string): CategoryPrior {
  return registry.find(community)?.prior ?? uniformPrior(registry);
}

/** What a post says of demand and for what, with the keys that make voices and texts count once. */
export interface Reading {
  readonly demand: Demand;
  readonly want: Want;
  /** How likely the kind of product is right, 0-1. */
  readonly sureness: number;
  /** How well the quote alone shows the want, 0-1. */
  readonly shown: number;
  /** Hex: the author's hash, or null where the source names none. */
  readonly authorHash: string | null;
  /** Hex: the author's hash, or the text's. */
  readonly voice: string;
  /** Hex: of the normalised text. */
  readonly textKey: string;
}

/** Reads one post; null where it shows no demand for a product. */
export function readPost(post: Post, context: ReadingContext): Reading | null {
  const found = classifyToQuote(post);
  return found === null ? null : readAs(post, found.demand, found.sentences, context);
}

/**
 * The same with the demand as somebody else read it. The want is read beside the sentence that shows the
 * pattern best; then the quote is chosen that shows the want as well.
 */
function readAs(
  post: Post,
  found: Demand,
  sentences: () => readonly Printable[],
  { registry, authorHashKey }: ReadingContext,
): Reading | null {
  const read = readWant(post, found, priorOf(registry, post.community));
  if (read === null || !registry.isCategory(read.want.category)) return null;
  const quoted = showingQuote(sentences(), read.places);
  if (quoted === null) return null;
  const text = textKey(post.title, post.body);
  const author = post.author === null ? null : authorHash(post.author, authorHashKey);
  return {
    demand: { ...found, quote: quoted.quote },
    want: read.want,
    sureness: read.sureness,
    shown: quoted.shown,
    authorHash: author,
    voice: author ?? text,
    textKey: text,
  };
}

/** What a post says of demand, ready to be stored; null where it says nothing. */
export function judge(post: Post, context: JudgeContext): Judged | null {
  return judgedOf(post, readPost(post, context), context);
}

/** The same with the demand as somebody else read it. */
export function judgeAs(post: Post, demand: Demand, context: JudgeContext): Judged | null {
  const reading = readAs(post, demand, () => quotable(post, demand), context);
  return judgedOf(post, reading, context);
}

function judgedOf(post: Post, reading: Reading | null, context: JudgeContext): Judged | null {
  if (reading === null) return null;
  const { demand, want } = reading;
  const key = wantKey(want, demand);
  const createdAt = post.createdAt.toISOString();
  return {
    key,
    post: {
      id: post.id,
      community: post.community,
      title: post.title,
      body: post.body,
      authorHash: reading.authorHash,
      upvotes: post.upvotes,
      comments: post.comments,
      permalink: post.permalink,
      createdAt,
      origin: context.origin,
      checkedAt: context.checkedAt,
    },
    signal: {
      postId: post.id,
      opportunityId: opportunityId(key),
      pattern: demand.pattern,
      also: demand.also,
      category: want.category,
      product: want.product,
      kind: want.kind,
      need: want.need,
      brands: want.brands,
      spoken: want.spoken,
      intensity: demand.intensity,
      wtp: demand.wtp,
      confidence: demand.confidence,
      quote: demand.quote,
      sureness: reading.sureness,
      shown: reading.shown,
      voice: reading.voice,
      textKey: reading.textKey,
      upvotes: post.upvotes,
      createdAt,
      versions: VERSIONS,
    },
  };
}
