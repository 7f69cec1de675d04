/** A Postgres that is there and does not let us work: one line says why. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import postgres from "postgres";
import { OperatorError } from "../../../core/errors.ts";
import { migrate } from "../../../db/migrate.ts";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { DRIVER, type Sql } from "../../../db/sql.ts";
import { emptyPostgres, postgresUrl } from "../../support/database.ts";
import { run } from "../../support/program.ts";

const ignore = postgresUrl === undefined;

/** An empty database, its address for a user with few rights, and what its owner may do with it. */
async function withFewRights(
  body: (url: string, owner: Sql, role: string) => Promise<void>,
): Promise<void> {
  await using empty = await emptyPostgres();
  const owner = postgres(empty.url, { ...DRIVER, max: 1, onnotice: () => {} });
  const role = `few_${crypto.randomUUID().replaceAll("-", "")}`;
  await owner.unsafe(`create role ${role} login password 'pw'`);
  try {
    await owner`revoke create on schema public from public`;
    const url = new URL(empty.url);
    [url.username, url.password] = [role, "pw"];
    await body(url.href, owner, role);
  } finally {
    await owner.unsafe(`drop owned by ${role}; drop role ${role}`);
    await owner.end();
  }
}

Deno.test({
  name: "a user who may not create tables is told so in one line",
  ignore,
  fn: () =>
    withFewRights(async (url) => {
      const { code, stderr } = await run(["migrate"], { DATABASE_URL: url });
      assertEquals(code, 1);
      assertMatch(stderr, /^demand: DATABASE_URL: its user lacks a right \(permission denied.*\n$/);
      const doctor = await run(["doctor"], { DATABASE_URL: url });
      assertMatch(doctor.stdout, /^FAIL {2}migrations .*this version has/m);
    }),
});

Deno.test({
  name: "a user who may read and write serves what the owner migrated",
  ignore,
  fn: () =>
    withFewRights(async (url, owner, role) => {
      await migrate(owner);
      await owner.unsafe(
        `grant select, insert, update, delete on all tables in schema public to ${role}`,
      );
      const database = await openPostgres({ url });
      assertEquals((await migrate(database.sql)).applied, []);
      await database.close();
    }),
});

Deno.test({
  name: "a database that is read-only is told of in one line",
  ignore,
  fn: async () => {
    await using empty = await emptyPostgres();
    const url = new URL(empty.url);
    url.searchParams.set("default_transaction_read_only", "on");
    const { code, stderr } = await run(["migrate"], { DATABASE_URL: url.href });
    assertEquals(code, 1);
    assertMatch(stderr, /^demand: DATABASE_URL: the database is read-only.*\n$/);
    const doctor = await run(["doctor"], { DATABASE_URL: url.href });
    assertMatch(doctor.stdout, /^FAIL {2}database .*is read-only/m);
  },
});

Deno.test({
  name: "a server older than Postgres 14 is refused",
  ignore,
  fn: async () => {
    await using empty = await emptyPostgres();
    const owner = postgres(empty.url, { ...DRIVER, max: 1 });
    // No older server is at hand: this one says of itself, in this database, that it is one.
    const name = new URL(empty.url).pathname.slice(1);
    await owner.unsafe(`
      create schema older;
      create function older.current_setting(text) returns text language sql as $$
        select case $1 when 'server_version_num' then '130022'
          else pg_catalog.current_setting($1) end $$;
      alter database ${name} set search_path = older, pg_catalog, public`);
    await owner.end();
    await assertRejects(
      () => openPostgres({ url: empty.url }),
      OperatorError,
      "DATABASE_URL: the server is older than Postgres 14",
    );
  },
});

Deno.test({
  name: "a database that cannot hold every character is refused before anything is stored in it",
  ignore,
  fn: async () => {
    await using empty = await emptyPostgres();
    const owner = postgres(empty.url, { ...DRIVER, max: 1 });
    const name = `latin_${crypto.randomUUID().replaceAll("-", "")}`;
    await owner.unsafe(
      `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
    );
    try {
      const url = new URL(empty.url);
      url.pathname = `/${name}`;
      const error = await assertRejects(() => openPostgres({ url: url.href }), OperatorError);
      assertMatch(error.message, /^DATABASE_URL: the database's encoding is LATIN1.*UTF8/);
    } finally {
      await owner.unsafe(`drop database ${name}`);
      await owner.end();
    }
  },
});
