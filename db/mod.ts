/** Opens the database the settings name. */
import { resolve } from "node:path";
import { orAborted } from "../core/deadline.ts";
import { OperatorError } from "../core/errors.ts";
import { holdsDatabase } from "./embedded/directory.ts";
import { openEmbedded } from "./embedded/mod.ts";
import { openPostgres } from "./postgres/mod.ts";
import type { Database } from "./sql.ts";

interface StorageSettings {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
}

export interface OpenOptions {
  /** Whether an embedded database that another process owns may be reached through its socket. */
  readonly share: boolean;
  /** For those that only look for what is stored: no embedded database is made if there is none. */
  readonly mustExist?: boolean;
  /** Ends the opening with its reason, and the making of a new embedded database, which the next opening begins again. */
  readonly signal?: AbortSignal;
  readonly now: () => number;
}

/**
 * Postgres where DATABASE_URL is set, else the embedded one in DATA_DIR.
 * @throws OperatorError naming the setting if there is none to open.
 */
export async function openDatabase(
  { databaseUrl, dataDir }: StorageSettings,
  options: OpenOptions,
): Promise<Database> {
  if (databaseUrl !== null) {
    const open = () => openPostgres({ url: databaseUrl });
    return await (options.signal === undefined ? open() : orAborted(options.signal, open));
  }
  if (options.mustExist === true && !holdsDatabase(dataDir)) {
    throw new OperatorError(
      `DATA_DIR: there is no database in ${
        resolve(dataDir)
      }: set DATA_DIR to the folder that the ` +
        "service keeps its data in, or DATABASE_URL as the service has it",
    );
  }
  return await openEmbedded(dataDir, options);
}
