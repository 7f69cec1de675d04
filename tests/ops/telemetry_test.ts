/** OpenTelemetry as Deno has it built in: traces reach a collector, and hold no payment. */
import { assert, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { minedData, temporaryDirectory } from "../support/database.ts";
import { createPayer } from "../support/payer.ts";
import { serve } from "../support/program.ts";

Deno.test("with OTEL_DENO=true traces of requests reach a collector under the caller's trace, without payments", async () => {
  using directory = temporaryDirectory();
  const received: { path: string; bytes: Uint8Array }[] = [];
  await using collector = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      received.push({ path: pathname, bytes: new Uint8Array(await request.arrayBuffer()) });
      return new Response(null, { headers: { "content-type": "application/x-protobuf" } });
    },
  );
  const service = await serve({
    DATA_DIR: minedData(directory.path),
    OTEL_DENO: "true",
    OTEL_SERVICE_NAME: "demand-under-test",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
  });
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const url = `${service.base}/v1/opportunities/trending`;
  const payment = await createPayer().header(url);
  const headers = { ...payment, traceparent: `00-${trace}-00f067aa0ba902b7-01` };
  await (await fetch(url, { headers })).body?.cancel();
  // What is gathered is sent when the service ends.
  await service[Symbol.asyncDispose]();

  const traces = received.filter(({ path }) => path === "/v1/traces").map(({ bytes }) => bytes);
  const text = traces.map((bytes) => new TextDecoder("latin1").decode(bytes)).join("");
  assertStringIncludes(text, "demand-under-test");
  assertStringIncludes(text, "/v1/opportunities/trending");
  const hex = traces.map((bytes) => Buffer.from(bytes).toString("hex")).join("");
  assert(hex.includes(trace), "the caller's trace goes on");
  assert(!text.includes(payment["payment-signature"]?.slice(0, 60) ?? "-"), "a payment was traced");
});
