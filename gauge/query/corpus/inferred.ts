/** Rewrites a query that only describes its product so that it names it, where the corpus has people who want that. */
import type { WordTerms } from "../../../db/matching/search_terms.ts";
import { MEASURED } from "../../amounts/amounts.ts";
import { splitName } from "../../words/same.ts";
import type { ByLists } from "../by_lists.ts";
import { inferKind } from "../described.ts";
import { askedNoun, type FindKinds, type InCorpus, type KindSpan, readHead } from "../head.ts";
import { findNeeds } from "../needs.ts";
import { includesAt } from "../parts.ts";
import { isWanted } from "./counts.ts";

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
  const products: KindSpan[] = [];
  const product: string[] = [];
  for (const kind of inferred.kinds) {
    const words = splitName(kind);
    if (product.length > 0) product.push("or");
    products.push({ start: product.length, end: product.length + words.length, kinds: [kind] });
    product.push(...words);
  }
  const left = words.flatMap((_, i) => inferred.words.has(i) ? [] : [i]);
  const rest = ["for", ...left.map((i) => words[i] ?? "")];
  const describing = new Set(
    left.flatMap((i, at) =>
      inferred.asked.has(i) || isRuledOut(i) ? [] : [product.length + 1 + at]
    ),
  );
  const others = findKinds(rest).map(({ start, end, kinds }) => ({
    start: start + product.length,
    end: end + product.length,
    kinds,
  }));
  const all = [...product, ...rest];
  const found = [...products, ...others];
  return {
    listed: {
      words: all,
      spans: found,
      needs: findNeeds(all, found),
      description: { describing, doubt: inferred.doubt },
    },
    said: typed.slice(Math.min(...inferred.words), Math.max(...inferred.words) + 1)
      .filter((word) => word !== MEASURED).join(" "),
  };
}
