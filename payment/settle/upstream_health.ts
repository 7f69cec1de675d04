/** The health of an upstream: down when a probe fails or several payers in a row do, up again by a probe. */
import type { Log } from "../../core/log.ts";

/**
 * Payers whose exchanges must fail in a row before the upstream counts as down: a single payer may fail by
 * what it sends. Each counts once, however often it tries.
 */
const PAYERS = 3;

export interface UpstreamHealth {
  isHealthy(): boolean;
  /** Probes the upstream, and marks it up where that succeeds. @throws the probe's error; the state then stays. */
  check(): Promise<void>;
  /** Records an exchange that was answered, by a refusal too. */
  succeeded(): void;
  /**
   * Records an exchange about a payment that got no answer: a probe follows at once, and marks the upstream down
   * where it fails too. `payer` is null for an address that anyone may have made up, which is not counted.
   */
  failed(payer: string | null, cause: unknown): void;
}

export interface UpstreamHealthOptions {
  readonly log: Log;
  /** Names the upstream in the log, with `fields`. */
  readonly name: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Rejects where the upstream does not answer, within a deadline of its own. */
  readonly probe: () => Promise<void>;
}

/** Creates the health of an upstream, which is down until a probe succeeds. */
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

  /** Can only mark it down: an upstream that answers probes and fails every payer stays down until `check`. */
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
