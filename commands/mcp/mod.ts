/**
 * `demand mcp [URL]`: the tools of an instance over standard input and output, for hosts that know no remote
 * servers and have no wallet. Paid ones are signed for here, within an allowance a day.
 */
import { randomUUID } from "node:crypto";
import process from "node:process";
import { Server } from "@modelcontextprotocol/sdk/server";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { type Clock, dayOf } from "../../core/clock.ts";
import { messageOf, OperatorError } from "../../core/errors.ts";
import { baseUnits, createBuyer } from "../../payment/mod.ts";
import { PRICE_KEY } from "../../routes/mcp/tools.ts";
import { SERVICE_NAME } from "../../routes/pipeline/words.ts";
import { VERSION } from "../../version.ts";
import { createAllowance, spendingFolder } from "./allowance.ts";
import { watchAnswers } from "./answered.ts";
import { type BuyerWallet, createBuyCall, errorResult } from "./buy.ts";
import { askUpstream, instanceAddress } from "./upstream.ts";

const LOCAL = "http://127.0.0.1:8402";
const DAILY_USD = "1";

const listed = z.object({
  tools: z.array(z.looseObject({ _meta: z.record(z.string(), z.unknown()).optional() })),
});

/** Reads the wallet of the environment; null if there is none. @throws OperatorError for a wrong setting. */
async function walletOf(
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Promise<BuyerWallet | null> {
  const key = environment["EVM_PRIVATE_KEY"]?.trim() ?? "";
  if (key === "") return null;
  const dailyUsd = environment["MCP_DAILY_USD"]?.trim() || DAILY_USD;
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(dailyUsd)) {
    throw new OperatorError('MCP_DAILY_USD: should be dollars, such as "1" or "0.50"');
  }
  const buyer = await createBuyer(key);
  const allowance = createAllowance(
    spendingFolder(environment, buyer.address),
    baseUnits(dailyUsd),
    () => dayOf(clock.now()),
    randomUUID,
  );
  return { buyer, allowance, dailyUsd };
}

/** Asks the user, where the host can, whether more than the allowance may be spent. */
async function mayExceed(
  server: Server,
  name: string,
  price: string,
  daily: string,
): Promise<boolean> {
  if (server.getClientCapabilities()?.elicitation === undefined) return false;
  const { action, content } = await server.elicitInput({
    message: `${name} costs ${price}, which is more than is left of today's $${daily}. ` +
      `Allow another $${daily} today?`,
    requestedSchema: {
      type: "object",
      properties: { allow: { type: "boolean", title: `Spend up to $${daily} more today` } },
      required: ["allow"],
    },
  });
  return action === "accept" && content?.["allow"] === true;
}

/** Makes the server in front of the instance at `url`. */
function createServer(url: string, wallet: BuyerWallet | null, clock: Clock): Server {
  const about = wallet === null
    ? "Only the free tools: EVM_PRIVATE_KEY, the key of a wallet with USDC, adds the paid ones."
    : `Paid tools are paid from ${wallet.buyer.address}, up to $${wallet.dailyUsd} a day.`;
  const server = new Server(
    { name: "demand-intelligence", title: SERVICE_NAME, version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: "What physical products people want and cannot find, from what they write in " +
        `public communities. Start with listCategories. ${about} No error is ever charged.`,
    },
  );

  server.setRequestHandler(ListToolsRequestSchema, async () => {
    const { tools } = listed.parse(await askUpstream(url, "tools/list", {}));
    return { tools: tools.filter(({ _meta }) => wallet !== null || _meta?.[PRICE_KEY] === null) };
  });

  const buy = wallet === null
    ? null
    : createBuyCall(url, wallet, clock, (name, price) =>
      mayExceed(server, name, price, wallet.dailyUsd));

  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { name, arguments: args = {} } = params;
    try {
      const result = await askUpstream(url, "tools/call", { name, arguments: args });
      return buy === null ? result : await buy(name, args, result);
    } catch (error) {
      return errorResult(`${messageOf(error).replace(/\.$/, "")}.`);
    }
  });
  return server;
}

/**
 * Serves the tools of the instance at `address` (one on this machine where none is given) over
 * standard input and output, until the host closes the pipe and has its answers, or a signal comes:
 * hosts send one where they wait no longer. Gives the exit code.
 * @throws OperatorError for a wrong address, or a wrong setting of the wallet.
 */
export async function runMcp(address: string | undefined, clock: Clock): Promise<number> {
  const url = instanceAddress(address ?? LOCAL);
  const server = createServer(url, await walletOf(process.env, clock), clock);
  const transport = new StdioServerTransport();
  const answered = watchAnswers(transport);
  const closed = new Promise<void>((resolve) => {
    process.stdin.on("end", resolve);
    process.stdin.on("close", resolve);
  });
  const stopped = new Promise<void>((resolve) => {
    process.on("SIGTERM", () => resolve());
    process.on("SIGINT", () => resolve());
  });
  await server.connect(transport);
  await Promise.race([closed.then(answered), stopped]);
  await server.close();
  return 0;
}
