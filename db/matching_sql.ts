/** Pieces of the matching query: text search expressions, and relevance as an SQL expression. */
import type { Fragment } from "postgres";
import type { Level, QueryPlan, Term } from "./matching_plan.ts";
import type { Sql } from "./sql.ts";

/** A lexeme inside a tsquery; quoting makes every character of it plain. */
function quoted(term: Term): string {
  return `'${term.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** One of `terms`, as the text of a tsquery; kinds and categories have no weight to ask for. */
export function tsquery(terms: readonly Term[], fields: Level["fields"] = null): string {
  return terms.map((term) =>
    fields === null || term.includes("/") ? quoted(term) : `${quoted(term)}:${fields}`
  ).join(" | ");
}

/** The relevance of a row of signal_index: each concept's share times the quality it is met with. */
export function coverage(sql: Sql, plan: QueryPlan): Fragment {
  const parts = plan.concepts.map(({ share, levels }) => {
    const cases = levels.map(({ terms, fields, quality }) =>
      sql`when words @@ ${tsquery(terms, fields)}::tsquery then ${quality * share}::float8`
    );
    return sql`case ${joined(sql, cases, sql` `)} else 0 end`;
  });
  return sql`round((${joined(sql, parts, sql` + `)})::numeric, 6)::float8`;
}

/** Whether a row is about the head of the query. */
export function aboutHead(sql: Sql, plan: QueryPlan): Fragment {
  const level = plan.concepts.find(({ head }) => head)?.levels[0];
  return level === undefined
    ? sql`false`
    : sql`words @@ ${tsquery(level.terms, level.fields)}::tsquery`;
}

function joined(sql: Sql, parts: readonly Fragment[], by: Fragment): Fragment {
  return parts.reduce((all, part) => sql`${all}${by}${part}`);
}
