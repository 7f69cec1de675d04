/** What is kept, cut or shown first is the same whatever language the database sorts by. */
import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { activeCards, bestCard } from "../../db/corpus/opportunities.ts";
import { commonKinds } from "../../db/corpus/readings.ts";
import { mostStated, shownStatements } from "../../db/corpus/want_counts.ts";
import { migrate } from "../../db/migrate.ts";
import { openPostgres } from "../../db/postgres/mod.ts";
import type { Database, Sql } from "../../db/sql.ts";
import { postgresUrl, testEmbedded } from "../support/database.ts";

/** In Danish "aa" is a letter after "z", and "é" an "e". */
const VALUES = ["zinc", "écru", "aa battery", "ab roller"];
const CUT = 3;

async function fill(sql: Sql): Promise<void> {
  await sql`insert into want_facts (want_id, type, value, authors)
    select 'w', 'attribute', v, 1 from unnest(${VALUES}::text[]) v`;
  await sql`insert into wants (id, kind, value, authors, kept)
    select 'm' || v, v, '', 2, true from unnest(${VALUES}::text[]) v`;
  await sql`insert into wants (id, kind, value) values ('w', 'fan', 'quiet')`;
  const ids = ["opp_aab", "opp_abb", "opp_zbb"];
  await sql`insert into opportunities (id, key, state, score, card)
    select id, id, 'active', 5, jsonb_build_object('id', id) from unnest(${ids}::text[]) id`;
  await sql`insert into posts (id, community, title, body, upvotes, comments, permalink, created_at, origin)
    select id, 'c', 't', 'b', 1, 1, '/' || id, '2026-01-01', 'archive' from unnest(${ids}::text[]) id`;
  await sql`insert into signals (post_id, pattern, category, product, kind, intensity, wtp, confidence,
      quote, voice, text_key, upvotes, created_at, versions, facts)
    select id, 'unmet_need', 'c', 'p', 'p', 1, 1, 1, 'q', id::bytea, id::bytea, 1, '2026-01-01', 'v', '[]'
    from unnest(${ids}::text[]) id`;
  await sql`insert into want_statements (want_id, post_id, author, text_key, created_at, counted, shown,
      quote_start, quote_end)
    select 'w', id, id::bytea, id::bytea, '2026-01-01', true, 5, 0, 1 from unnest(${ids}::text[]) id`;
}

async function sorted({ sql }: Database): Promise<unknown> {
  await fill(sql);
  return {
    values: (await mostStated(sql, ["w"], ["attribute"], CUT)).map(({ value }) => value),
    kinds: await commonKinds(sql, CUT),
    cards: (await activeCards(sql)).map(({ id }) => id),
    best: await bestCard(sql),
    shown: (await shownStatements(sql, ["w"], 2)).map(({ postId }) => postId),
  };
}

const EXPECTED = {
  values: ["aa battery", "ab roller", "zinc"],
  kinds: ["aa battery", "ab roller", "zinc"],
  cards: ["opp_aab", "opp_abb", "opp_zbb"],
  best: { id: "opp_aab" },
  shown: ["opp_aab", "opp_abb"],
};

Deno.test("the embedded database sorts by code points", async () => {
  await using test = await testEmbedded();
  assertEquals(await sorted(test.database), EXPECTED);
});

Deno.test({
  name: "a Postgres that sorts as Danish does keeps and shows the same",
  ignore: postgresUrl === undefined,
  fn: async (t) => {
    const url = new URL(postgresUrl ?? "");
    const name = `danish_${crypto.randomUUID().replaceAll("-", "")}`;
    const admin = postgres(url.href, { max: 1, onnotice: () => {} });
    try {
      const [server] = await admin<
        { version: number }[]
      >`select current_setting('server_version_num')::int as version`;
      // Databases have locales of ICU from Postgres 15 on.
      if ((server?.version ?? 0) < 150_000) return;
      await admin.unsafe(
        `create database ${name} template template0 locale_provider icu icu_locale 'da'`,
      );
      url.pathname = `/${name}`;
      const database = await openPostgres({ url: url.href, max: 2 });
      await t.step("sorts the same", async () => {
        await migrate(database.sql);
        assertEquals(await sorted(database), EXPECTED);
      });
      await database.close();
      await admin.unsafe(`drop database ${name}`);
    } finally {
      await admin.end();
    }
  },
});
