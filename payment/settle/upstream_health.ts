/** Whether an outside party is there: lost when a look fails or several payers in a row do, found by a look. */
import type { Log } from "../../core/log.ts";

/**
 * Payers whose exchanges must fail in a row before nothing more is sold: one may fail by what it sends.
 * Each counts once, however often it tries.
 */
const PAYERS = 3;

export interface UpstreamHealth {
  isHealthy(): boolean;
  /** Looks whether it is there, and opens where it is. @throws what the look throws, which opens nothing. */
  check(): Promise<void>;
  /** An exchange with it succeeded, whatever it said. */
  succeeded(): void;
  /**
   * An exchange about a payment failed on the way: it is looked for at once, and lost where that fails
   * too. `payer` is null for an address that anybody may have made up, which counts for nobody.
   */
  failed(payer: string | null, cause: unknown): void;
}

export interface UpstreamHealthOptions {
  readonly log: Log;
  /** With `fields`, tells the log of whom. */
  readonly name: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Rejects where it is not there, within a deadline of its own. */
  readonly probe: () => Promise<void>;
}

/** Not there until a look found it. */
export function createUpstreamHealth(
  { log, name, fields = {}, probe }: UpstreamHealthOptions,
): UpstreamHealth {
  let isUp = false;
  let isProbing = false;
  const failing = new Set<string>();

  const markDown = (cause: unknown): void => {
    if (!isUp) return;
    isUp = false;
    log.warn(`${name} lost, paid routes answer 503 until it is back`, { ...fields, cause });
  };

  /** Only ever loses it: one that looks well and fails every payer must stay lost until the next look. */
  const probeOnce = async (): Promise<void> => {
    if (isProbing) return;
    isProbing = true;
    try {
      await probe();
    } catch (error) {
      markDown(error);
    } finally {
      isProbing = false;
    }
  };

  return {
    isHealthy: () => isUp,
    check: async () => {
      await probe();
      if (!isUp) failing.clear();
      isUp = true;
    },
    succeeded: () => failing.clear(),
    failed: (payer, cause) => {
      if (!isUp) return;
      if (payer !== null) failing.add(payer);
      if (failing.size >= PAYERS) markDown(cause);
      else void probeOnce();
    },
  };
}
