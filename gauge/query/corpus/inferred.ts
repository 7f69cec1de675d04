/** Rewrites a query that only describes its product so that it names it, where the corpus has people who want that. */
import type { WordTerms } from "../../../db/matching/search_terms.ts";
import { MEASURED } from "../../amounts/amounts.ts";
import { splitName } from "../../words/same.ts";
import type { ByLists } from "../by_lists.ts";
import { inferKind, type InferredKind } from "../described.ts";
import { askedNoun, type FindKinds, type InCorpus, type KindSpan, readHead } from "../head.ts";
import { findNeeds } from "../needs.ts";
import { includesAt } from "../parts.ts";
import { isWanted } from "./counts.ts";

/** Names of kinds as words of a query, joined by "or". */
function namedKinds(kinds: readonly string[]): Pick<ByLists, "words" | "spans"> {
  const spans: KindSpan[] = [];
  const words: string[] = [];
  for (const kind of kinds) {
    const name = splitName(kind);
    if (words.length > 0) words.push("or");
    spans.push({ start: words.length, end: words.length + name.length, kinds: [kind] });
    words.push(...name);
  }
  return { words, spans };
}

/** The query with the names of the kinds that it describes first, and behind "for" what does not describe them. */
function renamed(
  words: readonly string[],
  inferred: InferredKind,
  isRuledOut: (at: number) => boolean,
  findKinds: FindKinds,
): ByLists {
  const product = namedKinds(inferred.kinds);
  const from = product.words.length;
  const left = words.flatMap((_, i) => inferred.words.has(i) ? [] : [i]);
  const rest = ["for", ...left.map((i) => words[i] ?? "")];
  const describing = new Set(
    left.flatMap((i, at) => inferred.asked.has(i) || isRuledOut(i) ? [] : [from + 1 + at]),
  );
  const others = findKinds(rest).map(({ start, end, kinds }) => ({
    start: start + from,
    end: end + from,
    kinds,
  }));
  const all = [...product.words, ...rest];
  const spans = [...product.spans, ...others];
  return {
    words: all,
    spans,
    needs: findNeeds(all, spans),
    description: { describing, doubt: inferred.doubt },
  };
}

/** A query that describes a kind, rewritten to name it; null for one that is read as it is. */
export function inferredFrom(
  typed: readonly string[],
  findKinds: FindKinds,
  { words, spans, needs }: ByLists,
  { stemsOf, counts }: WordTerms,
  inCorpus: InCorpus,
): { readonly listed: ByLists; readonly said: string } | null {
  // What is ruled out does not describe a kind.
  const isRuledOut = (i: number) =>
    needs.some((need) => need.none !== undefined && includesAt(i)(need));
  const read = words.map((word, i) => ({
    word,
    stems: isRuledOut(i) ? [] : stemsOf.get(word) ?? [],
    similar: [],
  }));
  const head = readHead(read, spans, inCorpus);
  const noun = askedNoun(read, spans);
  if (head === null || head.service !== null || noun < 0) return null;
  // What stands behind a product in a list of words says how it is.
  if (inCorpus.ofList !== null && inCorpus.ofList.end <= noun) return null;
  const inferred = inferKind({
    words: read,
    head,
    spans,
    noun,
    findKinds,
    isWanted: (kind) => isWanted(kind, counts),
  });
  if (inferred === null) return null;
  return {
    listed: renamed(words, inferred, isRuledOut, findKinds),
    said: typed.slice(Math.min(...inferred.words), Math.max(...inferred.words) + 1)
      .filter((word) => word !== MEASURED).join(" "),
  };
}
