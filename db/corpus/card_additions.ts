/** Cards that a language model has still to review or to word, and what it said of them. */
import { json, type Queryable } from "../sql.ts";

/** What a model adds to a card: a review of its quotes, or words. */
export type Added = "review" | "words";

/**
 * Listed cards as `saveCards` stored them, the best first, that have no review of the quotes of today, or no words for
 * the counts of today; refused words are words.
 */
export async function cardsWithout(
  sql: Queryable,
  added: Added,
  limit: number,
): Promise<unknown[]> {
  const rows = await sql<{ card: unknown }[]>`
    select card from opportunities
    where state = 'active' and card ? 'facts' and ${sql(added)} is null
    order by score desc, id collate "C" limit ${limit}`;
  return rows.map(({ card }) => card);
}

interface QuotedPost {
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
 * is `changed` by it is made again; one that is not `listed` then stops being the sample.
 */
export async function saveReview(
  sql: Queryable,
  id: string,
  review: { readonly listed: boolean },
  { quotes, changed }: { readonly quotes: readonly string[]; readonly changed: boolean },
): Promise<boolean> {
  const saved = await sql`
    update opportunities set review = ${json(sql, review)}
    where id = ${id} and state = 'active' and evidence_ids = ${json(sql, quotes)}`;
  if (saved.count === 0) return false;
  if (changed) await sql`update wants set dirty = true where id = ${id}`;
  if (!review.listed) await sql`delete from sample where card ->> 'id' = ${id}`;
  return true;
}

/** Keeps the words and marks the card to be made again; false where it left meanwhile, or counts something else. */
export async function saveWords(
  sql: Queryable,
  id: string,
  words: { readonly facts: unknown },
): Promise<boolean> {
  const saved = await sql`
    update opportunities set words = ${json(sql, words)}
    where id = ${id} and state = 'active' and card -> 'facts' = ${json(sql, words.facts)}`;
  if (saved.count === 0) return false;
  await sql`update wants set dirty = true where id = ${id}`;
  return true;
}
