/** A write that succeeds where a sale's would: to be tried where one failed. */
import { randomBytes } from "node:crypto";
import type { Database } from "../sql.ts";

/** Base64 of this many bytes is stored in pages of its own, which a full disk has none of. */
const FILLER_BYTES = 48 * 1024;

/** Writes a row that takes new pages, to the disk. @throws the database's error where it cannot. */
export async function probeWrite(database: Pick<Database, "short" | "durable">): Promise<void> {
  const filler = randomBytes(FILLER_BYTES).toString("base64");
  await database.short((sql) =>
    sql`
    insert into ledger_probe (id, filler) values (1, ${filler})
    on conflict (id) do update set filler = excluded.filler`
  );
  await database.durable();
}
