/**
 * Whether the ledger can be written to. A full disk, a read-only database (`cannotWrite` of
 * core/errors.ts) or a lost connection (`isConnectionError` of db/sql.ts) makes it unavailable
 * until a write succeeds: calls without a payment then get 503, so that nobody signs one. Calls with a
 * payment go on: only the ledger knows whether it was charged before.
 */
import { cannotWrite } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { probeWrite } from "../../db/ledger/mod.ts";
import { type Database, isConnectionError } from "../../db/sql.ts";

type LedgerDatabase = Pick<Database, "short" | "durable">;

export interface LedgerAvailability {
  /** The same database; a connection or write error of any statement makes the ledger unavailable. */
  readonly database: LedgerDatabase;
  isAvailable(): boolean;
  /** Where unavailable: tries a write, which makes the ledger available again where it succeeds. */
  check(): Promise<void>;
}

/** Watches `database`, which counts as available until a statement fails. */
export function watchLedger(database: LedgerDatabase, log: Log): LedgerAvailability {
  let isAvailable = true;
  let isChecking = false;

  const check = async (): Promise<void> => {
    if (isAvailable || isChecking) return;
    isChecking = true;
    try {
      await probeWrite(database);
      isAvailable = true;
      log.info("ledger can be written to again");
    } catch {
      // The next check follows in a second.
    } finally {
      isChecking = false;
    }
  };

  /** A check follows at once: one slow statement makes the ledger unavailable for that long only. */
  const end = (cause: unknown): void => {
    if (!isAvailable) return;
    isAvailable = false;
    const what = isConnectionError(cause) ? "lost" : "cannot be written to";
    log.error(`ledger ${what}: calls without a payment get 503 until a write succeeds`, { cause });
    void check();
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
    check,
  };
}
