import { assert, assertEquals, assertLess, assertMatch, assertStringIncludes } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { z } from "zod";
import { PAID_ROUTES } from "../../../routes/all.ts";
import { newAccount } from "../../support/accounts.ts";
import { testEmbedded } from "../../support/database.ts";
import { paymentFor } from "../../support/official_client.ts";
import { RATE_LIMITS } from "../../../routes/pipeline/route_table.ts";
import { type RunningService, startService } from "../shop.ts";
import { sixtyCards } from "../../support/cards.ts";

const toolResult = z.object({
  content: z.array(z.object({ type: z.literal("text"), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
type ToolResult = z.infer<typeof toolResult>;
type Arguments = Record<string, unknown>;

async function connected(service: RunningService): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
  await client.listTools();
  return client;
}

async function call(
  client: Client,
  name: string,
  args: Arguments = {},
  payment?: unknown,
): Promise<ToolResult> {
  const meta = payment === undefined ? {} : { _meta: { "x402/payment": payment } };
  const result = await client.callTool({ name, arguments: args, ...meta });
  return toolResult.parse(result);
}

const textOf = ({ content }: ToolResult): string => {
  return content[0]?.text ?? "";
};

const message = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "getBrief", arguments: {} },
});

/** Sends what a service lets through that answers two challenges a minute, and once more. */
async function countedCalls(service: RunningService): Promise<void> {
  const send = async (body: unknown): Promise<[number, number]> => {
    const answer = await service.call("/mcp", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return [answer.status, text.split('"x402Version":2').length - 1];
  };
  assertEquals(await send(message(1)), [200, 1]);
  assertEquals(await send(message(2)), [200, 1]);
  assertEquals(await send(message(3)), [429, 0]);
}

const refused = z.object({ error: z.object({ code: z.number(), message: z.string() }) });

/** What a tools/call is refused with that a client's own types would not let out. */
async function refusal(
  service: RunningService,
  params: unknown,
): Promise<{ code: number; message: string }> {
  const answer = await service.call("/mcp", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  return refused.parse(await answer.json()).error;
}

const CASES: Record<string, (service: RunningService, client: Client) => Promise<void>> = {
  "every data route is a tool with schemas, and says what it costs": async (_service, client) => {
    const { tools } = await client.listTools();
    assertEquals(tools.length, 3 + PAID_ROUTES.length);
    assertLess(JSON.stringify(tools).length, 12_000);
    for (const tool of tools) {
      assertMatch(tool.name, /^[a-z][A-Za-z]+$/);
      assertEquals([tool.inputSchema.type, tool.outputSchema?.type], ["object", "object"]);
      assertMatch(tool.description ?? "", /Free\.|Costs \$0\.\d\d a call/);
      assert(!/\/v1\/|GET |POST /.test(JSON.stringify(tool)), JSON.stringify(tool));
    }
    const list = tools.find(({ name }) => name === "listOpportunities");
    assertEquals(list?.inputSchema.required, ["category"]);
    const category = z.object({ enum: z.array(z.string()) });
    assert(category.parse(list?.inputSchema.properties?.["category"]).enum.includes("audio"));
  },

  "a free tool answers at once, in text and in structure": async (_service, client) => {
    const result = await call(client, "listCategories");
    assertEquals(JSON.parse(textOf(result)), result.structuredContent);
    assert(!result.isError);
  },

  "every paid tool asks for its payment, takes it, and gives a receipt": async (
    _service,
    client,
  ) => {
    for (const { row, doc } of PAID_ROUTES) {
      const args = doc.inputExample(sixtyCards());
      const asked = await call(client, row.operationId, args);
      assertEquals(asked.isError, true);
      const sentence = textOf(asked);
      assertEquals(asked.structuredContent?.["price"], `$${row.price}`);
      assertEquals(asked.structuredContent?.["charged"], false);
      for (const said of [row.operationId, `$${row.price}`, "nothing was charged", "/docs#"]) {
        assertStringIncludes(sentence, said);
      }
      assert(sentence.length < 300 && !sentence.includes("{"), sentence);
      const challenge = z.looseObject({ x402Version: z.literal(2), accepts: z.array(z.unknown()) })
        .parse(asked.structuredContent);
      const payment = await paymentFor(challenge);
      const paid = await call(client, row.operationId, args, payment);
      assert(!paid.isError, textOf(paid));
      assertEquals(paid.structuredContent?.["charged"], true);
      const receipt = z.looseObject({ success: z.boolean(), transaction: z.string() })
        .parse(paid._meta?.["x402/payment-response"]);
      assertEquals(receipt.success, true);
      const again = await call(client, row.operationId, args, payment);
      assertEquals(again.structuredContent, paid.structuredContent);
      assertEquals(again._meta, paid._meta);
    }
  },

  "a payment made over HTTP buys the same answer here, once": async (service, client) => {
    const asked = await call(client, "getOpportunity", { slug: "want-1" });
    const payment = await paymentFor(asked.structuredContent);
    const header = btoa(JSON.stringify(payment));
    const overHttp = await service.call("/v1/opportunity?slug=want-1", {
      headers: { "PAYMENT-SIGNATURE": header },
    });
    const body = await overHttp.json();
    assertEquals(overHttp.status, 200);
    const here = await call(client, "getOpportunity", { slug: "want-1" }, payment);
    assertEquals(here.structuredContent, body);
    const other = await call(client, "getOpportunity", { slug: "want-2" }, payment);
    assertEquals(other.isError, true);
  },

  "what a payer bought is given again for another payment, here and over HTTP": async (
    service,
    client,
  ) => {
    const account = newAccount();
    const args = { slug: "want-1" };
    const asked = (await call(client, "getOpportunity", args)).structuredContent;
    const [first, second, third] = [
      await paymentFor(asked, account),
      await paymentFor(asked, account),
      await paymentFor(asked, account),
    ];
    const paid = await call(client, "getOpportunity", args, first);
    assertEquals(paid.structuredContent?.["charged"], true);
    const again = await call(client, "getOpportunity", args, second);
    assertEquals([again.structuredContent, again._meta], [paid.structuredContent, paid._meta]);
    const overHttp = await service.call("/v1/opportunity?slug=want-1", {
      headers: { "PAYMENT-SIGNATURE": btoa(JSON.stringify(third)) },
    });
    assertEquals(await overHttp.json(), paid.structuredContent);
  },

  "wrong input is a tool error with the code, and costs nothing": async (_service, client) => {
    const cases: [string, Arguments, string][] = [
      ["listOpportunities", {}, "invalid_category"],
      ["gaugeDemand", {}, "invalid_query"],
      ["listOpportunities", { category: "nope" }, "invalid_category"],
      ["listOpportunities", { category: "audio", minScore: 101 }, "invalid_parameter"],
      ["listOpportunities", { category: ["audio"] }, "invalid_category"],
      ["getOpportunity", { id: "a", slug: "b" }, "invalid_identifier"],
    ];
    for (const [name, args, code] of cases) {
      const result = await call(client, name, args);
      assertEquals(result.isError, true);
      const body = JSON.parse(textOf(result));
      assertEquals([body.error.code, body.charged], [code, false], name);
      assertEquals(body.categories?.includes("audio"), code === "invalid_category" || undefined);
    }
    const none = await call(client, "getOpportunity", { slug: "nothing-like-it" });
    assertStringIncludes(textOf(none), "listTrendingOpportunities and listOpportunities list ids");
  },

  "a payment that is none is refused with the challenge": async (_service, client) => {
    for (const payment of ["", "text", 7, null, [], { x402Version: 2 }]) {
      const result = await call(client, "getBrief", {}, payment);
      assertEquals(result.isError, true, JSON.stringify(payment));
      assertStringIncludes(textOf(result), "was not taken, and nothing was charged");
      assert(Array.isArray(result.structuredContent?.["accepts"]));
    }
  },

  "parameters of a wrong type are refused with the parameter and the rule": async (service) => {
    const cases: [unknown, string][] = [
      [{ name: 7 }, "name"],
      [{}, "name"],
      [{ name: "getBrief", arguments: "gift" }, "arguments"],
      [{ name: "getBrief", arguments: [1] }, "arguments"],
      [undefined, "params"],
    ];
    for (const [params, field] of cases) {
      const error = await refusal(service, params);
      assertEquals(error.code, -32602, JSON.stringify(params));
      assertStringIncludes(error.message, `"${field}"`);
      assertStringIncludes(error.message, "expected");
    }
  },

  "an unknown tool, a batch and a body that is no message are protocol errors": async (
    service,
    client,
  ) => {
    let message = "";
    await client.callTool({ name: "nothing" }).catch((error) => message = String(error));
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).join(", ");
    assertStringIncludes(message, `There is no such tool; there are ${names}.`);
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const broken = await service.call("/mcp", { method: "POST", headers, body: "{" });
    assertEquals([broken.status, (await broken.json()).error.code], [400, -32700]);
    assert(broken.headers.has("X-Request-Id"));
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const batch of [[list], Array(100).fill(list), []]) {
      const body = `\n ${JSON.stringify(batch)}`;
      const refused = await service.call("/mcp", { method: "POST", headers, body });
      const { error, id } = await refused.json();
      assertEquals([refused.status, error.code, id], [400, -32600, null]);
      assertStringIncludes(error.message, "one message a request");
      assert(refused.headers.has("X-Request-Id"));
    }
    const huge = "x".repeat(70_000);
    const large = await service.call("/mcp", { method: "POST", headers, body: huge });
    await large.body?.cancel();
    assertEquals(large.status, 413);
    const get = await service.call("/mcp");
    await get.body?.cancel();
    assertEquals([get.status, get.headers.get("Allow")], [405, "POST, OPTIONS"]);
  },
};

Deno.test({
  name: "the data routes as MCP tools",
  fn: async (t) => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    const client = await connected(service);
    for (const [name, run] of Object.entries(CASES)) await t.step(name, () => run(service, client));
    await client.close();
    await t.step("a tool's call counts once against the limit of challenges", async () => {
      const settings = { rateLimits: { ...RATE_LIMITS, challenges: 2 } };
      await using limited = await startService({ database: test.database, settings });
      await countedCalls(limited);
    });
  },
});
