/** Opens the database the settings name. */
import { openEmbedded } from "./embedded/mod.ts";
import { openPostgres } from "./postgres.ts";
import type { Database } from "./sql.ts";

export interface StorageSettings {
  readonly databaseUrl: string | null;
  readonly dataDir: string;
}

export interface OpenOptions {
  /** Whether an embedded database that another process owns may be reached through its socket. */
  readonly share: boolean;
  readonly now: () => number;
}

/** Postgres where DATABASE_URL is set, else the embedded one in DATA_DIR. */
export function openDatabase(settings: StorageSettings, options: OpenOptions): Promise<Database> {
  return settings.databaseUrl === null
    ? openEmbedded(settings.dataDir, options)
    : openPostgres({ url: settings.databaseUrl });
}
