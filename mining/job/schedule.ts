/** Mining by the clock: at the start, then as the schedule says, never two runs at once. */
import { messageOf, OperatorError } from "../../core/errors.ts";
import type { CronJob, Runtime } from "../../runtime/types.ts";
import { mine, type MineDeps } from "./mine.ts";
import type { MineReport } from "./report.ts";

interface ScheduleOptions {
  readonly cron: Runtime["cron"];
  /** Five cron fields, in UTC. */
  readonly schedule: string;
  /** Whether the first run begins at once. */
  readonly onStart: boolean;
  /** Called after each run that read or changed something. */
  readonly onRun?: (report: MineReport) => void;
}

export interface Miner {
  /** Ends the run under way after the page in hand, and begins no other. */
  stop(): Promise<void>;
}

/** Starts mining by the clock. A run that fails is logged; the next one tries again. */
export function startMiner(deps: MineDeps, options: ScheduleOptions): Miner {
  const abort = new AbortController();
  let running: Promise<void> | null = null;
  const once = async (): Promise<void> => {
    try {
      const report = await mine(deps, { signal: abort.signal, patienceMs: 0, scheduled: true });
      if (report === null) return;
      deps.log.info("mined", { ...report });
      options.onRun?.(report);
    } catch (error) {
      if (!abort.signal.aborted) deps.log.error("mining failed", { error });
    }
  };
  const tick = (): Promise<void> => {
    if (abort.signal.aborted) return Promise.resolve();
    running ??= once().finally(() => running = null);
    return running;
  };
  const job = schedule(options, tick);
  if (options.onStart) void tick();
  return {
    stop: async () => {
      job.stop();
      abort.abort();
      await running;
    },
  };
}

function schedule({ cron, schedule }: ScheduleOptions, tick: () => Promise<void>): CronJob {
  try {
    return cron("mine", schedule, tick);
  } catch (error) {
    const why = messageOf(error);
    throw new OperatorError(`MINE_CRON: cannot be read as a schedule: ${why}`, { cause: error });
  }
}
