/** Which cards are listed by themselves, and which on a stronger one. */
import { assert, assertEquals } from "@std/assert";
import { DAY_MS } from "../../../core/clock.ts";
import type { Sql } from "../../../db/sql.ts";
import { foldKinds, sharedBy } from "../../../mining/cards/fold.ts";
import { Counts } from "../../../mining/opportunities/counts.ts";
import { testBothInTurn as testBoth } from "../../support/database.ts";
import { startJob, wants } from "../job/support.ts";

const NOW = new Date("2026-11-20T12:00:00Z");

interface Stored {
  readonly id: string;
  readonly value: string;
  readonly authors: number;
  /** Since the newest statement. */
  readonly days: number;
  /** Its authors who state the other value too. */
  readonly also: readonly [value: string, authors: number];
}

async function store(sql: Sql, cards: readonly Stored[]): Promise<void> {
  for (const { id, value, authors, days, also } of cards) {
    await sql`insert into wants (id, kind, value, authors, kept)
      values (${id}, 'fan', ${value}, ${authors}, true)`;
    const lastSeen = new Date(NOW.getTime() - days * DAY_MS).toISOString();
    await sql`insert into opportunities (id, key, card, shared)
      values (${id}, ${value}, jsonb_build_object('lastSeen', ${lastSeen}::text, 'evidenceIds', '[]'::jsonb),
        jsonb_build_object(${also[0]}::text, ${also[1]}::int))`;
  }
}

Deno.test("what most of a card's authors state besides, whatever its type, may be what it folds into", () => {
  const own = new Counts([
    { wantId: "a", type: "attribute", value: "quiet", authors: 10 },
    { wantId: "a", type: "attribute", value: "usb-c", authors: 3 },
    { wantId: "a", type: "spec", value: "usb-c", authors: 2 },
    { wantId: "a", type: "use", value: "bedroom", authors: 4 },
    { wantId: "a", type: "owned", value: "vornado", authors: 9 },
  ]);
  assertEquals(sharedBy({ value: "quiet", authors: 10, own }), { "usb-c": 5 });
});

async function listing(sql: Sql): Promise<unknown> {
  await sql.begin((tx) => foldKinds(tx, ["fan"], { asOf: NOW, now: NOW }));
  const rows = await sql<{ id: string; state: string; into: string | null }[]>`
    select id, state, merged_into as into from opportunities order by id`;
  return rows.map(({ id, state, into }) => [id, state, into]);
}

const LOUD: Stored = { id: "a", value: "quiet", authors: 10, days: 1, also: ["usb-c", 4] };
const WEAK: Stored = { id: "b", value: "usb-c", authors: 6, days: 1, also: ["quiet", 4] };

testBoth(
  "a card whose authors mostly stand behind a stronger one is listed on it",
  async (test) => {
    const { sql } = test.database;
    await store(sql, [LOUD, WEAK]);
    assertEquals(await listing(sql), [["a", "active", null], ["b", "merged", "a"]]);
  },
);

testBoth("a card is not folded into one that is silent while it is not", async (test) => {
  const { sql } = test.database;
  await store(sql, [{ ...LOUD, days: 100 }, WEAK]);
  assertEquals(await listing(sql), [["a", "dormant", null], ["b", "active", null]]);
  // Both silent: as before.
  await sql`update opportunities set card = card || jsonb_build_object('lastSeen', ${
    new Date(NOW.getTime() - 95 * DAY_MS).toISOString()
  }::text) where id = 'b'`;
  assertEquals(await listing(sql), [["a", "dormant", null], ["b", "merged", "a"]]);
});

testBoth("a card that is listed again has what it shows confirmed again", async (test) => {
  const { sql } = test.database;
  await store(sql, [LOUD, WEAK]);
  await sql`insert into posts (id, community, title, body, upvotes, comments, permalink, created_at,
      origin)
    select id, 'Alpha', '', '', 1, 0, '', ${NOW}, 'live'
    from unnest(array['quoted', 'maker', 'other']) as id`;
  await sql`update opportunities set card = card || '{"evidenceIds": ["quoted"],
      "makers": {"postIds": ["maker"]}}' where id = 'b'`;
  const served = async (): Promise<string[]> => {
    const rows = await sql<{ id: string }[]>`select id from posts where served order by id`;
    return rows.map(({ id }) => id);
  };
  await listing(sql);
  assertEquals(await served(), []);
  await sql`update opportunities set card = card || jsonb_build_object('lastSeen', ${
    new Date(NOW.getTime() - 95 * DAY_MS).toISOString()
  }::text) where id = 'a'`;
  assertEquals(await listing(sql), [["a", "dormant", null], ["b", "active", null]]);
  assertEquals(await served(), ["maker", "quoted"]);
});

testBoth(
  "who leads to a card by way of others leads there, and in a circle nowhere",
  async (test) => {
    const { sql } = test.database;
    await using job = await startJob(test.database, { Alpha: wants("Alpha", 12, "a") });
    await job.mined();
    const [folded] = await sql<{ id: string; survivor: string }[]>`
    select id, merged_into as survivor from opportunities where state = 'merged' limit 1`;
    assert(folded !== undefined);
    await sql`insert into opportunities (id, key, state) values ('first', '1', 'merged'),
    ('second', '2', 'merged'), ('round', '3', 'merged'), ('about', '4', 'merged')`;
    await sql`update opportunities o set merged_into = l.target
    from (values ('first', 'second'), ('second', ${folded.id}), ('round', 'about'),
      ('about', 'round')) as l (id, target) where o.id = l.id`;
    await sql`insert into opportunity_slugs
    values ('the-first', 'first'), ('round-about', 'round')`;
    const catalogue = await job.catalogue();
    for (const card of [catalogue.byId("first"), catalogue.bySlug("the-first")]) {
      assertEquals(card?.id, folded.survivor);
    }
    assertEquals([catalogue.byId("round"), catalogue.bySlug("round-about")], [
      undefined,
      undefined,
    ]);
  },
);
