/** The scheduler of the periodic jobs of the payment module. */
import { withDeadline } from "../../core/deadline.ts";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

export interface Jobs {
  /** Runs a job every `ms`; it never overlaps itself, and a failure is logged once until its reason changes. */
  every(ms: number, name: string, job: () => Promise<unknown>): void;
  /** The same, with a first run at once, which is not waited for. */
  nowAndEvery(ms: number, name: string, job: () => Promise<unknown>): void;
  /** True once `stop` was called: a long job should end. */
  isStopping(): boolean;
  /** Stops all jobs, and waits up to `graceMs` for running ones to end. */
  stop(graceMs: number): Promise<void>;
}

/** Creates a set of jobs that are stopped together. */
export function createJobs(log: Log): Jobs {
  const timers: ReturnType<typeof setInterval>[] = [];
  let isStopping = false;
  const underWay = new Set<Promise<unknown>>();

  const every = (ms: number, name: string, job: () => Promise<unknown>): () => void => {
    let busy = false;
    let logged = "";
    const tell = (cause: unknown): void => {
      const message = messageOf(cause);
      if (message !== logged) log.warn(`${name} failed`, { cause });
      logged = message;
    };
    const turn = (): void => {
      if (busy) return;
      busy = true;
      const run = job().then(() => void (logged = ""), tell).finally(() => {
        busy = false;
        underWay.delete(run);
      });
      underWay.add(run);
    };
    timers.push(setInterval(turn, ms));
    return turn;
  };

  return {
    every: (ms, name, job) => void every(ms, name, job),
    nowAndEvery: (ms, name, job) => every(ms, name, job)(),
    isStopping: () => isStopping,
    stop: async (graceMs) => {
      isStopping = true;
      timers.forEach((timer) => clearInterval(timer));
      await withDeadline(graceMs, null, () => Promise.all(underWay)).catch(() => {});
    },
  };
}
