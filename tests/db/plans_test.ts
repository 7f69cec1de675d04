/** How Postgres works through the statements that many rows make slow, by its own account of them. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import postgres from "postgres";
import { DAY_MS } from "../../core/clock.ts";
import { findPayments, paymentsByDay, revenueSince } from "../../db/ledger/lookups.ts";
import { cleanUpLedger } from "../../db/ledger/cleanup.ts";
import { unmarkUnserved } from "../../db/corpus/removal.ts";
import { mostStated, shownStatements } from "../../db/corpus/want_counts.ts";
import { type StatementRow, stateWants } from "../../db/corpus/wants.ts";
import { DRIVER, type Sql, type Tx } from "../../db/sql.ts";
import { matchCorpus } from "../../gauge/match/corpus.ts";
import { findKinds } from "../../gauge/query/kinds.ts";
import { readQuery } from "../../gauge/query/read.ts";
import { postgresUrl, testPostgres } from "../support/database.ts";

const ignore = postgresUrl === undefined;
const CARDS = 2_200;
/** The fifth post of each card is shown by none any more. */
const POSTS = 5 * CARDS;

/** So many posts, each a signal of a fan. */
async function fillSignals(sql: Sql, total: number): Promise<void> {
  await sql`insert into posts (id, community, title, body, upvotes, comments, permalink, created_at, origin)
    select 'p' || n, 'c', 't', 'b', 1, 1, '/p' || n, now(), 'archive'
    from generate_series(1, ${total}::integer) n`;
  await sql`insert into signals (post_id, pattern, category, product, kind, facts, intensity, wtp,
      confidence, quote, voice, text_key, upvotes, created_at, versions)
    select 'p' || n, 'complaint', 'other', 'fan', 'fan', '[]', 1, 1, 1, 't', int4send(n), int4send(n), 1,
      now(), 'x' from generate_series(1, ${total}::integer) n`;
}

/** The plans of what `run` does in a transaction; each must be short, since its text comes whole. */
async function plansOf(url: string, run: (tx: Tx) => Promise<void>): Promise<string> {
  const plans: string[] = [];
  const sql = postgres(url, {
    ...DRIVER,
    max: 1,
    onnotice: ({ message }) => plans.push(message ?? ""),
  });
  try {
    await sql.begin(async (tx) => {
      await tx.unsafe(`load 'auto_explain'; set auto_explain.log_min_duration = 0;
        set auto_explain.log_nested_statements = on; set auto_explain.log_level = notice`);
      await run(tx);
    });
  } finally {
    await sql.end();
  }
  return plans.join("\n");
}

async function fill(sql: Sql): Promise<void> {
  await sql`insert into posts (id, community, title, body, upvotes, comments, permalink, created_at,
      origin, served)
    select 'p' || n, 'c', 't', 'b', 1, 1, '/p' || n, now(), 'live', false
    from generate_series(1, ${POSTS}::integer) n`;
  await sql`insert into opportunities (id, key, state, card)
    select 'o' || n, 'k' || n, 'active', jsonb_build_object('evidenceIds', jsonb_build_array(
        'p' || 5 * n - 4, 'p' || 5 * n - 3, 'p' || 5 * n - 2),
      'makers', jsonb_build_object('postIds', jsonb_build_array('p' || 5 * n - 1)))
    from generate_series(1, ${CARDS}::integer) n`;
}

async function served(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ n: number }[]>`select count(*) as n from posts where served`;
  return row?.n;
}

Deno.test({
  name: "thousands of cards do not make the marks of what is served quadratic",
  ignore,
  fn: async () => {
    await using test = await testPostgres();
    const { sql } = test.database;
    const sweep = () =>
      plansOf(test.env.DATABASE_URL ?? "", (tx) => unmarkUnserved(tx, new Date("2026-01-01")));
    await fill(sql);
    // Statistics that are right, and such that say that nothing is served.
    for (const current of [true, false]) {
      if (!current) await sql`update posts set served = false`;
      if (!current) await sql`vacuum analyze`;
      await sql`update posts set served = true`;
      if (current) await sql`vacuum analyze`;
      const plans = await sweep();
      assert(plans.includes("Query Text"), plans);
      assertFalse(/[^d] SubPlan|Nested Loop/.test(plans), plans);
      assertEquals(await served(sql), POSTS - CARDS);
    }
  },
});

Deno.test({
  name: "what is read at every scrape and every minute does not grow with the ledger",
  ignore,
  fn: async () => {
    await using test = await testPostgres();
    const { sql } = test.database;
    // A year of payments that settled, and one that is at work; their payers are a day's.
    await sql`insert into payments (rail, payer, nonce, fingerprint, state, owner, lease_until, route,
        live, amount, pay_to, valid_before, created_at, settled_at)
      select 'r', int4send(n % 2000), int4send(n), 'x', 'settled', 'o', at, '/v1/x', false, 1, 'x', 1, at, at
      from (select n, now() - interval '1 year' * (20000 - n) / 20000 as at
        from generate_series(1, 20000) n) payment`;
    await sql`update payments set state = 'settling' where nonce = int4send(7)`;
    const payers = (from: number, to: number, hours: number) =>
      sql`insert into payment_payers (rail, payer, claimed_at)
        select 'r', int4send(n), now() - interval '1 hour' * ${hours}::integer
        from generate_series(${from}::integer, ${to}::integer) n`;
    await payers(0, 1899, 1);
    await payers(1900, 1999, 26);
    await sql`insert into payment_payers (rail, payer, claimed_at) values ('r', int4send(2000), now())`;
    await sql`update payment_payers set claimed_at = '-infinity' where payer = int4send(7)`;
    await sql`analyze`;
    const plans = await plansOf(test.env.DATABASE_URL ?? "", async (tx) => {
      const since = new Date(Date.now() - DAY_MS);
      const counts = await paymentsByDay(tx, since);
      const revenue = await revenueSince(tx, since, "live");
      const total = (rows: readonly number[]) => rows.reduce((all, n) => all + n, 0);
      const found = total(counts.map(({ count }) => count));
      assert(found >= 50 && found <= 60, String(found));
      assertEquals(total(revenue.map(({ payments }) => payments)), found);
      const short = async <T>(work: (sql: Sql) => PromiseLike<T>) => await work(tx as never);
      await cleanUpLedger({ short }, "r", null);
    });
    assertFalse(/Seq Scan on payments/.test(plans), plans);
    const unknown = {
      id: null,
      payer: null,
      transaction: null,
      requestId: null,
      paymentIdentifier: null,
      state: null,
    };
    for (
      const known of [{ payer: `0x${"0".repeat(8)}` }, { transaction: "0x1" }, {
        paymentIdentifier: "name",
      }]
    ) {
      const looked = await plansOf(
        test.env.DATABASE_URL ?? "",
        async (tx) => void await findPayments(tx, { ...unknown, ...known }, 200),
      );
      assertFalse(/Seq Scan on payments/.test(looked), looked);
    }
    for (const index of ["payments_created", "payments_settled_at", "payment_payers_claimed"]) {
      assert(plans.includes(index), plans);
    }
    const [left] = await sql`select count(*)::int as all,
      count(*) filter (where payer = int4send(7))::int as busy from payment_payers`;
    assertEquals(left, { all: 1901, busy: 1 });
  },
});

Deno.test({
  name: "what posts state is counted without reading through what others state",
  ignore,
  fn: async () => {
    await using test = await testPostgres();
    const { sql } = test.database;
    const total = 400;
    await fillSignals(sql, total);
    for (const stored of [5_000, 100_000]) {
      const statements = Array.from({ length: total }, (_, n): StatementRow => ({
        wantId: `w${stored}/${n >> 1}`,
        postId: `p${n + 1}`,
        author: n.toString(16).padStart(8, "0"),
        textKey: n.toString(16).padStart(8, "0"),
        createdAt: "2026-01-01T00:00:00Z",
        shown: null,
        quoteStart: null,
        quoteEnd: null,
      }));
      const wants = statements.map(({ wantId }) => ({ id: wantId, kind: "fan", value: wantId }));
      await sql`insert into want_facts (want_id, type, value, authors)
        select 'x' || n, 'use', 'y', 1 from generate_series(1, ${stored}::integer) n
        on conflict do nothing`;
      await sql`vacuum analyze`;
      const plans = await plansOf(
        test.env.DATABASE_URL ?? "",
        (tx) => stateWants(tx, wants, statements),
      );
      assertFalse(/hashed SubPlan|Seq Scan on want_facts/.test(plans), plans);
      const counted =
        await sql`select from wants where kept and authors = 2 and id like ${`w${stored}/%`}`;
      assertEquals(counted.length, total / 2);
    }
  },
});

Deno.test({
  name: "of a large want the most and the best is read without the rest of it",
  ignore,
  fn: async () => {
    await using test = await testPostgres();
    const { sql } = test.database;
    const total = 3000;
    // Most wants have few of both, so that sorting them looks cheap.
    await sql`insert into want_facts (want_id, type, value, authors)
      select 'x' || n, 'use', 'y', 1 from generate_series(1, 20000) n`;
    await sql`insert into want_facts (want_id, type, value, authors)
      select 'large', 'use', 'v' || n, 1 + n / 3 from generate_series(1, ${total}::integer) n`;
    await fillSignals(sql, total);
    await sql`insert into wants (id, kind, value) select 'large', 'fan', 'v'
      union all select 'x' || n, 'fan', 'v' || n from generate_series(1, ${5 * total}::integer) n`;
    await sql`insert into want_statements (want_id, post_id, author, text_key, created_at, shown, quote_start,
        quote_end, counted)
      select case k when 0 then 'large' else 'x' || 5 * n - k + 1 end, 'p' || n, int4send(n), int4send(n),
        now(), n % 100, 0, 1, true
      from generate_series(1, ${total}::integer) n, generate_series(0, 5) k`;
    await sql`vacuum analyze`;
    const plansOfRead = async (read: (tx: Tx) => Promise<string>): Promise<string> => {
      let first = "";
      const plans = await plansOf(test.env.DATABASE_URL ?? "", async (tx) => {
        first = await read(tx);
      });
      const [, each = ""] = plans.split("->  Limit");
      const [inner = ""] = each.split(/Function Scan|on posts|on signals/);
      assert(/Index (?:Only )?Scan using want_/.test(inner) && !inner.includes("Sort"), plans);
      return first;
    };
    const most = await plansOfRead(async (tx) =>
      (await mostStated(tx, ["large"], ["use"], 3)).map(({ value }) => value).join()
    );
    assertEquals(most, "v3000,v2997,v2998");
    const best = await plansOfRead(async (tx) =>
      (await shownStatements(tx, ["large"], 3)).map(({ postId }) => postId).join()
    );
    assertEquals(best, "p1099,p1199,p1299");
  },
});

/** Signals of which every twentieth is of headphones and one of a kind that nothing else names. */
async function fillIndex(sql: Sql): Promise<void> {
  await sql`insert into search_terms (term, signals)
    select term, 1000 from unnest(array['k/headphones', 'p/headphon', 'e/headphon', 'headphon', 'quiet']) term
    union all select 'h/' || n, 1000 from generate_series(0, 19) n
    union all select 'theremin', 4`;
  await sql`insert into search_terms (term, signals)
    select md5(n::text), 2 from generate_series(1, 20000) n`;
  await sql`insert into signal_index (post_id, heat, voice, words, body, slices)
    select 'p' || n, n / 8000.0, int4send(n),
      array_to_tsvector(case when n % 20 = 0
        then array['k/headphones', 'p/headphon', 'e/headphon', 'headphon', md5((n % 3000)::text)]
        when n % 5000 = 1 then array['k/synthesizer', 'theremin']
        else array['k/kind' || n % 900, md5((n % 3000)::text)] end),
      array_to_tsvector(array[md5((n % 1000)::text), case when n % 9 = 0 then 'quiet' else 'loud' end]),
      array(select id * 65536 + floor(n / 1000)::bigint from search_terms
        where n % 20 = 0 and term ~ 'headphon')
    from generate_series(0, 19999) n`;
}

Deno.test({
  name: "no verdict reads all signals or all words through, whatever statistics say",
  ignore,
  fn: async () => {
    await using test = await testPostgres();
    const { sql } = test.database;
    await fillIndex(sql);
    const queries = ["headphones", "quiet headphones", "hedfones", "theremin stand", "glorp mat"];
    const ask = async (tx: Tx) => {
      for (const query of queries) {
        const read = await readQuery(tx as never, { query, category: null }, findKinds);
        for (const found of [20, 1500]) {
          const bounds = { found, target: found, graded: found, authors: found };
          await matchCorpus(tx as never, read, null, bounds);
        }
      }
    };
    for (const current of [false, true]) {
      if (current) await sql`vacuum analyze`;
      const plans = await plansOf(test.env.DATABASE_URL ?? "", ask);
      for (const index of ["words", "texts", "slices"]) {
        assert(plans.includes(`signal_index_${index}`), plans);
      }
      assert(plans.includes("search_terms_similar"), plans);
      assertFalse(/Seq Scan on (signal_index|search_terms)/.test(plans), plans);
    }
  },
});
