/** The verdict with a search of the site besides the corpus, all within one deadline. */
import { ServiceError } from "../core/errors.ts";
import { withSignals } from "../db/corpus/signals.ts";
import { forgottenIds } from "../db/corpus/posts.ts";
import type { Sql } from "../db/sql.ts";
import type { Catalogue } from "../mining/cards/types.ts";
import { SourceError } from "../mining/sources/errors.ts";
import type { Post } from "../mining/types.ts";
import { matchCorpus, matchLive } from "./match/corpus.ts";
import { quoted } from "./evidence/quotes.ts";
import { readQuery, searched } from "./query/read.ts";
import { DeadlineError, withDeadline } from "../core/deadline.ts";
import type { GaugeInput } from "./input.ts";
import type { GaugeOptions, Verdict } from "./types.ts";
import type { Synthesize } from "./synthesis/types.ts";
import { makeVerdict } from "./verdict.ts";

const LIVE_POSTS = 50;
const BUDGET_MS = 45_000;
const SOURCE_RETRY_SECONDS = 30;
const TIMEOUT_RETRY_SECONDS = 5;

/** To be asked again no sooner than the site wants to be. */
function sourceUnavailable(cause: unknown): ServiceError {
  const asked = cause instanceof SourceError ? cause.retryAfterSeconds ?? 0 : 0;
  return new ServiceError("source_unavailable", "The community site cannot be searched now.", {
    retryAfterSeconds: Math.max(SOURCE_RETRY_SECONDS, asked),
    cause,
  });
}

/** The site's answer: an outage is an error, and never an empty market. */
async function search(
  options: GaugeOptions,
  query: string,
  signal: AbortSignal,
): Promise<readonly Post[]> {
  try {
    const found = await options.source.search(query, { limit: LIVE_POSTS }, signal);
    return [...new Map(found.map((post) => [post.id, post])).values()].slice(0, LIVE_POSTS);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    options.log.warn("the live search failed", { error });
    throw sourceUnavailable(error);
  }
}

/** Without what was removed here, which the site may list all the same: what quotes it is not sold. */
async function standing(sql: Sql, posts: readonly Post[]): Promise<readonly Post[]> {
  const forgotten = await forgottenIds(sql, posts.map(({ id }) => id));
  return posts.filter(({ id }) => !forgotten.has(id));
}

/** Hands what belongs in the corpus to whoever keeps it; the verdict neither waits nor fails for it. */
function storeFound(options: GaugeOptions, posts: readonly Post[]): void {
  const wanted = posts.filter(({ community }) => options.inRegistry(community));
  if (wanted.length === 0) return;
  options.storeLivePosts(wanted).catch((error) =>
    options.log.warn("posts of a live search were not kept", { error })
  );
}

async function compute(
  options: GaugeOptions,
  input: GaugeInput,
  catalogue: Catalogue,
  synthesize: Synthesize,
  signal: AbortSignal,
): Promise<Verdict> {
  const { withDeadline: sql } = options.database;
  const searching = search(options, input.query, signal);
  // It is awaited below: until then its failure counts as handled.
  searching.catch(() => {});
  const query = await readQuery(sql, input, options.findKinds);
  const corpus = await matchCorpus(sql, query, options.shownSince());
  const posts = await standing(sql, await searching);
  // A post that is in the corpus already counts as it stands there, among the nearest or not. Those
  // that are stored for this verdict are no such posts: they were not there to be matched.
  const known = await withSignals(sql, posts.map(({ id }) => id));
  storeFound(options, posts);
  const matched = await matchLive(sql, query, await options.readLive(posts));
  const live = matched.filter(({ postId }) => !known.has(postId));
  const looked = searched(query, input, catalogue.signalCount);
  const newest = Math.max(...live.map(({ createdAt }) => createdAt.getTime()), 0);
  return await makeVerdict(
    {
      input,
      query,
      found: { ...corpus, live },
      catalogue,
      // A newer post of the search moves the time that ages are counted back from.
      asOf: new Date(Math.max(Date.parse(catalogue.asOf), newest)),
      now: options.clock.now(),
      ...looked,
      searched: `${looked.searched} and ${posts.length} posts found live`,
    },
    (matches) => quoted(sql, query.plan, matches, new Map(posts.map((post) => [post.id, post]))),
    synthesize,
    signal,
  );
}

/** The live verb of the gauge. */
export function createLive(
  options: GaugeOptions,
  mined: () => Catalogue,
  synthesize: Synthesize,
): (input: GaugeInput, signal: AbortSignal) => Promise<Verdict> {
  return async (input, signal) => {
    const catalogue = mined();
    try {
      return await withDeadline(
        options.liveBudgetMs ?? BUDGET_MS,
        signal,
        (inner) => compute(options, input, catalogue, synthesize, inner),
        LiveDeadlineError,
      );
    } catch (error) {
      if (!(error instanceof LiveDeadlineError)) throw error;
      throw new ServiceError("compute_timeout", "The live verdict took too long; try again.", {
        retryAfterSeconds: TIMEOUT_RETRY_SECONDS,
        cause: error,
      });
    }
  };
}

/** The live verdict's own deadline, as against those of its parts. */
class LiveDeadlineError extends DeadlineError {}
