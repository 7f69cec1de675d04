/** Tells queries that ask for no product: questions about one that somebody has, and plain denials. */
import { ARTICLES, AUXILIARIES, EMPTY_WORDS, PRONOUNS, wordSet } from "../../words/word_classes.ts";
import { cutAtEnds, isEmpty, MOST_BETWEEN } from "./clause.ts";
import type { FindKinds, KindSpan } from "../head.ts";
import { foldedWords } from "../../input.ts";

/** Why a query asks for no product: it is about one that somebody has, or says that none is wanted. */
export type Unasked = "owned" | "unwanted";

const QUESTION = wordSet("how why when where what whats");
const OWN = wordSet("my our his her their this these");
const DENYING = wordSet("dont not never doesnt didnt stop");
/** Verbs that ask for a product, and ask for none where they are denied; who "cannot find" or "doesn't have" one lacks it. */
const WISHING = wordSet(
  "want wants wanted wanting need needs needed needing looking require requires recommend recommending suggest suggesting show showing",
);
/** Verbs of the same that may also say what cannot be had: "stop selling kettles", but "I could not get a kettle". */
const TRADING = wordSet("buy buying get getting order ordering sell selling");
const REFUSING = wordSet("dont stop");
/** How it is asked whether people want a product: "would our kettle sell", "is it something people want". */
const MARKETED =
  /\b(?:in demand|sell|do well|find (?:an? )?(?:buyers?|customers?|market)|(?:something|what) (?:that )?(?:people|anyone|anybody|others|shoppers|buyers|customers))\b/;
/** Verbs of a question that asks for a product after all: "how do I choose a kettle". */
const CHOOSING = wordSet(
  "buy get find choose pick select order purchase have own want need afford shop recommend suggest replace upgrade try",
);

/** Whether a product is named at `at`, or soon behind. */
const isProductAt = (spans: readonly KindSpan[], at: number): boolean =>
  spans.some(({ start }) => start >= at && start <= at + MOST_BETWEEN);

/**
 * Whether a question is about a product and not for one, by its subject and object: "is my laptop broken", "how do I fix
 * a bike". The object of "can I" must be owned: "could I use a laptop" may be for one.
 */
function isAboutOwned(words: readonly string[], spans: readonly KindSpan[]): boolean {
  const asking = words.findIndex((word) => QUESTION.has(word));
  const begins = asking >= 0 && words.slice(0, asking).every((word) => EMPTY_WORDS.has(word));
  const isHow = begins && words[asking] === "how";
  const auxiliary = begins ? asking + 1 : 0;
  if (!AUXILIARIES.has(words[auxiliary] ?? "")) return false;
  const isOwned = (at: number): boolean =>
    (OWN.has(words[at] ?? "") || (isHow && ARTICLES.has(words[at] ?? ""))) &&
    isProductAt(spans, at + 1);
  const next = auxiliary + 1;
  if (isOwned(next)) return isHow || !MARKETED.test(words.join(" "));
  const hasSubject = PRONOUNS.has(words[next] ?? "");
  // "How to fix a bike" has none.
  if (!hasSubject && words[auxiliary] !== "to") return false;
  const verb = hasSubject ? next + 1 : next;
  return !CHOOSING.has(words[verb] ?? "") &&
    (isOwned(verb + 1) || (isHow && spans.some(({ start }) => start === verb + 1)));
}

/** Whether words deny to ask for what they name, and say nothing else: "don't recommend me a laptop". */
function isUnwanted(words: readonly string[], spans: readonly KindSpan[]): boolean {
  const at = words.findIndex((word) => DENYING.has(word));
  const [product, ...others] = spans;
  if (at < 0 || product === undefined || others.length > 0 || product.start < at + 2) return false;
  const between = words.slice(at + 1, product.start);
  // "I don't know which kettle to get".
  if (between.some((word) => word === "which" || QUESTION.has(word))) return false;
  const rest = [...words.slice(0, product.start), ...words.slice(product.end)];
  return rest.every((word) => DENYING.has(word) || EMPTY_WORDS.has(word)) &&
    (between.some((word) => WISHING.has(word)) ||
      // "Don't buy a kettle", "not a kettle".
      (REFUSING.has(words[at] ?? "") && between.some((word) => TRADING.has(word))) ||
      (at === 0 && words[at] === "not" && between.every((word) => ARTICLES.has(word))));
}

/** Why a query asks for no product; null where one of its clauses may. */
export function unaskedBy(query: string, findKinds: FindKinds): Unasked | null {
  // "Is my laptop broken, which one should I get" asks after all.
  const clauses = cutAtEnds(query).flatMap((text) => text.split(/,\s*(?=(?:which|what|any)\b)/i));
  const reasons = clauses.filter((text) => !isEmpty(text)).map((text): Unasked | null => {
    const words = foldedWords(text);
    const spans = findKinds(words);
    return isAboutOwned(words, spans) ? "owned" : isUnwanted(words, spans) ? "unwanted" : null;
  });
  return reasons.includes(null) ? null : reasons[0] ?? null;
}
