/** `demand mcp` as a host runs it: the official client over stdio, against an instance in mode `test`. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { generatePrivateKey } from "viem/accounts";
import { z } from "zod";
import { askUpstream, instanceAddress } from "../../commands/mcp/upstream.ts";
import { NETWORKS } from "../../payment/evm/networks.ts";
import { PAID_ROUTES } from "../../routes/all.ts";
import { startService } from "../routes/shop.ts";
import { temporaryDirectory, testEmbedded } from "../support/database.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;

const result = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

const CLIENT = { name: "host", version: "1" };

const settings = z.object({
  mcpServers: z.object({
    "demand-with-a-wallet": z.object({ env: z.record(z.string(), z.string()) }),
  }),
});

interface Host extends AsyncDisposable {
  readonly tools: readonly string[];
  /** How often the user was asked. */
  readonly asked: number;
  call(name: string, args?: Record<string, unknown>): Promise<z.infer<typeof result>>;
}

/** A host with these settings; with `allow` it can ask its user, who says so. */
async function host(url: string, env: Record<string, string>, allow?: boolean): Promise<Host> {
  const capabilities = allow === undefined ? {} : { elicitation: {} };
  let asked = 0;
  const client = new Client(CLIENT, { capabilities });
  if (allow !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, () => {
      asked++;
      return { action: "accept", content: { allow } };
    });
  }
  await client.connect(
    new StdioClientTransport({
      command: Deno.execPath(),
      args: ["run", "-A", "--no-check", "--quiet", MAIN, "mcp", url],
      env: { PATH: Deno.env.get("PATH") ?? "", HOME: "/nonexistent", ...env },
      stderr: "inherit",
    }),
  );
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name }) => name),
    get asked() {
      return asked;
    },
    call: async (name, args = {}) => result.parse(await client.callTool({ name, arguments: args })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

Deno.test({
  name: "demand mcp: free tools without a key, paid ones with one, within the day's allowance",
  fn: async (t) => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    const state = await Deno.makeTempDir();
    const wallet = (daily: string) => ({
      EVM_PRIVATE_KEY: key,
      MCP_DAILY_USD: daily,
      XDG_STATE_HOME: state,
    });
    const key = generatePrivateKey();

    await t.step("the documented settings as they stand: no key, the free tools", async () => {
      const guide = await (await service.call("/skill.md")).text();
      const [, block = ""] = /```json\n([\s\S]*?)\n```/.exec(guide) ?? [];
      const env = settings.parse(JSON.parse(block)).mcpServers["demand-with-a-wallet"].env;
      await using free = await host(service.url, env);
      assertEquals(free.tools, ["listCategories", "getSampleOpportunity", "getSampleVerdict"]);
      const { structuredContent } = await free.call("listCategories");
      assert(Array.isArray(structuredContent?.["categories"]));
      const { isError, content: [{ text }] } = await free.call("getBrief");
      assertEquals(isError, true);
      assertStringIncludes(text, "getBrief costs $0.25 a call");
    });

    await t.step("a tool that is not there", async () => {
      await using free = await host(service.url, {});
      const { text } = (await free.call("nosuch")).content[0];
      assertStringIncludes(text, "There is no such tool; there are listCategories, ");
    });

    await t.step("what came in is answered after the host has said all", async () => {
      const message = (rest: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...rest })}\n`;
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--quiet", MAIN, "mcp", service.url],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const host = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: CLIENT };
      await ReadableStream.from([
        message({ id: 1, method: "initialize", params: host }),
        message({ method: "notifications/initialized" }),
        message({ id: 2, method: "tools/call", params: { name: "listCategories" } }),
        message({ id: 3, method: "tools/call", params: { name: "getSampleOpportunity" } }),
        message({ method: "notifications/cancelled", params: { requestId: 3 } }),
      ]).pipeThrough(new TextEncoderStream()).pipeTo(child.stdin);
      const { code, stdout } = await child.output();
      const ids = new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
        JSON.parse(line).id
      );
      // Whether the third is cancelled in time or answered, nobody waits for it.
      assertEquals([code, ids.filter((id) => id !== 3)], [0, [1, 2]]);
    });

    await t.step("with a key, and within the allowance of all sessions together", async () => {
      await using first = await host(service.url, wallet("0.09"));
      assertEquals(first.tools.length, 3 + PAID_ROUTES.length);
      const card = await first.call("getOpportunity", { slug: "want-1" });
      assertEquals(card.structuredContent?.["charged"], true, card.content[0].text);
      // Neither an answer that is given again nor what is refused is counted.
      const trending = await first.call("listTrendingOpportunities");
      const again = await first.call("listTrendingOpportunities");
      assertEquals(again.structuredContent, trending.structuredContent);
      const none = await first.call("getOpportunity", { slug: "nothing" });
      assertStringIncludes(none.content[0].text, "opportunity_not_found");
      await using second = await host(service.url, wallet("0.09"));
      const list = await second.call("listOpportunities", { category: "audio", limit: 1 });
      assertEquals(list.structuredContent?.["charged"], true);
      const over = await second.call("getOpportunity", { slug: "want-2" });
      assertEquals(over.isError, true);
      assertStringIncludes(over.content[0].text, "$0.01 is left of the $0.09 a day");
      assertStringIncludes(over.content[0].text, "Nothing was charged.");
      // What was bought a moment ago costs nothing more, whatever is left of the day.
      const repeated = await first.call("getOpportunity", { slug: "want-1" });
      assertEquals(repeated.structuredContent, card.structuredContent);
      const elsewhere = await second.call("getOpportunity", { slug: "want-1" });
      assertStringIncludes(elsewhere.content[0].text, "What this session itself has paid for");
    });

    await t.step("beyond the allowance the user is asked", async () => {
      await using refused = await host(service.url, wallet("0.09"), false);
      assertEquals((await refused.call("getOpportunity", { slug: "want-2" })).isError, true);
      await using allowed = await host(service.url, wallet("0.09"), true);
      const card = await allowed.call("getOpportunity", { slug: "want-2" });
      assertEquals(card.structuredContent?.["charged"], true, card.content[0].text);
    });

    await t.step(
      "calls at the same time do not pass the allowance, and the user is asked once",
      async () => {
        const own = { ...wallet("0.09"), EVM_PRIVATE_KEY: generatePrivateKey() };
        const all = (of: Host) =>
          Promise.all([0, 1, 2, 3].map((n) => of.call("getOpportunity", { slug: `want-${n}` })));
        await using silent = await host(service.url, own);
        const bought = (await all(silent)).filter(({ isError }) => isError !== true);
        assertEquals(bought.length, 1, "one of $0.05 in $0.09");
        const anew = { ...own, EVM_PRIVATE_KEY: generatePrivateKey() };
        await using asked = await host(service.url, anew, true);
        const answers = await all(asked);
        assertEquals(answers.filter(({ isError }) => isError !== true).length, 4);
        assertEquals(asked.asked, 2, "$0.20 are within three times $0.09, not within two");
      },
    );

    await t.step("an allowance that was lowered has nothing left", async () => {
      await using lowered = await host(service.url, wallet("0.02"));
      const { content: [{ text }] } = await lowered.call("getOpportunity", { slug: "want-3" });
      assertStringIncludes(text, "$0.00 is left of the $0.02 a day");
    });

    await t.step("one line for what is wrong", async () => {
      for (
        const [args, env, says] of [
          [["nowhere"], {}, "nowhere: should be the http address of an instance"],
          [[service.url], { EVM_PRIVATE_KEY: "0x12" }, "EVM_PRIVATE_KEY: should be 0x and 64"],
          [[service.url], { ...wallet("much") }, "MCP_DAILY_USD: should be dollars"],
        ] as const
      ) {
        const { code, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--no-check", "--quiet", MAIN, "mcp", ...args],
          env: { ...env },
        }).output();
        const said = new TextDecoder().decode(stderr);
        assertEquals([code, said.trimEnd().split("\n").length], [1, 1], said);
        assertStringIncludes(said, says);
      }
      const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const address = closed.addr.transport === "tcp" ? closed.addr.port : 0;
      closed.close();
      let why = "";
      await host(`http://127.0.0.1:${address}`, {}).catch((error) => why = String(error));
      assertStringIncludes(why, "does not answer");
    });
    await Deno.remove(state, { recursive: true });
  },
});

Deno.test({
  name: "demand mcp: what could not be signed for is not counted for the day",
  fn: async () => {
    const [network] = NETWORKS;
    const challenge = {
      x402Version: 2,
      resource: { url: "https://demand.example/v1/brief" },
      accepts: [{
        scheme: "exact",
        network: network?.id,
        amount: "50000",
        asset: network?.usdc,
        payTo: `0x${"1".repeat(40)}`,
        // The end of its time is no whole second, which nothing can be signed for.
        maxTimeoutSeconds: 60.5,
      }],
    };
    await using instance = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const { method } = await request.json();
        const content = [{ type: "text", text: "pay first" }];
        const result = method === "tools/list"
          ? { tools: [] }
          : { isError: true, content, structuredContent: challenge };
        return Response.json({ jsonrpc: "2.0", id: 1, result });
      },
    );
    using state = temporaryDirectory();
    await using buying = await host(`http://127.0.0.1:${instance.addr.port}`, {
      EVM_PRIVATE_KEY: generatePrivateKey(),
      MCP_DAILY_USD: "0.09",
      XDG_STATE_HOME: state.path,
    });
    for (let call = 0; call < 2; call++) {
      const { isError, content: [{ text }] } = await buying.call("getBrief");
      assertEquals(isError, true);
      assertStringIncludes(text, "BigInt");
    }
  },
});

Deno.test("an instance is named by its address, with or without /mcp", () => {
  for (
    const [given, address] of [
      ["http://mcp", "http://mcp"],
      ["http://mcp/mcp/", "http://mcp"],
      ["https://demand.example//", "https://demand.example"],
      ["https://demand.example/mcp", "https://demand.example"],
      ["https://me:secret@demand.example:8443/a/mcp", "https://me:secret@demand.example:8443/a"],
      ["http://127.0.0.1:8402/mcp?a=/mcp#b", "http://127.0.0.1:8402"],
      ["http://[::1]:8402/amcp", "http://[::1]:8402/amcp"],
    ] as const
  ) assertEquals(instanceAddress(given), address);
});

Deno.test("an answer of an instance is read no further than a bound", async () => {
  let left = 1_000;
  const megabyte = new Uint8Array(1024 * 1024);
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response(
        new ReadableStream({
          pull: (controller) => left-- > 0 ? controller.enqueue(megabyte) : controller.close(),
        }),
      ),
  );
  await assertRejects(
    () => askUpstream(`http://127.0.0.1:${server.addr.port}`, "tools/list", {}),
    Error,
    "/mcp answers with more than 8 MB",
  );
  assert(left > 0);
});

Deno.test("an instance that redirects is named, and no payment goes to where it points", async () => {
  const local = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  let arrived = 0;
  await using elsewhere = Deno.serve(local, () => {
    arrived++;
    return Response.json({ jsonrpc: "2.0", id: 1, result: {} });
  });
  const target = `http://127.0.0.1:${elsewhere.addr.port}`;
  let location = `${target}/mcp`;
  await using server = Deno.serve(
    local,
    () => new Response(null, { status: 307, headers: { location } }),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const refused = (why: string) =>
    assertRejects(
      () => askUpstream(url, "tools/call", { name: "getBrief", _meta: { payment: "signed" } }),
      Error,
      why,
    );
  await refused(`${url}/mcp redirects to ${target}: give that address`);
  location = `${target}/mcp/`;
  await refused(`${url}/mcp redirects to ${target}: give that address`);
  // Given as the instance's address, these would be asked as before.
  for (location of ["/mcp/", `${url}/mcp`, "/mcp?again"]) {
    const { href } = new URL(location, url);
    await refused(`${url}/mcp redirects to ${href}, and a payment is sent to no other address`);
  }
  location = "mailto:operator@example.com";
  await refused(`${url}/mcp redirects to ${location}, and`);
  assertEquals(arrived, 0);
});
