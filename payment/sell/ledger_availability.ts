/**
 * Whether the ledger can be written to. A full disk, a read-only database (`cannotWrite` of
 * core/errors.ts), a lost connection (`isConnectionError` of db/sql.ts) or a database that does not answer
 * when it is asked makes it unavailable until a write succeeds: calls without a payment then get 503, so that
 * nobody signs one. Calls with a payment go on: only the ledger knows whether it was charged before.
 */
import { withDeadline } from "../../core/deadline.ts";
import { cannotWrite } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { probeWrite } from "../../db/ledger/mod.ts";
import { type Database, isConnectionError } from "../../db/sql.ts";

type WrittenDatabase = Pick<Database, "short" | "durable">;

export interface LedgerAvailability {
  /** The same database; a connection or write error of any statement makes the ledger unavailable. */
  readonly database: WrittenDatabase;
  isAvailable(): boolean;
  /**
   * To be called every second. Where available: asks whether the database answers, since in a quiet hour no
   * statement finds out. Else tries a write, which makes the ledger available again where it succeeds.
   */
  check(): Promise<void>;
}

/** How long the database may take to answer, as `/readyz` has it. */
const ANSWER_MS = 2_000;

/** Watches `database`, which counts as available until a statement fails or it does not answer. */
export function watchLedger(
  database: WrittenDatabase & Pick<Database, "answers">,
  log: Log,
): LedgerAvailability {
  let isAvailable = true;
  let isChecking = false;
  /** How many statements have succeeded. */
  let successes = 0;

  const tryWrite = async (): Promise<void> => {
    try {
      await probeWrite(database);
    } catch {
      // The next check follows in a second.
      return;
    }
    isAvailable = true;
    log.info("ledger can be written to again");
  };

  const ask = async (): Promise<void> => {
    const before = successes;
    try {
      await withDeadline(ANSWER_MS, null, () => database.answers());
    } catch (cause) {
      // Under load the question waits behind statements that are answered.
      if (successes === before) end("lost", cause);
    }
  };

  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    await (isAvailable ? ask() : tryWrite());
    isChecking = false;
  };

  /** A check follows at once: one slow statement makes the ledger unavailable for that long only. */
  const end = (what: "lost" | "cannot be written to", cause: unknown): void => {
    if (!isAvailable) return;
    isAvailable = false;
    log.error(`ledger ${what}: calls without a payment get 503 until a write succeeds`, { cause });
    void check();
  };

  return {
    database: {
      short: async (statement) => {
        try {
          const result = await database.short(statement);
          successes++;
          return result;
        } catch (error) {
          if (isConnectionError(error)) end("lost", error);
          else if (cannotWrite(error)) end("cannot be written to", error);
          throw error;
        }
      },
      durable: async () => {
        try {
          await database.durable();
        } catch (error) {
          end(isConnectionError(error) ? "lost" : "cannot be written to", error);
          throw error;
        }
      },
    },
    isAvailable: () => isAvailable,
    check,
  };
}
