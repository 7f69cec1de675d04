/** Verdicts on demand: "is there demand for X", from the corpus or with a live search besides. */
import { DAY_MS } from "../core/clock.ts";
import { ServiceError } from "../core/errors.ts";
import { dropVerdictsBeyond } from "../db/corpus/verdicts.ts";
import { lacking } from "../mining/cards/listings.ts";
import { categorySlugs } from "../mining/cards/queries.ts";
import type { Catalogue } from "../mining/cards/types.ts";
import { matchCorpus } from "./match/corpus.ts";
import { quoted } from "./evidence/quotes.ts";
import { createVerdictCache } from "./verdict_cache.ts";
import { createLive } from "./live.ts";
import { parseInput } from "./input.ts";
import { readQuery, searched } from "./query/read.ts";
import { questionKey } from "./query/said/mod.ts";
import { extractiveSynthesis } from "./synthesis/extractive.ts";
import { createSynthesis } from "./synthesis/mod.ts";
import type { Synthesize } from "./synthesis/types.ts";
import type { GaugeInput } from "./input.ts";
import type { GaugeOptions, Verdict } from "./types.ts";
import { makeVerdict } from "./verdict.ts";

export { TEMPERATURES, type Verdict } from "./types.ts";

export interface Gauge {
  /**
   * A verdict from the corpus, or the one kept for the same question in the last seven days.
   * @throws ServiceError `corpus_warming`, `model_unavailable`, `overloaded`, or `source_unavailable` where the
   * source confirmed none of the posts that match lately; the signal's reason when aborted.
   */
  gauge(input: GaugeInput, signal: AbortSignal): Promise<Verdict>;
  /**
   * A verdict from the corpus and a search of the site as it is now; never kept.
   * @throws ServiceError `compute_timeout`, `source_unavailable` where the site cannot be searched, and those of
   * `gauge`.
   */
  live(input: GaugeInput, signal: AbortSignal): Promise<Verdict>;
  /**
   * One verdict for all, on the query of whoever asks first: worded without a language model, and kept until a
   * post that counted in it is removed.
   * @throws ServiceError as `gauge` does.
   */
  sample(input: GaugeInput): Promise<Verdict>;
  /**
   * Looks whether verdicts of this verb can be had now, whatever the query, so that none is sold in vain.
   * @throws ServiceError `model_unavailable`, `corpus_warming`, or `source_unavailable` for live ones.
   */
  ready(verb: "gauge" | "live"): Promise<void>;
  /** Checks and cleans what a caller sent; see `parseInput`. */
  parse(input: { readonly query: unknown; readonly category?: unknown }): GaugeInput;
}

/** Part of the key of kept verdicts: to be raised where the same posts are judged differently. */
const RULES = "50:";
/** As long as the corpus lasts. */
const SAMPLE_DAYS = 36_500;
/** No verdict but a sample is kept for longer. */
const SAMPLES_ALONE_DAYS = 365;
/** Settings do not change by themselves. */
const UNCONFIGURED_RETRY_SECONDS = 300;
const EXTRACTIVE_TIMEOUT_MS = 5_000;

/** Why there are no verdicts where nothing is configured that words them. */
export const unserved = (): ServiceError =>
  new ServiceError(
    "model_unavailable",
    "No language model is configured: verdicts are not served here.",
    { retryAfterSeconds: UNCONFIGURED_RETRY_SECONDS, isLasting: true },
  );

const extractive: Synthesize = (request) => Promise.resolve(extractiveSynthesis(request));

function synthesizer({ synthesis, log }: GaugeOptions): Synthesize {
  if (synthesis === "none") return () => Promise.reject(unserved());
  return synthesis === "extractive" ? extractive : createSynthesis(synthesis, log);
}

/**
 * The catalogue, once there is a signal to search: an empty corpus gives no cold verdict. For a `live` one it need only
 * have been mined, since the search may find what the corpus lacks.
 * @throws ServiceError `corpus_warming`.
 */
function catalogueFor(options: GaugeOptions, live: boolean): Catalogue {
  const catalogue = options.catalogue();
  const isMined = live && catalogue.lastMinedAt !== null;
  if (isMined || catalogue.signalCount > 0) return catalogue;
  throw lacking(catalogue, "No post that was read shows demand.");
}

/** Makes a gauge. Nothing is read or asked before it is called. */
export function createGauge(options: GaugeOptions): Gauge {
  const { clock, findKinds, shownSince, synthesis } = options;
  const { withDeadline: sql } = options.database;
  // What the built-in synthesis said in payment mode `test` is never sold in another mode.
  const keyPrefix = typeof synthesis === "string" ? `${synthesis}:` : "";
  const synthesize = synthesizer(options);
  const cache = createVerdictCache({
    sql,
    clock,
    log: options.log,
    random: options.random,
    shownSince,
    modelTimeoutMs: typeof synthesis === "string" ? EXTRACTIVE_TIMEOUT_MS : synthesis.timeoutMs,
  });

  const compute = async (
    input: GaugeInput,
    catalogue: Catalogue,
    wording: Synthesize,
    signal: AbortSignal,
  ) => {
    const query = await readQuery(sql, input, findKinds);
    const found = await matchCorpus(sql, query, shownSince());
    const verdict = await makeVerdict(
      {
        input,
        query,
        found: { ...found, live: [] },
        catalogue,
        asOf: new Date(catalogue.asOf),
        now: clock.now(),
        ...searched(query, input, catalogue.signalCount),
      },
      (matches) => quoted(sql, query.plan, matches, new Map()),
      wording,
      signal,
    );
    return { verdict, postIds: found.matches.map(({ postId }) => postId) };
  };

  return {
    async gauge(input, signal) {
      const catalogue = catalogueFor(options, false);
      const verdict = await cache.get(
        keyPrefix + RULES + questionKey(input, findKinds),
        (own) => compute(input, catalogue, synthesize, own),
        signal,
      );
      return { ...verdict, query: input.query };
    },
    async sample(input) {
      const catalogue = catalogueFor(options, false);
      return await cache.get(
        `sample:${RULES}`,
        async (own) => {
          const computed = await compute(input, catalogue, extractive, own);
          // Those of former rules: nobody is shown them, and nothing else would end them.
          const beyondOthers = clock.now().getTime() + SAMPLES_ALONE_DAYS * DAY_MS;
          await dropVerdictsBeyond(sql, new Date(beyondOthers));
          return computed;
        },
        new AbortController().signal,
        SAMPLE_DAYS,
      );
    },
    live: createLive(options, () => catalogueFor(options, true), synthesize),
    async ready(verb) {
      if (synthesis === "none") throw unserved();
      catalogueFor(options, verb === "live");
      if (verb === "live") await options.source.available?.();
    },
    parse: (input) => parseInput(input, categorySlugs(options.catalogue())),
  };
}
