/** What every run ends with: changed clusters become cards, and every replica is told. */
import { dayOf } from "../../core/clock.ts";
import { corpusState, freezeSample, publishRevision, sampleRow, setAsOf } from "../../db/corpus.ts";
import {
  bestCard,
  countActive,
  markAllCardsDirty,
  markSilentDirty,
} from "../../db/opportunities.ts";
import { sweepServed } from "../../db/removal.ts";
import type { Tx } from "../../db/sql.ts";
import { dormantSince } from "../cards/build.ts";
import { refreshCards } from "../cards/refresh.ts";
import type { MinerDeps } from "./miner.ts";

export interface FinishResult {
  /** Clusters looked at. */
  readonly refreshed: number;
  /** Cards that a polling client would see a change of. */
  readonly changed: number;
}

export interface FinishOptions {
  /** False where nothing was read: ages stay as they were, and only what changed is told. */
  readonly mined: boolean;
  /** Tells every replica even where nothing changed now: a process that died may have changed it before. */
  readonly always?: boolean;
  /** Runs in every transaction: the lease's fence. */
  readonly within: (tx: Tx) => Promise<void>;
}

/** Remakes the changed cards, freezes a sample where there is none, and publishes the new revision. */
export async function refreshAndPublish(
  { database, clock }: Pick<MinerDeps, "database" | "clock">,
  { mined, always = false, within }: FinishOptions,
): Promise<FinishResult> {
  const { sql } = database;
  const state = await corpusState(sql);
  const now = clock.now();
  const wall = state.clock === "wall";
  const asOf = wall ? now : state.asOf ?? now;
  const day = dayOf(asOf);
  if (mined && state.scoredOn !== null && state.scoredOn !== day) await markAllCardsDirty(sql);
  if (mined) await markSilentDirty(sql, dormantSince(asOf));
  const result = await refreshCards(database, { asOf, now, within });
  if (!mined && !always && result.refreshed === 0) return result;
  await sql.begin(async (tx) => {
    await within(tx);
    const best = await bestCard(tx);
    if (best !== null) await freezeSample(tx, best, now);
    await sweepServed(tx, now);
    if (mined && wall) await setAsOf(tx, now);
    await publishRevision(tx, {
      builtAt: now,
      lastMinedAt: mined ? now : null,
      scoredOn: mined ? day : state.scoredOn ?? day,
    });
  });
  return result;
}

/** Freezes a sample where there are cards and none of them is one, as after its post was removed. */
export async function ensureSample(
  deps: Pick<MinerDeps, "database" | "clock">,
): Promise<void> {
  const { sql } = deps.database;
  if (await sampleRow(sql) !== null || await countActive(sql) === 0) return;
  await refreshAndPublish(deps, { mined: false, always: true, within: () => Promise.resolve() });
}
