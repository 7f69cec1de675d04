/** The gauge as the settings say. */
import { randomBytes } from "node:crypto";
import type { Database } from "../../db/sql.ts";
import { findKinds } from "../../gauge/query/kinds.ts";
import { createGauge, type Gauge } from "../../gauge/mod.ts";
import type { LiveSearch } from "../../gauge/types.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { pseudonymous } from "../../mining/authors.ts";
import { demoSearch } from "../../mining/demo/search.ts";
import { storeLivePosts } from "../../mining/job/store_live_posts.ts";
import { readPost } from "../../mining/judge.ts";
import { shownSince } from "../../mining/removal/policy.ts";
import type { LanguageModel } from "../../model/mod.ts";
import { type CommandContext, hashKey } from "../context.ts";
import { synthesisWithoutModel } from "./assemble.ts";

/**
 * Makes the gauge, which gives verdicts from the corpus and from live search, as the settings say.
 * Without a source live search reads the demonstration's posts.
 */
export function assembleGauge(
  context: CommandContext,
  database: Database,
  catalogue: () => Catalogue,
  source: LiveSearch | null,
  model: LanguageModel | null,
): Gauge {
  const { config, registry, clock, log } = context;
  const authorHashKey = () => hashKey(config, { sql: database.withDeadline });
  return createGauge({
    database,
    catalogue,
    synthesis: model ?? synthesisWithoutModel(config),
    source: source ?? demoSearch(database.withDeadline),
    findKinds,
    readLive: async (posts) => {
      const key = await authorHashKey();
      return posts.flatMap((post) => {
        const { judged } = readPost(pseudonymous(post, key), {
          registry,
          origin: "live",
          checkedAt: null,
        });
        return judged === null ? [] : [{ ...judged, post }];
      });
    },
    inRegistry: (community) => source !== null && registry.find(community) !== undefined,
    storeLivePosts: async (posts) =>
      await storeLivePosts({ database, clock }, posts, {
        registry,
        authorHashKey: await authorHashKey(),
      }),
    // Without a source nothing can be confirmed, and removals cannot be seen.
    shownSince: () => source === null ? null : shownSince(clock.now()),
    clock,
    log,
    random: (bytes) => randomBytes(bytes).toString("hex"),
  });
}
