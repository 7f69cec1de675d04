/**
 * What the built-in reader of posts takes a sentence to ask for: "third bag ripped with my computer in it. what backpack lasts?".
 * It was taught by posts, and tells what somebody wants from what they have better than words of asking do where there are none.
 */
import { singular } from "../../mining/lexicon/grammar.ts";
import { american } from "../../mining/lexicon/tokens.ts";
import { extract } from "../../mining/extract/mod.ts";
import { wordSet } from "../words/word_classes.ts";
import { behindName } from "./clause.ts";
import type { FindKinds } from "./head.ts";
import { foldedWords } from "./input.ts";

/** Words of sentences: a title says by its order what it asks for. */
const SAYING = wordSet(
  "i im we you they it is are was be do does did would should could can will who what which that because my our their need want",
);
/** So many words at least make a sentence. */
const LEAST_WORDS = 5;
/** How certain the reader has to be of the kind. */
const LEAST_CERTAINTY = 0.6;
/** A query that asks anything shows demand; what the classifier of posts would say of it. */
const ASKING = { likelihood: 0.9, unphysical: 0.05, pattern: "recommendation_request" } as const;
const STOP = /[.?!;]/;

/** What the words of a query were read to ask for. */
export interface ReadHead {
  readonly words: readonly string[];
  readonly kinds: readonly string[];
}

/**
 * A query with the product first that the reader finds in it, and the rest behind "because"; null where it finds none of which
 * it is sure, or the one that was read.
 */
export function readByReader(query: string, head: ReadHead, findKinds: FindKinds): string | null {
  const typed = foldedWords(query);
  if (typed.length < LEAST_WORDS || !typed.some((word) => SAYING.has(word))) return null;
  // "A tool that blows leaves" was read as a leaf blower.
  const spelled = new Set(typed.map(american));
  if (!head.words.every((word) => spelled.has(word))) return null;
  const found = extract({ title: query, body: "", community: "" }, ASKING);
  if (found === null || found.productSpan === null || found.headCertainty < LEAST_CERTAINTY) {
    return null;
  }
  const { start, end } = found.productSpan;
  const words = foldedWords(query.slice(start, end)).map(american);
  const kinds = findKinds(words).flatMap((span) => span.kinds);
  const noun = singular(words.at(-1) ?? "");
  const isRead = kinds.some((kind) => head.kinds.includes(kind)) ||
    head.words.some((word) => singular(word) === noun);
  if (kinds.length === 0 || isRead) return null;
  const behind = query.slice(end);
  const stop = behind.search(STOP);
  const clause = stop < 0 ? behind : behind.slice(0, stop);
  const others = [query.slice(0, start), behind.slice(clause.length)].join(" ")
    .replaceAll(new RegExp(STOP, "g"), " ");
  return `${behindName(query.slice(start, end), clause)} because ${others}`;
}
