import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { drawChart, niceCeiling } from "../../routes/admin/chart.ts";
import { countOpenPayments } from "../../db/ledger/lookups.ts";
import { migrate } from "../../db/migrate.ts";
import { openPostgres } from "../../db/postgres/mod.ts";
import { type AdminOptions, createAdmin } from "../../routes/admin/mod.ts";
import { csvOf } from "../../routes/admin/page.ts";
import { EXAMPLE_CATALOGUE } from "../../routes/pipeline/example.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Database } from "../../db/sql.ts";
import { minedData, temporaryDirectory, testBoth, testOnPostgres } from "../support/database.ts";
import { AS_OF, seed } from "../gauge/support/corpus.ts";
import { PAYMENT_STATUS } from "../support/payment_status.ts";
import { run, serve } from "../support/program.ts";

const NOW = new Date("2026-11-20T12:00:00.000Z");
const TOKEN = "correct horse battery";

const adminOver = (
  database: Pick<Database, "withDeadline">,
  more: Partial<AdminOptions> = {},
) =>
  createAdmin({
    token: TOKEN,
    version: "0.1.0",
    log: silentLog,
    requestId: () => "r1",
    database,
    now: () => NOW,
    catalogue: () => EXAMPLE_CATALOGUE,
    payments: () => PAYMENT_STATUS,
    requests: () => [{ route: "/v1/brief", method: "GET", status: "200", count: 3 }],
    ...more,
  });

const basic = (token: string) => ({ authorization: `Basic ${btoa(`operator:${token}`)}` });

testBoth(
  "the operator's page shows what is stored, and each table as CSV",
  async ({ database }) => {
    const { sql } = database;
    await sql`insert into payments (rail, payer, nonce, fingerprint, state, owner, lease_until, route,
      live, amount, pay_to, valid_before, created_at, settled_at)
    select 'test:r', '\\x01', decode(lpad(n::text, 4, '0'), 'hex'), '\\x03',
      case when n < 9 then 'settled' else 'settling' end, 'o', now(), '/v1/brief', false, 250000,
      '\\x04', 1, ${NOW}::timestamptz - n * interval '1 day', ${NOW}::timestamptz - n * interval '1 day'
    from generate_series(0, 9) n`;
    await sql`insert into mining_runs (kind, started_at, finished_at, stats, error)
    values ('mine', ${NOW}, ${NOW}, '{"posts": 12}', '<script>alert(1)</script>')`;
    await sql`insert into model_spend (day, usd, calls) values (${"2026-11-19"}, 0.5, 7)`;
    const admin = adminOver(database);
    const get = (path: string, headers: HeadersInit = basic(TOKEN)) =>
      admin(new Request(`http://x${path}`, { headers }), "192.0.2.1");

    const page = await get("/admin?days=7");
    const html = await page.text();
    assertEquals(page.status, 200);
    assertStringIncludes(html, "&lt;script&gt;alert(1)");
    assert(!html.includes("<script"), "no script in the page");
    assertStringIncludes(html, "<svg");
    assertStringIncludes(page.headers.get("content-security-policy") ?? "", "default-src 'none'");

    const revenue = await (await get("/admin/revenue.csv?days=7")).text();
    assertEquals(revenue.split("\r\n").slice(0, 2), [
      "day,route,payments,usd",
      "2026-11-14,/v1/brief,1,0.25",
    ]);
    assertEquals(revenue.trim().split("\r\n").length, 8);
    const open = await (await get("/admin/unresolved.csv")).text();
    const [, waiting, ...others] = open.trim().split("\r\n");
    assertEquals([waiting?.includes('"test:r, not configured"'), others], [true, []]);
    assertEquals(await countOpenPayments(sql, "test:n"), {
      settling: 0,
      computing: 0,
      oldest: null,
      elsewhere: 1,
    });
    const { settling, elsewhere } = await countOpenPayments(sql, "test:r");
    assertEquals([settling, elsewhere], [1, 0]);
    assertStringIncludes(await (await get("/admin/model.csv")).text(), "2026-11-19,7,0.5000");
    for (const name of ["payments", "calls", "runs", "freshness", "patterns", "categories"]) {
      assertEquals((await get(`/admin/${name}.csv`)).status, 200, name);
    }
    // Postgres takes no NUL in a text: nothing is found by one, and nothing fails.
    for (const path of ["/admin/cards?q=%00", "/admin/payments?q=a%00b"]) {
      assertEquals((await get(path)).status, 200, path);
    }
    const nothing = await get("/admin/constructor.csv");
    assertEquals(nothing.status, 404);
    assertStringIncludes(await nothing.text(), "<title>There is nothing at this address");

    const bearer = { authorization: `Bearer ${TOKEN}` };
    assertEquals((await get("/admin", bearer)).status, 200);
    assertEquals((await get("/admin", {})).status, 401);
    for (const wrong of ["", "wrong", TOKEN.slice(1), `${TOKEN} `]) {
      assertEquals((await get("/admin", basic(wrong))).status, 401);
    }
  },
);

testBoth("the week in which a table of weeks begins is a whole one", async ({ database }) => {
  // The seven days to a Saturday begin on a Sunday.
  await seed(database, [
    { id: "monday", kind: "kettle", title: "t", quote: "q", ageDays: 12 },
    { id: "before", kind: "kettle", title: "t", quote: "q", ageDays: 13 },
  ]);
  const admin = adminOver(database, { now: () => AS_OF });
  const request = new Request("http://x/admin/patterns.csv?days=7", { headers: basic(TOKEN) });
  const [, ...rows] = (await (await admin(request, "192.0.2.1")).text()).trim()
    .split("\r\n");
  assertEquals(rows, ["2030-05-20,frustration,1"]);
});

testOnPostgres("a page that the database keeps waiting ends with an error", async ({ url }) => {
  const database = await openPostgres({ url, deadlineMs: 200 });
  await migrate(database.sql);
  const admin = adminOver(database);
  await database.sql.begin(async (tx) => {
    await tx`lock table payments`;
    for (const path of ["/admin", "/admin/payments", "/admin/payments/1", "/admin/revenue.csv"]) {
      const request = new Request(`http://x${path}`, { headers: basic(TOKEN) });
      const response = await admin(request, "192.0.2.1");
      assertEquals(response.status, 503, path);
      assert(Number(response.headers.get("retry-after")) > 0, path);
    }
  });
  await database.close();
});

testBoth("a page that fails by a fault of ours is a 500 that says nothing of it", async ({
  database,
}) => {
  const logged: unknown[] = [];
  const log: Log = { ...silentLog, error: (event, fields) => logged.push({ event, ...fields }) };
  const fault = new TypeError("rows is undefined");
  const admin = adminOver(database, {
    log,
    requests: () => {
      throw fault;
    },
  });
  const ask = (path: string) =>
    admin(new Request(`http://x${path}`, { headers: basic(TOKEN) }), "192.0.2.1");
  const response = await ask("/admin/calls.csv");
  assertEquals([response.status, response.headers.get("x-request-id")], [500, "r1"]);
  assertEquals(
    await response.text(),
    "internal: something failed on our side. The log says more of r1.\n",
  );
  const said = { event: "request failed", requestId: "r1", code: "internal" };
  assertEquals(logged, [{ ...said, cause: fault }]);
  // A statement that is wrong is no database that is away.
  await database.sql`alter table model_spend rename to model_spent`;
  assertEquals((await ask("/admin/model.csv")).status, 500);
});

Deno.test("a chart's axis ends at a round number, and hostile names stay text", async () => {
  assertEquals([0, 1, 1.2, 3, 7, 10, 99, 0.03].map(niceCeiling), [1, 1, 2, 5, 10, 10, 100, 0.05]);
  const svg = String(
    await drawChart({
      unit: "USD",
      points: [{ x: '"><x', series: "a&b", value: 2 }, { x: "z", series: "c", value: 0 }],
    }, "t"),
  );
  assert(!svg.includes("<x") && svg.includes("&quot;&gt;&lt;x") && svg.includes("a&amp;b"), svg);
  assertEquals(String(await drawChart({ unit: "", points: [] }, "t")), "");
});

Deno.test("a table's cells are quoted as CSV wants, and are no formulas", () => {
  const rows = [['=cmd("x")', 'a,"b"', -5, "-5"]];
  const data = {
    name: "n",
    title: "",
    about: "",
    columns: ["a", "b", "c", "d"],
    rows,
    isOverTime: false,
    chart: null,
  };
  assertEquals(csvOf(data), `a,b,c,d\r\n"'=cmd(""x"")","a,""b""",-5,-5\r\n`);
});

Deno.test("the page is not there without a token, and asks for it with one", async () => {
  using directory = temporaryDirectory();
  const env = { DATA_DIR: minedData(directory.path) };
  const without = await serve(env);
  assertEquals((await fetch(`${without.base}/admin`)).status, 404);
  await without[Symbol.asyncDispose]();
  await using service = await serve({ ...env, ADMIN_TOKEN: TOKEN });
  const refused = await fetch(`${service.base}/admin`);
  assertEquals([refused.status, refused.headers.get("www-authenticate")?.slice(0, 5)], [
    401,
    "Basic",
  ]);
  const page = await fetch(`${service.base}/admin`, { headers: basic(TOKEN) });
  assertStringIncludes(await page.text(), "Mining runs");
  const openapi = await run(["openapi"], env);
  assert(!openapi.stdout.includes("/admin"), "no part of the API");
});
