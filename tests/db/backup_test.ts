import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { MAX_BATCH_CHARS, MAX_ROW_BYTES, writeBackup } from "../../db/backup/backup.ts";
import { corpusState } from "../../db/corpus/corpus.ts";
import { OWN_TABLES } from "../../db/backup/tables.ts";
import { openPostgres } from "../../db/postgres/mod.ts";
import { openBackup, restoreBackup } from "../../db/backup/restore.ts";
import { migrate } from "../../db/migrate.ts";
import type { Database } from "../../db/sql.ts";
import { OperatorError } from "../../core/errors.ts";
import { backupOfNothing } from "../support/backup.ts";
import { emptyPostgres, testBoth, testEmbedded } from "../support/database.ts";

const NOW = new Date("2026-11-20T12:00:00.000Z");
const about = { version: "0.1.0", now: NOW };

/** Rows with everything that is hard to carry: bytes, huge numbers, hostile text, references. */
async function fill({ sql }: Database): Promise<void> {
  await sql`insert into posts (id, community, title, body, author_hash, upvotes, comments, permalink,
      created_at, origin, checked_at)
    select 't' || n, 'BuyItForLife', ${'line\nbreak \u2028 "quote" \\ 😀'}, 'b', '\\x00ff', n, 2, '/r/x',
      ${NOW}::timestamptz + n * interval '1 microsecond', case when n % 2 = 0 then 'live' else 'archive' end,
      ${NOW} from generate_series(1, 2500) n`;
  await sql`insert into opportunities (id, key, merged_into, card)
    values ('a', 'a', null, '{"score": 1.5}'), ('c', 'c', 'a', null), ('b', 'b', 'c', null)`;
  await sql`insert into signals (post_id, opportunity_id, pattern, category, product, kind, ruled_out,
      intensity, wtp, confidence, quote, voice, text_key, upvotes, created_at, versions)
    select id, 'a', 'workaround', 'audio', 'p', 'k', array['x', 'y "z"'], 1, 2, 0.1, 'q', '\\x01',
      '\\x02', 1, created_at, 'v' from posts`;
  await sql`insert into payments (rail, payer, nonce, fingerprint, state, owner, lease_until, route,
      live, amount, pay_to, valid_before, created_at)
    values ('r', '\\x01', '\\x02', '\\x03', 'settled', 'o', now(), '/x', false, 10000, '\\x04',
      115792089237316195423570985008687907853269984665640564039457584007913129639935, now())`;
  await sql`update corpus set origin = 'real', revision = 7, author_hash_key = '\\xabcd'`;
}

async function backup(database: Database): Promise<string[]> {
  const lines: string[] = [];
  await writeBackup(database, about, (line) => {
    lines.push(line);
    return Promise.resolve();
  });
  return lines;
}

/** The backup without the rows that begin so, as if they had gone before their table was written. */
function without(lines: readonly string[], row: RegExp): string[] {
  const kept = lines.slice(0, 1);
  const counts: Record<string, number> = {};
  let table = "";
  for (const line of lines.slice(1, -1)) {
    table = /^\["table","(\w+)"\]$/.exec(line)?.[1] ?? table;
    if (row.test(line)) continue;
    kept.push(line);
    counts[table] = (counts[table] ?? -1) + 1;
  }
  return [...kept, JSON.stringify(["end", counts])];
}

/** Lines that name a table. */
const tablesIn = (lines: readonly string[]): number =>
  lines.filter((line) => line.startsWith('["table"')).length;

const restore = async (database: Database, lines: readonly string[], force = false) => {
  let readings = 0;
  const file = {
    path: "file",
    lines: async function* () {
      readings++;
      yield* await Promise.resolve(lines);
    },
  };
  const backup = await openBackup(file);
  let done = 0;
  const options = { force, now: NOW, onProgress: (rows: number) => done = rows };
  const report = await restoreBackup(database, backup, options);
  assertEquals(readings, 2, "once to see that it is whole, and once for its rows");
  assertEquals([done, backup.rows], [lines.length - 2 - tablesIn(lines), done]);
  return report;
};

/** What refers to what, as the database checks it. */
const references = async ({ sql }: Database) => [
  ...await sql`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as rule
    from pg_constraint where contype = 'f' order by 1, 2`,
];

/** The rows alone, without order, and without what restoring changes on purpose. */
const rowsOf = (lines: readonly string[]): string[] =>
  lines.slice(1, -1)
    .filter((line) => !line.includes('"singleton": true'))
    .map((line) => line.replace(/"checked_at": ("[^"]*"|null)/, '"checked_at": null')).sort();

testBoth("a backup restores into either kind of database, to the last byte", async (test) => {
  await fill(test.database);
  const lines = await backup(test.database);
  await using other = await testEmbedded();
  const { database: embedded } = other;
  const before = await references(embedded);
  const report = await restore(embedded, lines);
  assertEquals([await references(embedded), before.length > 10], [before, true]);
  assertEquals([report.rows.posts, report.rows.signals, report.leftOut], [2500, 2500, 0]);
  assertEquals(rowsOf(await backup(embedded)), rowsOf(lines));
  const [state] = await embedded.sql`
    select (select count(*)::int from posts where origin = 'live' and checked_at is not null) as live,
      (select count(*)::int from posts where origin <> 'live' and checked_at is null) as archived,
      (select merged_into from opportunities where id = 'b') as merged,
      (select revision from corpus) as revision, encode(author_hash_key, 'hex') as key from corpus`;
  assertEquals(state, { live: 0, archived: 0, merged: "c", revision: 8, key: "abcd" });
  const [next] = await embedded.sql<{ id: number }[]>`
    insert into mining_runs (kind, started_at) values ('mine', now()) returning id`;
  assert((next?.id ?? 0) > 0);
});

testBoth("of long rows few are restored at once", async ({ database }) => {
  const { sql } = database;
  await sql`insert into mining_runs (kind, started_at, error)
    select 'mine', now(), repeat('x', ${MAX_BATCH_CHARS / 16}) from generate_series(1, 60)`;
  const lines = await backup(database);
  await sql`create table batches (characters integer)`;
  await sql.unsafe(`
    create function note_batch() returns trigger language plpgsql as $$ begin
      insert into batches select sum(length(error)) from added;
      return null;
    end $$;
    create trigger noting after insert on mining_runs
      referencing new table as added for each statement execute function note_batch()`);
  const { rows } = await restore(database, lines, true);
  assertEquals([rows.mining_runs, rowsOf(await backup(database))], [60, rowsOf(lines)]);
  const [row] = await sql`select max(characters) <= ${MAX_BATCH_CHARS} as bounded from batches`;
  assertEquals(row?.bounded, true);
});

testBoth("a database that holds something is left alone without --force", async (test) => {
  await fill(test.database);
  const lines = await backup(test.database);
  const error = await assertRejects(() => restore(test.database, lines), OperatorError);
  assertStringIncludes(error.message, "not empty");
  await test.database.sql`delete from signals`;
  await restore(test.database, lines, true);
  const [row] = await test.database.sql`select count(*)::int as n from signals`;
  assertEquals(row?.n, 2500);
});

testBoth("what is restored is of a revision that nobody serves yet", async (test) => {
  await fill(test.database);
  const lines = await backup(test.database);
  const { sql } = test.database;
  // A run after the backup published the revision that the restored row is raised to.
  await sql`update corpus set revision = 8`;
  await restore(test.database, lines, true);
  assertEquals((await corpusState(sql)).revision, 9);
  await restore(test.database, lines, true);
  assertEquals((await corpusState(sql)).revision, 10);
});

testBoth("a backup that is cut short or foreign changes nothing", async (test) => {
  await fill(test.database);
  const lines = await backup(test.database);
  const broken = [lines.slice(0, -1), ['{"format": "other"}'], ["oops"], []];
  for (const bad of broken) {
    await assertRejects(() => restore(test.database, bad, true), OperatorError);
  }
  const [row] = await test.database.sql`select count(*)::int as n from posts`;
  assertEquals(row?.n, 2500);
});

Deno.test("a file that is not all of a backup is refused before a database is asked", async () => {
  const whole = backupOfNothing();
  const [header = "", ...rest] = whole;
  const changed = (change: (header: Record<string, unknown>) => object) => [
    JSON.stringify(change(JSON.parse(header))),
    ...rest,
  ];
  const end = rest.at(-1) ?? "";
  const without = (line: string) => whole.filter((other) => other !== line);
  const cases: [string[], string][] = [
    [[], "the file is empty"],
    [[...whole.slice(0, -1), end.replace('"posts":0', '"posts":1')], 'of the table "posts"'],
    [[...whole.slice(0, -1), '{"id": "x"}', end], "the backup is not complete: it has 1 rows"],
    [without('["table","posts"]'), 'it has no rows of the table "posts", and its end tells of 0'],
    [[...whole.slice(0, -1), '["end",{}]'], "and its end tells of none"],
    [
      changed((rest) => ({ ...rest, tables: [] })),
      "the backup is not complete: it lacks the table",
    ],
    [whole.map((line) => line.replace('"posts"', '"others"')), 'has no table "others"'],
    [[header, '{"id": "x"}', ...rest], "the backup is damaged"],
    [[...whole, end], "the backup is damaged"],
    [[header, '["table",7]', ...rest], "the backup is damaged"],
    [[header, '["table","posts"]', ...rest], "the backup is damaged"],
    [whole.slice(0, -1), "the backup is cut short"],
    [changed((rest) => ({ ...rest, tables: [null] })), "this is no backup of ours"],
    [changed((rest) => ({ ...rest, tables: [{ name: "posts" }] })), "this is no backup of ours"],
    [changed(({ version: _, ...rest }) => rest), "this is no backup of ours"],
    [changed(({ madeAt: _, ...rest }) => rest), "this is no backup of ours"],
    [changed((rest) => ({ ...rest, formatVersion: 2 })), "made by another version (0.0.9)"],
    [changed((rest) => ({ ...rest, schema: 9_999 })), "made by a newer version (0.0.9)"],
  ];
  const open = (lines: readonly string[]) =>
    openBackup({
      path: "file",
      lines: async function* () {
        yield* await Promise.resolve(lines);
      },
    });
  assertEquals((await open(whole)).rows, 0);
  for (const [lines, why] of cases) {
    await assertRejects(() => open(lines), OperatorError, why);
  }
});

Deno.test("what no restore would take back is not written", async () => {
  await using test = await testEmbedded();
  const { sql } = test.database;
  await sql`insert into mining_runs (kind, started_at, error)
    values ('mine', now(), repeat('x', ${MAX_ROW_BYTES}))`;
  await assertRejects(
    () => backup(test.database),
    OperatorError,
    'a row of the table "mining_runs"',
  );
  await sql`insert into schema_migrations (id, name) values (9999, 'later')`;
  await assertRejects(() => backup(test.database), OperatorError, "by a newer version");
});

testBoth(
  "a row that was changed by hand is told of by its table, and changes nothing",
  async (test) => {
    await fill(test.database);
    const lines = await backup(test.database);
    const spoilt = [
      lines.map((line) => line.startsWith('{"id": "t77"') ? '{"id": ' : line),
      lines.map((line) => line.startsWith('{"id": "t77"') ? '{"id": "t77", "title": null}' : line),
    ];
    for (const bad of spoilt) {
      const error = await assertRejects(() => restore(test.database, bad, true), OperatorError);
      assertMatch(error.message, /a row of the table "(posts|signals)" is not as a backup has it/);
    }
    const [row] = await test.database.sql`select count(*)::int as n from posts`;
    assertEquals(row?.n, 2500);
  },
);

Deno.test("a row whose reference is missing is left out and counted", async () => {
  await using test = await testEmbedded();
  await fill(test.database);
  const lines = without(await backup(test.database), /^\{"id": "t77"/);
  const report = await restore(test.database, lines, true);
  assertEquals([report.rows.signals, report.leftOut], [2499, 1]);
});

testBoth("a reference of a table to itself is emptied where it leads nowhere", async (test) => {
  await fill(test.database);
  const lines = without(await backup(test.database), /^\{"id": "c"/);
  const report = await restore(test.database, lines, true);
  assertEquals([report.rows.opportunities, report.leftOut], [2, 0]);
  const merged = await test.database.sql`select id, merged_into as into from opportunities
    order by id`;
  assertEquals([...merged], [{ id: "a", into: null }, { id: "b", into: null }]);
});

testBoth(
  "what was forgotten since, or left while the backup was made, is not restored",
  async (test) => {
    const { sql } = test.database;
    await fill(test.database);
    const card = (...ids: string[]) =>
      sql.json({ evidenceIds: ids, evidence: ids.map((id) => ({ quote: id })), title: "x" });
    await sql`update opportunities set card = ${card("t1", "t2", "t3")}, state = 'active',
    review = ${sql.json({ key: "k", listed: true, shows: ["t2", "t3"] })}
    where id = 'a'`;
    await sql`update opportunities set card = ${sql.json({ makers: { postIds: ["t5"] } })}
    where id = 'c'`;
    await sql`insert into sample (card, card_as_of) values (${card("t3")}, now())`;
    await sql`insert into verdicts (key, verdict, post_ids, expires_at)
    values ('\\x01', '{}', array['t3'], now())`;
    // A paid list is known by its cards: its title and summary were made of what is forgotten.
    await sql`insert into payment_answers (payment_id, body, evidence_ids, stored_at)
    select id, 'a list', array['a'], now() from payments`;
    // "t3" and "t5" went after the tables that refer to them were written.
    const lines = without(await backup(test.database), /^\{"id": "t[35]"/);
    await sql`delete from posts where id = 't1'`;
    await sql`insert into seen_posts (id, seen_on, forgotten) values ('t1', now(), true)`;
    await restore(test.database, lines, true);
    const [row] = await sql`
    select o.card, o.review, o.dirty, (select count(*)::int from sample) as samples,
      (select count(*)::int from verdicts) as verdicts,
      (select body from payment_answers) as answer,
      (select count(*)::int from posts where id in ('t1', 't3', 't5')) as posts,
      (select card from opportunities where id = 'c') as made,
      (select forgotten from seen_posts where id = 't1') as forgotten
    from opportunities o where id = 'a'`;
    assertEquals(row, {
      card: { evidenceIds: ["t2"], evidence: [{ quote: "t2" }], title: "x" },
      review: null,
      dirty: true,
      samples: 0,
      verdicts: 0,
      answer: null,
      posts: 0,
      made: { makers: null },
      forgotten: true,
    });
  },
);

testBoth("every table that the migrations make is in the backup", async ({ database }) => {
  const found = await database.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'
      and table_name not in ('leases', 'ledger_probe', 'schema_migrations')`;
  assertEquals([...OWN_TABLES].sort(), found.map(({ name }) => name).sort());
});

Deno.test({
  name: "a backup of an earlier version is brought up to date after it is restored",
  ignore: Deno.env.get("TEST_DATABASE_URL") === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    const { url } = empty;
    const database = await openPostgres({ url });
    const lines = backupOfNothing({ schema: 1, columns: ["fingerprint", "path"] }).flatMap((line) =>
      line === '["table","imports"]'
        ? [line, '{"fingerprint": "f", "path": "p"}']
        : line.replace('"imports":0', '"imports":1')
    );
    const report = await restore(database, lines);
    assertEquals([report.rows.imports, report.rows.posts], [1, 0]);
    assertEquals((await migrate(database.sql)).applied, []);
    // Nothing can be served or mined without the row that says what the corpus is.
    assertEquals((await corpusState(database.sql)).revision, 1);
    await assertRejects(() => restore(database, lines, true), OperatorError, "past the backup");
    await database.close();
  },
});
