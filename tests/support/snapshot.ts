/** The rows of a whole database, to be put back: sooner done than another is opened and filled. */
import type { Database } from "../../db/sql.ts";

interface TableRows {
  readonly name: string;
  /** Those that a statement may write. */
  readonly columns: string;
  /** A JSON array. */
  readonly rows: string;
}

/** What the tables hold, and the last number that each sequence gave. */
export interface Snapshot {
  readonly tables: readonly TableRows[];
  readonly sequences: readonly { readonly name: string; readonly last: string | null }[];
}

export async function takeSnapshot({ sql }: Database): Promise<Snapshot> {
  const tables = await sql<{ name: string; columns: string }[]>`
    select format('%I', c.relname) as name,
      string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0
      and not a.attisdropped and a.attgenerated = ''
    group by c.relname`;
  const taken: TableRows[] = [];
  for (const { name, columns } of tables) {
    const [held] = await sql.unsafe<{ rows: string }[]>(
      `select coalesce(json_agg(t), '[]')::text as rows from (select ${columns} from ${name}) t`,
    );
    taken.push({ name, columns, rows: held?.rows ?? "[]" });
  }
  const sequences = await sql<{ name: string; last: string | null }[]>`
    select format('%I', sequencename) as name, last_value::text as last
    from pg_sequences where schemaname = 'public'`;
  return { tables: taken, sequences: [...sequences] };
}

/** Makes the database hold what it held then and nothing else; nobody may be working on it. */
export async function putBack({ sql }: Database, { tables, sequences }: Snapshot): Promise<void> {
  await sql.begin(async (tx) => {
    // No trigger counts what is counted in the snapshot; rows may precede those they refer to.
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(`truncate ${tables.map(({ name }) => name).join(", ")}`);
    for (const { name, columns, rows } of tables) {
      if (rows === "[]") continue;
      await tx.unsafe(
        `insert into ${name} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${name}, $1::text::json)`,
        [rows],
      );
    }
    for (const { name, last } of sequences) {
      await tx.unsafe(
        last === null
          ? `alter sequence ${name} restart`
          : `select setval('public.${name}'::regclass, ${last})`,
      );
    }
  });
}
