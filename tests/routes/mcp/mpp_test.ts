/** The stock client of MPP over MCP, unmodified, and what may go wrong with its credentials there. */
import { assert, assertEquals } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { evm } from "mppx/client";
import { McpClient } from "mppx/mcp/client";
import { z } from "zod";
import { PAID_ROUTES } from "../../../routes/all.ts";
import { USDC } from "../../doubles/chain.ts";
import { newAccount } from "../../support/accounts.ts";
import { testEmbedded } from "../../support/database.ts";
import { type RunningService, startService } from "../shop.ts";
import { sixtyCards } from "../../support/cards.ts";

const toolResult = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});

async function connected(service: RunningService): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
  await client.listTools();
  return client;
}

const methods = () => [
  evm({
    account: newAccount(),
    currencies: [USDC],
    networks: [8453],
    authorization: { name: "USD Coin", version: "2" },
  }),
];

Deno.test({
  name: "the stock client of MPP buys every tool, and what is no credential is refused",
  fn: async () => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    const buyer = McpClient.wrap(await connected(service), { methods: methods() });
    for (const { row, doc } of PAID_ROUTES) {
      const args = { ...doc.inputExample(sixtyCards()) };
      const result = toolResult.parse(
        await buyer.callTool({ name: row.operationId, arguments: args }),
      );
      assert(!result.isError, JSON.stringify(result));
      assertEquals(result.structuredContent?.["charged"], true);
      const receipt = z.looseObject({ status: z.literal("success"), reference: z.string() })
        .parse(result._meta?.["org.paymentauth/receipt"]);
      assert(receipt.reference.startsWith("0x"));
    }
    const plain = await connected(service);
    const asked = toolResult.parse(await plain.callTool({ name: "getBrief", arguments: {} }));
    assertEquals(asked.structuredContent?.["x402Version"], 2);
    const required = z.object({
      httpStatus: z.literal(402),
      challenges: z.array(z.looseObject({ id: z.string(), request: z.looseObject({}) })).length(1),
      problem: z.undefined().optional(),
    });
    required.parse(asked._meta?.["org.paymentauth/payment-required"]);
    const deep: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
    const deepRequest = { challenge: { request: { deep } } };
    for (const credential of [7, null, {}, { challenge: {} }, "text", { deep }, deepRequest]) {
      const _meta = { "org.paymentauth/credential": credential };
      const refused = toolResult.parse(
        await plain.callTool({ name: "getBrief", arguments: {}, _meta }),
      );
      const { problem } = z.object({ problem: z.looseObject({ type: z.string() }) }).parse(
        refused._meta?.["org.paymentauth/payment-required"],
      );
      assertEquals(problem.type, "https://paymentauth.org/problems/malformed-credential");
    }
  },
});
