/** Agents over MCP who lose the answer to a paid tool call and sign anew: one charge, and the same answer. */
import { assert, assertEquals } from "@std/assert";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { PrivateKeyAccount } from "viem/accounts";
import { z } from "zod";
import { startChain, type TestChain } from "../doubles/chain.ts";
import { type FacilitatorDouble, startFacilitator } from "../doubles/facilitator.ts";
import { PAY_TO } from "../payment/support/shop.ts";
import { watchMoney } from "../payment/support/stage.ts";
import { paymentFor } from "../support/official_client.ts";
import { lines, writeArchive } from "../support/archive.ts";
import {
  emptyPostgres,
  postgresUrl,
  preparedData,
  temporaryDirectory,
} from "../support/database.ts";
import { run, serve, type Service } from "../support/program.ts";
import { until } from "../support/time.ts";

type Env = Readonly<Record<string, string>>;

const toolResult = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});

/** Every answer by its bytes: the `result` of the message, whose id differs from call to call. */
const resultBytes = (text: string): string =>
  /"result":(\{.*\}),"jsonrpc"/s.exec(text)?.[1] ?? text;

interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** Where calls are passed on to. */
  target: Service;
  /** What becomes of the next answers to payments, in order: `lose` is called in place of sending one. */
  readonly lose: (() => void)[];
  /** The answers to payments, lost ones included. */
  readonly answers: string[];
}

/** Stands between an agent and the service, and loses what it is told to. */
async function startProxy(target: Service): Promise<Proxy> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
    const pays = new TextDecoder().decode(body).includes('"x402/payment"');
    const { hostname, port } = new URL(proxy.target.base);
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => text += chunk).on("end", () => {
        if (pays) proxy.answers.push(text);
        const lose = pays ? proxy.lose.shift() : undefined;
        if (lose !== undefined) {
          lose();
          return void incoming.socket.destroy();
        }
        // On a connection that it used before the client would send the same payment again by itself.
        outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: "close" });
        outgoing.end(text);
      });
    });
    passed.on("error", () => incoming.socket.destroy());
    passed.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    lose: [],
    answers: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return proxy;
}

const TOOL = { name: "listTrendingOpportunities", arguments: {} };

/** Asks for the price, signs a payment for it with the official client, and calls with that. */
async function buy(proxy: Proxy, account: PrivateKeyAccount): Promise<z.infer<typeof toolResult>> {
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp`)));
  try {
    const asked = toolResult.parse(await client.callTool(TOOL));
    const payment = await paymentFor(asked.structuredContent, account);
    const call = { ...TOOL, _meta: { "x402/payment": payment } };
    return toolResult.parse(await client.callTool(call));
  } finally {
    await client.close();
  }
}

/** Buys, and loses the answer as `proxy.lose` says; fails where the call ended before there was one. */
async function loseAnswer(proxy: Proxy, account: PrivateKeyAccount): Promise<void> {
  const end = await buy(proxy, account).then(() => "an answer", (error) => `${error}`);
  assert(end !== "an answer" && proxy.lose.length === 0, `nothing was lost: ${end}`);
}

interface Stage {
  readonly chain: TestChain;
  readonly facilitator: FacilitatorDouble;
  /** The settings of a service that sells for real. */
  readonly env: Env;
}

/** A chain, a facilitator, and a corpus in the database that `data` names. */
async function onStage(data: Env, folder: string, body: (stage: Stage) => Promise<void>) {
  await using chain = await startChain();
  await using facilitator = await startFacilitator(chain.url);
  const archive = join(folder, "posts.ndjson");
  writeArchive(archive, lines(600));
  assertEquals((await run(["import", archive], data)).code, 0);
  await body({
    chain,
    facilitator,
    env: {
      ...data,
      BASE_URL: "https://demand.example",
      PAYMENT_MODE: "facilitator",
      PAY_TO,
      FACILITATOR_URL: facilitator.url,
      RPC_URL: chain.url,
    },
  });
}

Deno.test({
  name:
    "a tool's answer that one replica loses is given by the other for a fresh payment, once charged",
  ignore: postgresUrl === undefined,
  fn: async () => {
    using directory = temporaryDirectory();
    await using empty = await emptyPostgres();
    await onStage({ DATABASE_URL: empty.url }, directory.path, async (stage) => {
      await using one = await serve(stage.env);
      await using other = await serve(stage.env);
      await using proxy = await startProxy(one);
      const account = await stage.chain.account(1_000_000n);
      const moved = await watchMoney(stage.chain, account);
      proxy.lose.push(() => proxy.target = other);
      await loseAnswer(proxy, account);
      const result = await buy(proxy, account);
      assertEquals([result.isError, result.structuredContent?.["charged"]], [undefined, true]);
      proxy.target = one;
      await buy(proxy, account);
      const [lost = "", ...again] = proxy.answers.map(resultBytes);
      assertEquals(again, [lost, lost]);
      assert(lost.includes('"x402/payment-response"'), lost);
      assertEquals(stage.facilitator.settles(), 1);
      await moved(1);
    });
  },
});

Deno.test({
  name:
    "a tool's answer that dies with the service is given for a fresh payment after its start, once charged",
  fn: async (t) => {
    using directory = temporaryDirectory();
    const data = { DATA_DIR: preparedData(directory.path) };
    await onStage(data, directory.path, async ({ chain, facilitator, env }) => {
      await using services = new AsyncDisposableStack();
      const start = async (): Promise<Service> => services.use(await serve(env));
      await using proxy = await startProxy(await start());
      const kill = (): void => proxy.target.running.kill("SIGKILL");
      const restarted = async (): Promise<void> => {
        await proxy.target.running.finished;
        proxy.target = await start();
      };

      await t.step("killed when its answer was on the way", async () => {
        const account = await chain.account(1_000_000n);
        const moved = await watchMoney(chain, account);
        proxy.lose.push(kill);
        await loseAnswer(proxy, account);
        await restarted();
        await buy(proxy, account);
        await buy(proxy, account);
        const [lost = "", ...again] = proxy.answers.splice(0).map(resultBytes);
        assertEquals(again, [lost, lost]);
        assert(lost.includes('"charged":true') && lost.includes('"success":true'), lost);
        assertEquals(facilitator.settles(), 1);
        await moved(1);
      });

      await t.step("killed when the money had moved and nobody had heard of it", async () => {
        facilitator.calls.length = 0;
        const account = await chain.account(1_000_000n);
        const moved = await watchMoney(chain, account);
        facilitator.faults.push("settle-then-hang");
        const first = buy(proxy, account).catch(() => {});
        await until(async () => await chain.balance(account.address) < 1_000_000n, "it is paid");
        kill();
        await first;
        await restarted();
        // Its claim is the dead process's until the lease ends.
        await until(async () => !(await buy(proxy, account)).isError, "the purchase is answered");
        await buy(proxy, account);
        const [answer = "", again] = proxy.answers.map(resultBytes).slice(-2);
        assertEquals(again, answer);
        assert(answer.includes('"charged":true') && answer.includes('"success":true'), answer);
        assertEquals(facilitator.settles(), 1);
        await moved(1);
      });
    });
  },
});
