/** The health of an upstream: down when a probe fails or several payers in a row do, up again by a probe. */
import { OperatorError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";

/**
 * Payers whose exchanges must fail in a row before the upstream counts as down: a single payer may fail by
 * what it sends. Each counts once, however often it tries.
 */
const PAYERS = 3;

const CLOSED = "paid routes answer 503 until it is back";

export interface UpstreamHealth {
  isHealthy(): boolean;
  /** The first probe; that the upstream does not answer is logged. @throws OperatorError of the probe. */
  start(): Promise<void>;
  /** Probes an upstream that is down, and marks it up where that succeeds. @throws the probe's error. */
  recheck(): Promise<void>;
  /** Records an exchange that was answered, by a refusal too. */
  succeeded(): void;
  /**
   * Records an exchange about a payment that got no answer: a probe follows at once, and marks the upstream down
   * where it fails too. `payer` is null for an address that anyone may have made up, which is not counted.
   */
  failed(payer: string | null, cause: unknown): void;
}

interface UpstreamHealthOptions {
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
    log.warn(`${name} lost, ${CLOSED}`, { ...fields, cause });
  };

  /** Can only mark it down: an upstream that answers probes and fails every payer stays down until `recheck`. */
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

  const check = async (): Promise<void> => {
    await probe();
    failing.clear();
    isUp = true;
  };

  return {
    isHealthy: () => isUp,
    start: async () => {
      try {
        await check();
      } catch (cause) {
        if (cause instanceof OperatorError) throw cause;
        log.warn(`${name} unreachable, ${CLOSED}`, { ...fields, cause });
      }
    },
    recheck: async () => {
      if (isUp) return;
      await check();
      log.info(`${name} reachable`, fields);
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
