/** Stopping: what is paid for is finished first, and a second signal waits for nothing. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { startChain } from "../doubles/chain.ts";
import { startFacilitator } from "../doubles/facilitator.ts";
import { encode, sign } from "../payment/support/buyer.ts";
import { PAY_TO } from "../payment/support/shop.ts";
import { lines, writeArchive } from "../support/archive.ts";
import { preparedData, temporaryDirectory } from "../support/database.ts";
import {
  metricsOf,
  type Program,
  run,
  type RuntimeName,
  serve,
  type Service,
} from "../support/program.ts";

interface Slow extends AsyncDisposable {
  readonly url: string;
  /** Resolves when a settlement was asked for. */
  readonly asked: Promise<void>;
  release(): void;
}

/** Passes everything on to the facilitator, settlements only when released. */
function startSlow(facilitator: string): Slow {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const body = request.method === "POST" ? await request.text() : undefined;
      if (pathname.endsWith("/settle")) {
        asked.resolve();
        await released.promise;
      }
      return await fetch(`${facilitator}${pathname}`, {
        method: request.method,
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
      });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked: asked.promise,
    release: released.resolve,
    [Symbol.asyncDispose]: async () => {
      released.resolve();
      await server.shutdown();
    },
  };
}

/** A data directory with a corpus that live payment sells, unlike the demonstration: for each test to copy. */
let imported: Promise<string> | undefined;
const importedData = (): Promise<string> => imported ??= importOnce();

const folder = temporaryDirectory();
Deno.test.afterAll(() => folder[Symbol.dispose]());

async function importOnce(): Promise<string> {
  const archive = join(folder.path, "posts.ndjson");
  writeArchive(archive, lines(600));
  const env = { DATA_DIR: preparedData(folder.path) };
  assertEquals((await run(["import", archive], env)).code, 0);
  return env.DATA_DIR;
}

async function inSettlement(
  program: Program,
  body: (service: Service, slow: Slow, call: Promise<Response>) => Promise<void>,
): Promise<void> {
  using directory = temporaryDirectory();
  await using chain = await startChain();
  await using facilitator = await startFacilitator(chain.url);
  await using slow = startSlow(facilitator.url);
  const path = join(directory.path, "data");
  cpSync(await importedData(), path, { recursive: true });
  const env = { DATA_DIR: path };
  const service = await serve({
    ...env,
    BASE_URL: "https://demand.example",
    PAYMENT_MODE: "facilitator",
    PAY_TO,
    FACILITATOR_URL: slow.url,
    RPC_URL: chain.url,
    METRICS_LISTEN: "127.0.0.1:0",
  }, program);
  const url = `${service.base}/v1/opportunities/trending`;
  const challenge = await (await fetch(url)).json();
  const account = await chain.account(1_000_000n);
  const [accepted] = challenge.accepts;
  const payload = await sign(account, { payTo: PAY_TO, amount: Number(accepted.amount) });
  const payment = encode({ x402Version: 2, accepted, payload, resource: challenge.resource });
  const call = fetch(url, { headers: { "payment-signature": payment } });
  call.catch(() => {});
  await slow.asked;
  await body(service, slow, call);
}

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`a call in settlement is finished before the service under ${runtime} stops`, () =>
    inSettlement(runtime, async (service, slow, call) => {
      service.running.kill("SIGTERM");
      await service.running.saw("finishing what is in flight");
      assertMatch(await metricsOf(service), /^demand_payments_ready 0$/m, "sales are stopped");
      await new Promise((wake) => setTimeout(wake, 300));
      slow.release();
      const response = await call;
      const body = await response.json();
      assertEquals([response.status, body.charged], [200, true], JSON.stringify(body));
      const { code, stderr } = await service.running.finished;
      assertEquals(code, 0, stderr);
      assertStringIncludes(stderr, '"tx":"0x');
    }));
}

Deno.test("what takes longer than the deadline is left to the next process", () =>
  inSettlement({ script: "tests/ops/short_drain.ts" }, async (service, _slow, call) => {
    const started = performance.now();
    service.running.kill("SIGTERM");
    const { code, stderr } = await service.running.finished;
    const seconds = (performance.now() - started) / 1000;
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, '"inFlight":1');
    // The settlement alone would be waited for for 35 seconds.
    assert(seconds > 1.9 && seconds < 20, `${seconds} s`);
    assert(await call.then(() => false, () => true), "the call is cut");
  }));

Deno.test("a second signal stops the service at once", () =>
  inSettlement("deno", async (service, _slow, call) => {
    service.running.kill("SIGTERM");
    await service.running.saw("finishing what is in flight");
    // One that follows at once is taken for the same.
    await new Promise((wake) => setTimeout(wake, 250));
    service.running.kill("SIGTERM");
    const { code } = await service.running.finished;
    assertEquals(code, 130);
    assert(await call.then(() => false, () => true), "the call is cut");
  }));
