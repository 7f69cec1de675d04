/** What a backup is made of: our own tables, their columns, and who refers to whom. */
import { MIGRATIONS, NEWEST_MIGRATION } from "../migrations/mod.ts";
import type { Queryable } from "../sql.ts";

export interface TableInfo {
  readonly name: string;
  /** Every column that is stored and not computed from others. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Columns that number themselves. */
  readonly identity: readonly string[];
  readonly parents: readonly Reference[];
}

interface Reference {
  readonly name: string;
  /** As it is written in SQL. */
  readonly rule: string;
  readonly columns: readonly string[];
  readonly table: string;
  readonly targets: readonly string[];
}

/** Who mines at the moment is nothing to keep, nor is what was written to find out whether writes succeed. */
const LEFT_OUT = new Set(["leases", "ledger_probe"]);

/** The tables that our migrations make, up to one of them: a database may be shared with others' tables. */
export function ownTables(schema: number): string[] {
  const made = MIGRATIONS.filter(({ id }) => id <= schema).flatMap(({ sql }) =>
    [...sql.matchAll(/^\s*create table (?:if not exists )?(\w+)/gim)].map((match) => match[1] ?? "")
  );
  return [...new Set(made)].filter((name) => !LEFT_OUT.has(name));
}

export const OWN_TABLES: readonly string[] = ownTables(NEWEST_MIGRATION);

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly identity: boolean;
}

interface ConstraintRow {
  readonly table: string;
  readonly name: string;
  readonly rule: string;
  readonly type: "p" | "f";
  readonly columns: string[];
  readonly other: string | null;
  readonly targets: string[] | null;
}

/** Our tables as this database has them, referred-to tables before those that refer to them. */
export async function describeTables(sql: Queryable): Promise<TableInfo[]> {
  const columns = await sql<ColumnRow[]>`
    select c.relname as table, a.attname as name, a.attidentity <> '' as identity
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relname in ${sql([...OWN_TABLES])}
      and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by c.relname, a.attnum`;
  const constraints = await sql<ConstraintRow[]>`
    select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as rule,
      k.contype as type, o.relname as other,
      to_json(array(select a.attname from unnest(k.conkey) with ordinality as n(att, ord)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.att order by n.ord)) as columns,
      to_json(array(select a.attname from unnest(k.confkey) with ordinality as n(att, ord)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = n.att order by n.ord)) as targets
    from pg_constraint k join pg_class c on c.oid = k.conrelid
      left join pg_class o on o.oid = k.confrelid
    where c.relnamespace = current_schema()::regnamespace and c.relname in ${sql([...OWN_TABLES])}
      and k.contype in ('p', 'f')`;
  const infos = [...new Set(columns.map(({ table }) => table))].map((name): TableInfo => {
    const own = columns.filter(({ table }) => table === name);
    const of = (type: "p" | "f") =>
      constraints.filter((row) => row.table === name && row.type === type);
    return {
      name,
      columns: own.map((column) => column.name),
      key: of("p")[0]?.columns ?? [],
      identity: own.filter(({ identity }) => identity).map((column) => column.name),
      parents: of("f").map((row) => ({
        name: row.name,
        rule: row.rule,
        columns: row.columns,
        table: row.other ?? "",
        targets: row.targets ?? [],
      })),
    };
  });
  return parentsFirst(infos);
}

function parentsFirst(infos: readonly TableInfo[]): TableInfo[] {
  const ordered: TableInfo[] = [];
  const visit = (info: TableInfo): void => {
    if (ordered.includes(info)) return;
    for (const { table } of info.parents) {
      const parent = infos.find(({ name }) => name === table);
      if (parent !== undefined && parent !== info) visit(parent);
    }
    ordered.push(info);
  };
  for (const info of infos) visit(info);
  return ordered;
}
