/**
 * The till: closed while the ledger's database does not answer or takes nothing, so that nobody signs a
 * payment that could not be taken. What is sent with a payment goes on: whether it was charged before, only
 * the ledger knows.
 */
import type { Log } from "../core/log.ts";
import { type Database, isConnectionError, isReadOnly, isReadOnlyError } from "../db/sql.ts";

export interface Till {
  /** The same database; each statement that its connection fails, or that may not write, closes the till. */
  readonly database: Pick<Database, "brief" | "durable">;
  open(): boolean;
  /** Where the till is closed: looks whether the database can be written to, and opens where it can. */
  look(): Promise<void>;
}

/** Makes the till over `database`; it is open until a statement fails so. */
export function createTill(database: Pick<Database, "brief" | "durable">, log: Log): Till {
  let isOpen = true;
  let isLooking = false;

  const look = async (): Promise<void> => {
    if (isOpen || isLooking) return;
    isLooking = true;
    try {
      if (await database.brief(isReadOnly)) return;
      isOpen = true;
      log.info("ledger reachable");
    } catch {
      // The next look is a moment away.
    } finally {
      isLooking = false;
    }
  };

  /** One slow statement closes it for the time of a look, which begins at once. */
  const close = (cause: unknown): void => {
    if (!isOpen) return;
    isOpen = false;
    log.warn("ledger lost, calls without a payment get 503 until it is back", { cause });
    void look();
  };

  return {
    database: {
      brief: async (statement) => {
        try {
          return await database.brief(statement);
        } catch (error) {
          if (isConnectionError(error) || isReadOnlyError(error)) close(error);
          throw error;
        }
      },
      durable: () => database.durable(),
    },
    open: () => isOpen,
    look,
  };
}
