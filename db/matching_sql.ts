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

/** The share of the query's meaning that a row of signal_index carries, times the quality it is met with, 1 at most. */
function coverage(sql: Sql, { concepts }: QueryPlan): Fragment {
  const parts = concepts.map(({ share, levels }) => {
    const cases = levels.map(({ groups, fields, quality }) =>
      sql`when words @@ ${tsquery(groups, fields)}::tsquery then ${quality * share}::float8`
    );
    return sql`case ${joined(sql, cases, sql` `)} else 0 end`;
  });
  return sql`least(1::float8, ${joined(sql, parts, sql` + `)})`;
}

/** 0-1: how much a row meets of what is asked of the product. */
function fit(sql: Sql, { concepts, asked }: QueryPlan): Fragment {
  const parts = concepts.filter(({ specific }) => specific > 0).map(({ specific, levels }) =>
    sql`case when words @@ ${anyOf(levels)}::tsquery then ${specific}::float8 else 0 end`
  );
  if (parts.length === 0) return sql`1::float8`;
  return sql`least(1::float8, (${joined(sql, parts, sql` + `)}) / ${asked}::float8)`;
}

/** Whether a row is about the head of the query. */
function aboutHead(sql: Sql, { concepts }: QueryPlan): Fragment {
  const levels = concepts.flatMap(({ head, levels }) => head ? levels : []);
  const about = levels.filter((level) => level.about);
  return about.length === 0 ? sql`false` : sql`words @@ ${anyOf(about)}::tsquery`;
}

const anyOf = (levels: readonly Level[]): string =>
  levels.map(({ groups, fields }) => `(${tsquery(groups, fields)})`).join(" | ");

/** For rows with `words`: the columns that decide whether a row matches, and how relevant it is. */
export function judged(sql: Sql, plan: QueryPlan): Fragment {
  return sql`${coverage(sql, plan)} as covered, ${fit(sql, plan)} as fit,
    ${aboutHead(sql, plan)} as strong`;
}

/** Whether a row that was judged matches. */
export function matching(sql: Sql, { floor, weakFloor, fair }: QueryPlan): Fragment {
  return sql`fit + 1e-9 >= ${fair}::float8
    and covered + 1e-9 >= case when strong then ${floor}::float8 else ${weakFloor}::float8 end`;
}

/** 0-1: the relevance of a row that was judged. */
export function relevance(sql: Sql): Fragment {
  return sql`round(covered::numeric, 6)::float8`;
}

function joined(sql: Sql, parts: readonly Fragment[], by: Fragment): Fragment {
  return parts.reduce((all, part) => sql`${all}${by}${part}`);
}
