/** Whether an outside party is there: lost after failures in a row, found again by a probe. */
import type { Log } from "../core/log.ts";

/** Exchanges in a row that must fail before nothing more is sold: one may fail by itself. */
const FAILURES = 3;

export interface Presence {
  here(): boolean;
  /** A probe found it. Where it was lost before, the next exchange that fails loses it again. */
  found(): void;
  /** An exchange with it succeeded, whatever it said. */
  answered(): void;
  /** An exchange with it failed on the way. */
  failed(cause: unknown): void;
}

/** Not there until it was found; `name` and `fields` tell the log of whom. */
export function createPresence(
  log: Log,
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): Presence {
  let isHere = false;
  let wasLost = false;
  let failures = 0;
  return {
    here: () => isHere,
    found: () => {
      isHere = true;
      failures = wasLost ? FAILURES - 1 : 0;
    },
    answered: () => {
      wasLost = false;
      failures = 0;
    },
    failed: (cause) => {
      if (++failures < FAILURES || !isHere) return;
      isHere = false;
      wasLost = true;
      log.warn(`${name} lost, paid routes answer 503 until it is back`, { ...fields, cause });
    },
  };
}
