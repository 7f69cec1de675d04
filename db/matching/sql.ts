/** Pieces of the matching query: text search expressions, and what a row meets as SQL expressions. */
import type { Fragment } from "postgres";
import {
  ABOUT_FROM,
  type Group,
  type PlanLevel,
  type QueryPlan,
  STATED_FROM,
  type Term,
  UNSTATED,
} from "./plan.ts";
import type { Sql } from "../sql.ts";

/** A lexeme inside a tsquery; quoting makes every character of it plain. */
function quoted(term: Term): string {
  return `'${term.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

/** All terms of one of `groups`, as the text of a tsquery; kinds and the like have no weight to ask for. */
export function tsquery(groups: readonly Group[], stated = false, adjacent = false): string {
  const lexeme = (term: Term) => stated && !term.includes("/") ? `${quoted(term)}:A` : quoted(term);
  return groups.map((group) => `(${group.map(lexeme).join(adjacent ? " <-> " : " & ")})`).join(
    " | ",
  );
}

/**
 * The tsquery of an index search. For each row with one of the terms the index evaluates the expression from left to
 * right: with frequent groups first, and the others nested to the right, it mostly ends at once.
 */
export function oftenFirst(groups: readonly Group[], often: (group: Group) => number): string {
  return groups.toSorted((a, b) => often(b) - often(a)).map((group) => tsquery([group]))
    .reduceRight((others, one) => others === "" ? one : `${one} | (${others})`, "");
}

/** The words of one of these levels wherever they stand: none that need more than others do. */
export function anywhere(levels: readonly PlanLevel[]): Group[] {
  const groups = levels.flatMap(({ groups }) => groups);
  const needs = (group: Group, other: Group) => other.every((term) => group.includes(term));
  return groups.filter((group, i) =>
    !groups.some((other, at) => at !== i && needs(group, other) && (at < i || !needs(other, group)))
  );
}

/** Ways to find something, each of tsqueries that are all met: what the search functions take. */
export type Ways = readonly (readonly string[])[];

/** All terms of one of `groups`, and all of `also`: terms that several groups share are looked up once. */
export function waysOf(groups: readonly Group[], also: readonly string[]): Ways {
  const single = groups.filter(({ length }) => length === 1);
  const ways: string[][] = single.length === 0 ? [] : [[tsquery(single), ...also]];
  let left = groups.filter(({ length }) => length > 1);
  const sharing = (term: Term) => left.filter((group) => group.includes(term));
  while (left.length > 0) {
    const [most] = [...new Set(left.flat())].map(sharing)
      .toSorted((a, b) => b.length - a.length);
    const shared = most?.[0]?.find((term) => most.every((group) => group.includes(term)));
    if (most === undefined || shared === undefined) break;
    const rest = most.map((group) => group.filter((term) => term !== shared));
    ways.push([tsquery([[shared]]), tsquery(rest), ...also]);
    left = left.filter((group) => !most.includes(group));
  }
  return ways;
}

/** Kinds, names, sums and the like, which no body has. */
export const inNoBody = (term: Term): boolean => term.includes("/");

/** Whether a row meets a level, and has none of the terms that it must not have. */
function meets(sql: Sql, { unless = [], ...level }: PlanLevel): Fragment {
  const met = meetsAny(sql, level);
  const ruledOut = unless.map((term) => [term]);
  return unless.length === 0 ? met : sql`${met} and not words @@ ${tsquery(ruledOut)}::tsquery`;
}

/** Whether a row has the words of a level. The body's words lie apart, and are fetched last. */
function meetsAny(sql: Sql, { groups, place, adjacent = false }: PlanLevel): Fragment {
  if (place === "stated") return sql`words @@ ${tsquery(groups, true)}::tsquery`;
  const inWords = sql`words @@ ${tsquery(groups, false, adjacent)}::tsquery`;
  if (place === "summary") return inWords;
  const ways = [inWords];
  const inBody = groups.filter((group) => !group.some(inNoBody));
  if (inBody.length > 0) ways.push(sql`body @@ ${tsquery(inBody)}::tsquery`);
  const parted = groups.filter((group) => group.length > 1 && !group.every(inNoBody));
  if (parted.length > 0) {
    // Joining both costs more than all else: it is done only where words and body may each have a part of a group.
    const own = parted.flatMap((group) =>
      group.some(inNoBody) ? [group.filter(inNoBody)] : group.map((term) => [term])
    );
    const others = [...new Set(parted.flat())].filter((term) => !inNoBody(term));
    ways.push(sql`(words @@ ${tsquery(own)}::tsquery
      and body @@ ${tsquery(others.map((term) => [term]))}::tsquery
      and (words || body) @@ ${tsquery(parted)}::tsquery)`);
  }
  return sql`(${joined(sql, ways, sql` or `)})`;
}

/** 0-1: how well a row meets the best of the levels. */
function quality(sql: Sql, levels: readonly PlanLevel[]): Fragment {
  const cases = levels.filter(({ groups }) => groups.length > 0).map((level) =>
    sql`when ${meets(sql, level)} then ${level.quality}::float8`
  );
  return cases.length === 0 ? sql`0::float8` : sql`case ${joined(sql, cases, sql` `)} else 0 end`;
}

/**
 * For rows with `words` and `body`, which `from` gives: what decides how relevant each is, and `met`, whose
 * bits are the wants that it states.
 */
export function measuredRows(
  sql: Sql,
  { head, wants }: QueryPlan,
  columns: Fragment,
  from: Fragment,
) {
  const each = wants.map(({ levels }, i) => sql`${quality(sql, levels)} as ${sql(`w${i}`)}`);
  const covered = wants.length === 0
    ? sql`1::float8`
    : joined(sql, wants.map(({ share }, i) => sql`${share}::float8 * ${sql(`w${i}`)}`), sql` + `);
  const met = wants.length === 0 ? sql`0` : joined(
    sql,
    wants.map((_, i) =>
      sql`case when ${sql(`w${i}`)} >= ${STATED_FROM}::float8 then ${2 ** i}::int else 0 end`
    ),
    sql` + `,
  );
  // Without the offsets the planner copies each quality to wherever it is named, and it is computed that many times.
  const about = sql`select *, ${quality(sql, head)} as head from ${from} offset 0`;
  const inner = joined(sql, [columns, sql`head`, ...each], sql`, `);
  return sql`select *, round((${covered})::numeric, 6)::float8 as covered, ${met} as met
    from (select ${inner} from (${about}) about where head > 0 offset 0) measured`;
}

/**
 * 0-1: how far a measured row wants the product as asked: how surely it is about the product, times what it states
 * of each want to the power of the want.
 */
export function relevance(sql: Sql, { wants }: QueryPlan): Fragment {
  const factors = wants.map(({ power }, i) =>
    sql`power(greatest(${sql(`w${i}`)}, ${UNSTATED}::float8), ${power}::float8)`
  );
  return sql`round((${joined(sql, [sql`head`, ...factors], sql` * `)})::numeric, 6)::float8`;
}

/** Whether a measured row is about the product. */
export const isAbout = (sql: Sql): Fragment => sql`head >= ${ABOUT_FROM}::float8`;

function joined(sql: Sql, parts: readonly Fragment[], by: Fragment): Fragment {
  return parts.reduce((all, part) => sql`${all}${by}${part}`);
}
