/**
 * Ledger availability: whether payments can be written down. While they cannot, nobody is asked to sign one.
 * What is sent with a payment goes on: whether it was charged before, only the ledger knows.
 */
import type { Log } from "../../core/log.ts";
import { probeWrite } from "../../db/ledger/probe.ts";
import { cannotWrite, type Database, isConnectionError } from "../../db/sql.ts";

type LedgerDatabase = Pick<Database, "short" | "durable">;

export interface LedgerAvailability {
  /** The same database; each statement that its connection or its disk fails ends availability. */
  readonly database: LedgerDatabase;
  isAvailable(): boolean;
  /** Where it ended: tries to write, and is available again where that succeeds. */
  look(): Promise<void>;
}

/** Watches `database`, which counts as available until a statement fails. */
export function watchLedger(database: LedgerDatabase, log: Log): LedgerAvailability {
  let isAvailable = true;
  let isLooking = false;

  const look = async (): Promise<void> => {
    if (isAvailable || isLooking) return;
    isLooking = true;
    try {
      await probeWrite(database);
      isAvailable = true;
      log.info("ledger can be written to again");
    } catch {
      // The next look is a moment away.
    } finally {
      isLooking = false;
    }
  };

  /** One slow statement ends it for the time of a look, which begins at once. */
  const end = (cause: unknown): void => {
    if (!isAvailable) return;
    isAvailable = false;
    const what = isConnectionError(cause) ? "lost" : "cannot be written to";
    log.error(`ledger ${what}: calls without a payment get 503 until a write succeeds`, { cause });
    void look();
  };

  return {
    database: {
      short: async (statement) => {
        try {
          return await database.short(statement);
        } catch (error) {
          if (isConnectionError(error) || cannotWrite(error)) end(error);
          throw error;
        }
      },
      durable: async () => {
        try {
          await database.durable();
        } catch (error) {
          end(error);
          throw error;
        }
      },
    },
    isAvailable: () => isAvailable,
    look,
  };
}
