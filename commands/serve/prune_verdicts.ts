/** Deletes outdated verdicts every hour in each serving process, whether anything is mined or not. */
import { pruneVerdicts } from "../../db/corpus/verdicts.ts";
import type { MinerDeps } from "../../mining/session.ts";

const EVERY_MS = 3_600_000;

/** Deletes verdicts that ended, now and then every hour; a failure is logged, and tried again then. */
export function startPruning(
  { database, clock, log }: Pick<MinerDeps, "database" | "clock" | "log">,
  everyMs = EVERY_MS,
): { stop(): void } {
  const once = (): void =>
    void pruneVerdicts(database.sql, clock.now()).catch((error) => {
      log.warn("outdated rows could not be deleted", { error });
    });
  once();
  const timer = setInterval(once, everyMs);
  return { stop: () => clearInterval(timer) };
}
