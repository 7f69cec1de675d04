import { assert, assertEquals, assertGreater, assertStringIncludes } from "@std/assert";
import { createLog, silentLog } from "../../core/log.ts";
import { MetricsRegistry } from "../../observability/metrics.ts";
import { createRequestLog } from "../../observability/request_log.ts";
import { createServiceMetrics } from "../../observability/service_metrics.ts";
import { traceIdOf } from "../../observability/trace.ts";
import { EXAMPLE_CATALOGUE } from "../../routes/pipeline/example.ts";
import { minedData, temporaryDirectory, testBoth } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { PAYMENT_STATUS } from "../support/payment_status.ts";
import { type RuntimeName, serve } from "../support/program.ts";

Deno.test("metrics are rendered as Prometheus reads them", () => {
  const registry = new MetricsRegistry();
  const counter = registry.counter("calls_total", "Calls.");
  counter.add({ route: 'a"b\\c\nd' });
  counter.add({ route: 'a"b\\c\nd' });
  counter.add({ route: 'a"b\\c\nd' });
  const histogram = registry.histogram("seconds", "Time.", [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe({ route: "x" }, value);
  registry.gauge("up", "Up.", () => [[{}, 1]]);
  assertEquals(
    registry.render(),
    `# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{route="a\\"b\\\\c\\nd"} 3
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{route="x",le="0.1"} 2
seconds_bucket{route="x",le="1"} 3
seconds_bucket{route="x",le="+Inf"} 4
seconds_sum{route="x"} 7.65
seconds_count{route="x"} 4
# HELP up Up.
# TYPE up gauge
up 1
`,
  );
});

testBoth("the last run of a kind is told after many of others", async ({ database }) => {
  await database.sql`
    insert into mining_runs (kind, started_at, finished_at, error)
    values ('mine', ${new Date(1_000)}, ${new Date(4_000)}, 'out of order')`;
  await database.sql`
    insert into mining_runs (kind, started_at, finished_at)
    select 'model', ${new Date(9_000)}, ${new Date(9_500)} from generate_series(1, 50)`;
  await database.sql`insert into mining_runs (kind, started_at) values ('mine', ${new Date(
    10_000,
  )})`;
  const metrics = createServiceMetrics({
    version: "0.1.0",
    runtime: "test",
    clock: { now: () => new Date(20_000) },
    log: silentLog,
    database,
    catalogue: () => EXAMPLE_CATALOGUE,
    payments: () => PAYMENT_STATUS,
  });
  const text = await metrics.render();
  assertStringIncludes(text, 'demand_mining_last_start_seconds{kind="mine"} 10\n');
  assertStringIncludes(text, 'demand_mining_last_ok{kind="mine"} 0\n');
  assertStringIncludes(text, 'demand_mining_last_duration_seconds{kind="mine"} 3\n');
  assertStringIncludes(text, 'demand_mining_last_ok{kind="model"} 1\n');
});

Deno.test("a trace id is taken from a good traceparent and from nothing else", () => {
  const id = "4bf92f3577b34da6a3ce929d0e0e4736";
  assertEquals(traceIdOf(`00-${id}-00f067aa0ba902b7-01`), id);
  assertEquals(traceIdOf(`01-${id}-00f067aa0ba902b7-01-more`), id);
  const wrong = [
    null,
    "",
    id,
    `ff-${id}-00f067aa0ba902b7-01`,
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-${id}-${"0".repeat(16)}-01`,
    `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${id}-00f067aa0ba902b7-01\nx`,
  ];
  for (const header of wrong) assertEquals(traceIdOf(header), undefined);
});

Deno.test("a request is one line; a probe that succeeds is none", () => {
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    format: "json",
    now: () => new Date(0),
    write: (line) => lines.push(line),
  });
  const record = createRequestLog(log);
  const request = { requestId: "r", method: "GET", durationMs: 1.23456, traceparent: null };
  record({ ...request, route: "/health", status: 200 });
  assertEquals(lines, []);
  record({ ...request, route: "/health", status: 503, code: "overloaded" });
  record({
    ...request,
    route: "/v1/brief",
    status: 200,
    computeMs: 1,
    charge: { payer: "0xabc", usd: "0.25", transaction: "0xdef", repeated: true },
  });
  assertEquals(lines.map((line) => JSON.parse(line)), [
    {
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      event: "request",
      requestId: "r",
      method: "GET",
      route: "/health",
      status: 503,
      code: "overloaded",
      ms: 1.23,
    },
    {
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      event: "request",
      requestId: "r",
      method: "GET",
      route: "/v1/brief",
      status: 200,
      ms: 1.23,
      computeMs: 1,
      payer: "0xabc",
      usd: "0.25",
      tx: "0xdef",
      repeated: true,
    },
  ]);
});

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`a service under ${runtime} logs a wide line a request, without secrets, and counts them`, async () => {
    using directory = temporaryDirectory();
    const service = await serve({
      DATA_DIR: minedData(directory.path),
      METRICS_LISTEN: "127.0.0.1:0",
    }, runtime);
    const url = `${service.base}/v1/opportunities/trending`;
    const payer = createPayer();
    const payment = await payer.header(url);
    const id = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${id}-00f067aa0ba902b7-01`;
    const headers = { ...payment, traceparent };
    assertEquals((await fetch(url, { headers })).status, 200);
    assertEquals((await fetch(`${service.base}/v1/secret-word?q=hidden-query`)).status, 404);

    const { stderr } = service.running.output();
    const events = stderr.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    const address = events.find(({ event }) => event === "metrics").address;
    const metrics = await (await fetch(address)).text();
    assertStringIncludes(metrics, "demand_database_up");
    assertStringIncludes(metrics, 'demand_database_pool_connections{state="max"} 4');
    assert(
      /demand_requests_total\{route="[^"]*trending",method="GET",status="200"\} 1/.test(metrics),
    );
    assert(/demand_requests_total\{route="unmatched",method="-",status="404"\} 1/.test(metrics));
    assert(/demand_revenue_today_usd\{route="[^"]*trending"\} 0.01/.test(metrics), metrics);
    assert(/demand_settlements_unresolved 0/.test(metrics));
    assertEquals((await fetch(new URL("/", address))).status, 404);

    await service[Symbol.asyncDispose]();
    const all = (await service.running.finished).stderr;
    const lines = all.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    const paid = lines.find((line) => line.event === "request" && line.status === 200);
    assertEquals([paid.route, paid.usd, paid.traceId], ["/v1/opportunities/trending", "0.01", id]);
    assertGreater(paid.computeMs, 0);
    assertGreater(paid.ms, paid.computeMs);
    const signature = payment["payment-signature"] ?? "";
    const decoded = JSON.parse(atob(signature)).payload;
    const secrets = [signature, decoded.signature, decoded.authorization.nonce];
    for (const secret of [...secrets, "secret-word", "hidden-query"]) {
      assert(!all.includes(secret), `the log holds ${secret}`);
    }
  });
}
