/** The gauge as the settings say: its model, its live search, and where posts found live are kept. */
import { randomBytes } from "node:crypto";
import { dayOf } from "../core/clock.ts";
import { ServiceError } from "../core/errors.ts";
import { corpusState } from "../db/corpus.ts";
import type { Database } from "../db/sql.ts";
import { findKinds } from "../gauge/kinds.ts";
import { createGauge, type Gauge, type LiveSearch } from "../gauge/mod.ts";
import type { Catalogue } from "../mining/cards/types.ts";
import { searchDemo } from "../mining/demo/search.ts";
import { ingest } from "../mining/job/ingest.ts";
import { readPost } from "../mining/judge.ts";
import { shownSince } from "../mining/removal/policy.ts";
import type { Post } from "../mining/types.ts";
import type { LanguageModel } from "../model/mod.ts";
import { type CommandContext, hashKey } from "./context.ts";

/** While the demonstration is the corpus, a live search looks through it; without a source nothing else does. */
function demoSearch({ sql }: Database): LiveSearch {
  return {
    search: async (query, { limit }) => {
      const { origin, firstStartedAt } = await corpusState(sql);
      if (origin === "demo" && firstStartedAt !== null) {
        return searchDemo(query, limit, firstStartedAt);
      }
      throw new ServiceError(
        "source_unavailable",
        "no live source is configured; /v1/gauge answers from the corpus",
        { retryAfterSeconds: 300 },
      );
    },
  };
}

/** Makes the two verbs of verdicts. */
export async function assembleGauge(
  context: CommandContext,
  database: Database,
  catalogue: () => Catalogue,
  source: LiveSearch | null,
  model: LanguageModel | null,
): Promise<Gauge> {
  const { config, registry, clock, log } = context;
  const authorHashKey = await hashKey(config, database);
  const keep = async (posts: readonly Post[]): Promise<void> => {
    const now = clock.now();
    await ingest(
      database,
      posts,
      { registry, authorHashKey, origin: "live", checkedAt: now.toISOString() },
      dayOf(now),
      () => Promise.resolve(),
    );
  };
  return createGauge({
    database,
    catalogue,
    model,
    allowExtractive: config.payment.mode === "test",
    source: source ?? demoSearch(database),
    findKinds,
    readLive: (posts) =>
      posts.flatMap((post) => {
        const reading = readPost(post, { registry, authorHashKey });
        return reading === null ? [] : [{ post, ...reading }];
      }),
    inRegistry: (community) => source !== null && registry.find(community) !== undefined,
    keep,
    // Without a source nothing can be confirmed, and removals cannot be seen.
    shownSince: () => source === null ? null : shownSince(clock.now()),
    clock,
    log,
    random: (bytes) => randomBytes(bytes).toString("hex"),
  });
}
