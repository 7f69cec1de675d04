/** How long the computing of a paid answer took, passed to the request that it was computed for. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { PaidHandler } from "../../payment/mod.ts";

interface Timed {
  /** Set once the answer was computed; a repeated answer never is. */
  computeMs?: number;
}

const current = new AsyncLocalStorage<Timed>();

/** Runs one request's work; what is computed in it is timed into `timed`. */
export const timing = <T>(timed: Timed, work: () => T): T => current.run(timed, work);

/** The same handler, its computations timed. */
export function timedHandler(handler: PaidHandler): PaidHandler {
  return {
    ...handler,
    prepare: async (request) => {
      const call = await handler.prepare(request);
      return {
        ...call,
        compute: async (signal) => {
          const started = performance.now();
          try {
            return await call.compute(signal);
          } finally {
            const timed = current.getStore();
            if (timed !== undefined) timed.computeMs = performance.now() - started;
          }
        },
      };
    },
  };
}
