/** A search of the demonstration posts, standing in for the site's while they are the corpus. */
import { ServiceError } from "../../core/errors.ts";
import { corpusState } from "../../db/corpus/corpus.ts";
import type { Sql } from "../../db/sql.ts";
import { singular } from "../lexicon/grammar.ts";
import type { Post } from "../types.ts";
import { demoPosts } from "./mod.ts";

/** At least this share of a query's words must occur. */
const LEAST_SHARE = 0.5;
const WORD = /[\p{L}\p{N}]+/gu;

/** Words in the singular, so that "kettles" finds "kettle". */
const stems = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(WORD) ?? []).map(singular));

/** Settings do not change by themselves: asking again within the hour gives the same. */
const RETRY_SECONDS = 3_600;

/**
 * A live search for a service without a source: through the demonstration, while that is the corpus.
 * Both throw ServiceError `source_unavailable` where it is not.
 */
export function demoSearch(sql: Sql) {
  const startOfDemo = async (): Promise<Date> => {
    const { origin, firstStartedAt } = await corpusState(sql);
    if (origin === "demo" && firstStartedAt !== null) return firstStartedAt;
    throw new ServiceError(
      "source_unavailable",
      "No live source is configured; /v1/gauge answers from the corpus.",
      { retryAfterSeconds: RETRY_SECONDS, isLasting: true },
    );
  };
  return {
    available: async (): Promise<void> => void await startOfDemo(),
    search: async (query: string, { limit }: { readonly limit: number }): Promise<Post[]> =>
      searchDemo(query, limit, await startOfDemo()),
  };
}

/** The demonstration posts that hold most words of the query, best first, then newest. */
function searchDemo(query: string, limit: number, firstStart: Date): Post[] {
  const wanted = [...stems(query)].filter((word) => word.length > 2);
  if (wanted.length === 0) return [];
  return demoPosts(firstStart)
    .map((post) => {
      const words = stems(`${post.title} ${post.body}`);
      return { post, share: wanted.filter((word) => words.has(word)).length / wanted.length };
    })
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) =>
      b.share - a.share || b.post.createdAt.getTime() - a.post.createdAt.getTime() ||
      (a.post.id < b.post.id ? -1 : 1)
    )
    .slice(0, limit).map(({ post }) => post);
}
