import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Database } from "../../db/sql.ts";
import { testWithDatabases } from "../support/database.ts";
import { HOUR } from "./job_support.ts";
import { answering, plainWords, refinedJob } from "./refine_support.ts";
import { removePosts, withdrawQuotes } from "../../mining/removal/withdraw.ts";
import type { Card } from "../../mining/cards/types.ts";

const QUOTED = "They are tired of it and want it for daily use.";
const written = answering(
  () => "repeat_failure",
  (card) => ({ ...plainWords(card), summary: QUOTED }),
);

/** Moves the evidence of every card on, so that a post behind its words is not shown any more. */
async function moveOn({ sql }: Database): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select card -> 'evidenceIds' ->> 0 as id from opportunities where state = 'active'
    order by score desc, id limit 1`;
  assert(row !== undefined);
  await sql`update signals set confidence = 0.51 where post_id = ${row.id}`;
  await sql`delete from sample`;
  await sql`update opportunities set dirty = true where state = 'active'`;
  return row.id;
}

async function cards({ sql }: Database): Promise<Card[]> {
  const rows = await sql<{ card: Card }[]>`
    select card from opportunities where state = 'active' order by score desc, id`;
  return rows.map(({ card }) => card);
}

testWithDatabases("a sample leaves no model's words of posts it does not show", async (fresh) => {
  const { database } = await fresh();
  await using refined = await refinedJob(database, written);
  await refined.mined();
  const basis = await moveOn(database);
  await refined.job.mined();
  const [card] = await cards(database);
  assert(card !== undefined && !card.evidenceIds.includes(basis));
  assertStringIncludes(card.summary, QUOTED);
  await database.sql.begin((tx) => removePosts(tx, [basis], "2026-11-20"));
  const { sample } = await refined.job.catalogue();
  assert(sample === null || !sample.card.summary.includes(QUOTED), sample?.card.summary);
});

testWithDatabases("words leave with the post, before the cards are made again", async (fresh) => {
  const { database } = await fresh();
  await using refined = await refinedJob(database, written);
  await refined.mined();
  const [before] = await cards(database);
  const gone = before?.evidenceIds[0] ?? "";
  await database.sql.begin((tx) => removePosts(tx, [gone], "2026-11-20"));
  const [card] = await cards(database);
  assert(card !== undefined && !card.summary.includes(QUOTED), card?.summary);
});

testWithDatabases("words leave with the text that a post had before an edit", async (fresh) => {
  const { database } = await fresh();
  await using refined = await refinedJob(database, written);
  await refined.mined();
  const [card] = await cards(database);
  const edited = card?.evidenceIds[0] ?? "";
  await database.sql.begin((tx) => withdrawQuotes(tx, [edited]));
  await refined.job.mined();
  const after = (await cards(database)).find(({ id }) => id === card?.id);
  assert(after !== undefined && after.evidenceIds.includes(edited));
  assert(!after.summary.includes(QUOTED), after.summary);
});

testWithDatabases("posts behind words are looked up as those behind quotes", async (fresh) => {
  const { database } = await fresh();
  await using refined = await refinedJob(database, written);
  await refined.mined();
  const basis = await moveOn(database);
  await refined.job.mined();
  await refined.job.mined();
  const [row] = await database.sql<{ served: boolean }[]>`
    select served from posts where id = ${basis}`;
  assertEquals(row?.served, true);
  const { catalogue } = refined.job;
  assert((await catalogue()).cards.some(({ summary }) => summary.includes(QUOTED)));
  const stale = new Date(refined.job.time.ms - 37 * HOUR);
  await database.sql`update posts set checked_at = ${stale} where id = ${basis}`;
  assert(!(await catalogue()).cards.some(({ summary }) => summary.includes(QUOTED)));
});
