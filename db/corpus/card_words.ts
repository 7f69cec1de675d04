/** Cards whose words a language model has still to write, and the words it wrote. */
import { json, type Queryable } from "../sql.ts";

export interface CardToWrite {
  readonly id: string;
  /** As stored by `saveCards`. */
  readonly card: unknown;
}

/** Listed cards without words, the best first; refused words are words, until the counts change. */
export async function cardsToWrite(sql: Queryable, limit: number): Promise<CardToWrite[]> {
  return await sql<CardToWrite[]>`
    select id, card from opportunities
    where state = 'active' and card ? 'facts' and words is null
    order by score desc, id limit ${limit}`;
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
