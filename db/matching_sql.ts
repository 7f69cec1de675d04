/** Pieces of the matching query: text search expressions, and relevance as an SQL expression. */
import type { Fragment } from "postgres";
import type { Group, Level, QueryPlan, Term } from "./matching_plan.ts";
import type { Sql } from "./sql.ts";

/** A lexeme inside a tsquery; quoting makes every character of it plain. */
function quoted(term: Term): string {
  return `'${term.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** All terms of one of `groups`, as the text of a tsquery; kinds and categories have no weight to ask for. */
export function tsquery(groups: readonly Group[], fields: Level["fields"] = null): string {
  const lexeme = (term: Term) =>
    fields === null || term.includes("/") ? quoted(term) : `${quoted(term)}:${fields}`;
  return groups.map((group) => `(${group.map(lexeme).join(" & ")})`).join(" | ");
}

/** The relevance of a row of signal_index: each concept's share times the quality it is met with. */
export function coverage(sql: Sql, plan: QueryPlan): Fragment {
  const parts = plan.concepts.map(({ share, levels }) => {
    const cases = levels.map(({ groups, fields, quality }) =>
      sql`when words @@ ${tsquery(groups, fields)}::tsquery then ${quality * share}::float8`
    );
    return sql`case ${joined(sql, cases, sql` `)} else 0 end`;
  });
  return sql`round((${joined(sql, parts, sql` + `)})::numeric, 6)::float8`;
}

/** Whether a row is about the head of the query. */
export function aboutHead(sql: Sql, plan: QueryPlan): Fragment {
  const levels = plan.concepts.find(({ head }) => head)?.levels ?? [];
  const about = levels.filter(({ fields }) => fields === "A").flatMap(({ groups }) => groups);
  return about.length === 0 ? sql`false` : sql`words @@ ${tsquery(about, "A")}::tsquery`;
}

function joined(sql: Sql, parts: readonly Fragment[], by: Fragment): Fragment {
  return parts.reduce((all, part) => sql`${all}${by}${part}`);
}
