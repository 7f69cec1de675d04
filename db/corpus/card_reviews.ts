/** Cards whose quotes a language model has still to review, and what it said of them. */
import { json, type Queryable } from "../sql.ts";

export interface CardToReview {
  readonly id: string;
  /** As stored by `saveCards`. */
  readonly card: unknown;
}

/** Listed cards that no model was asked about with the quotes of today, the best first. */
export async function cardsToReview(sql: Queryable, limit: number): Promise<CardToReview[]> {
  return await sql<CardToReview[]>`
    select id, card from opportunities
    where state = 'active' and card ? 'facts' and review is null
    order by score desc, id limit ${limit}`;
}

export interface QuotedPost {
  readonly id: string;
  readonly community: string;
  readonly title: string;
  readonly body: string;
}

/** The posts that cards quote, by id. */
export async function quotedPosts(
  sql: Queryable,
  ids: readonly string[],
): Promise<Map<string, QuotedPost>> {
  const rows = await sql<QuotedPost[]>`
    select id, community, title, body from posts where id = any(${[...ids]})`;
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Keeps the review of a card that shows these quotes; false where it left meanwhile, or shows others. A card that
 * is `changed` by it is made again; one that is not `listed` then is no sample either.
 */
export async function saveReview(
  sql: Queryable,
  id: string,
  review: { readonly listed: boolean },
  { quotes, changed }: { readonly quotes: readonly string[]; readonly changed: boolean },
): Promise<boolean> {
  const saved = await sql`
    update opportunities set review = ${json(sql, review)}
    where id = ${id} and state = 'active' and card -> 'evidenceIds' = ${json(sql, quotes)}`;
  if (saved.count === 0) return false;
  if (changed) await sql`update wants set dirty = true where id = ${id}`;
  if (!review.listed) await sql`delete from sample where card ->> 'id' = ${id}`;
  return true;
}
