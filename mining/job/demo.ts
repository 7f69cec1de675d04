/** The demonstration corpus of a first run: mined like any other, and gone when anything real arrives. */
import { dayOf } from "../../core/clock.ts";
import {
  clearCorpus,
  type CorpusOrigin,
  corpusState,
  setAsOf,
  setOrigin,
} from "../../db/corpus/corpus.ts";
import { clearImports } from "../../db/corpus/imports.ts";
import { demoPosts, demoRegistry } from "../demo/mod.ts";
import { demoReading } from "../demo/readings.ts";
import { ingest } from "./ingest.ts";
import { mineAlone } from "./miner.ts";
import type { MinerDeps } from "../session.ts";

interface DemoResult {
  readonly posts: number;
  readonly signals: number;
}

interface DemoOptions {
  /** In place of an earlier version's, whose cards are served until these are published, and dated back from now. */
  readonly replace?: boolean;
  /** Ends the mining, with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Mines the demonstration posts, dated back from `firstStart`. Null where another process does, or real posts are
 * stored. An interrupted call leaves nothing stored, or posts whose cards the next start makes (`moveOver`).
 */
export function mineDemo(
  deps: MinerDeps,
  firstStart: Date,
  authorHashKey: string,
  { replace = false, signal }: DemoOptions = {},
): Promise<DemoResult | null> {
  return mineAlone(
    deps,
    {
      kind: "demo",
      patienceMs: 0,
      // Another process may have imported posts since the caller looked.
      skip: async () => await originOf(deps) === "real",
      stats: (result: DemoResult) => ({ ...result }),
    },
    async (session) => {
      const context = {
        registry: demoRegistry(),
        origin: "demo",
        checkedAt: null,
        extractor: demoReading,
      } as const;
      const now = deps.clock.now();
      const start = replace ? now : firstStart;
      if (replace) {
        await deps.database.sql.begin(async (tx) => {
          await session.assertLease(tx);
          // Becomes the first start of the corpus, from which live search dates the same posts.
          await clearCorpus(tx, start);
        });
      }
      const posts = demoPosts(start);
      const { fresh, signals } = await ingest(deps.database, posts, {
        context,
        authorHashKey,
        day: dayOf(now),
        within: async (tx) => {
          await session.assertLease(tx);
          await setOrigin(tx, "demo", "archive");
          await setAsOf(tx, start);
        },
        signal,
      });
      await session.finish({ signal });
      return { posts: fresh, signals };
    },
  );
}

/** Removes the demonstration corpus, if that is what there is; true if it was. The signal ends the wait for others. */
export async function removeDemo(deps: MinerDeps, signal?: AbortSignal): Promise<boolean> {
  const isGone = async (): Promise<boolean> => await originOf(deps) !== "demo";
  if (await isGone()) return false;
  const removed = await mineAlone(
    deps,
    {
      kind: "demo",
      patienceMs: 60_000,
      signal,
      // Who was waited for may have made the corpus real.
      skip: isGone,
      stats: () => ({ removed: true }),
    },
    async (session) => {
      await deps.database.sql.begin(async (tx) => {
        await session.assertLease(tx);
        await clearCorpus(tx, deps.clock.now());
        await clearImports(tx);
      });
      await session.finish();
      return true;
    },
  );
  return removed ?? false;
}

async function originOf({ database }: MinerDeps): Promise<CorpusOrigin> {
  return (await corpusState(database.sql)).origin;
}
