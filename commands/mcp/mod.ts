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
import { type Clock, dayOf, unixSeconds } from "../../core/clock.ts";
import { messageOf, OperatorError } from "../../core/errors.ts";
import { REPEAT_SECONDS } from "../../db/ledger/types.ts";
import { baseUnits, type Buyer, createBuyer, readQuote } from "../../payment/mod.ts";
import { PAYMENT_KEY, PRICE_KEY, RECEIPT_KEY } from "../../routes/mcp/tools.ts";
import { SERVICE_NAME } from "../../routes/pipeline/words.ts";
import { VERSION } from "../../version.ts";
import { type Allowance, createAllowance, spendingFolder } from "./allowance.ts";
import { watchAnswers } from "./answered.ts";
import { askUpstream, instanceAddress } from "./upstream.ts";

const LOCAL = "http://127.0.0.1:8402";
const DAILY_USD = "1";
/** A settlement whose outcome is open is asked for again, with the same payment. */
const TRIES = 5;
const WAIT_MS = 5_000;
const AGAIN = "the same call within 15 minutes gets the answer and is not charged again";

type Result = Record<string, unknown>;

interface Wallet {
  readonly buyer: Buyer;
  readonly allowance: Allowance;
  readonly dailyUsd: string;
}

const listed = z.object({
  tools: z.array(z.looseObject({ _meta: z.record(z.string(), z.unknown()).optional() })),
});

const sentence = (text: string): Result => ({
  isError: true,
  content: [{ type: "text", text }],
});

const usd = (amount: number): string => `$${(Math.max(0, amount) / 1_000_000).toFixed(2)}`;

const receipt = z.looseObject({
  _meta: z.looseObject({ [RECEIPT_KEY]: z.looseObject({ transaction: z.string().min(1) }) }),
});

/** The transaction that paid for a result; null where it names none. */
function transactionOf(result: Result): string | null {
  const read = receipt.safeParse(result);
  return read.success ? read.data._meta[RECEIPT_KEY].transaction : null;
}

const failure = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
});

/** Whether a result was charged: null where that is not known yet. */
function chargedOf(result: Result): boolean | null {
  const { structuredContent } = result;
  const answer = z.object({ charged: z.boolean() }).safeParse(structuredContent);
  if (answer.success) return answer.data.charged;
  try {
    const text = failure.parse(result).content[0].text;
    return z.object({ charged: z.boolean().nullable() }).parse(JSON.parse(text)).charged;
  } catch {
    return null;
  }
}

/** Reads the wallet of the environment; null if there is none. @throws OperatorError for a wrong setting. */
async function walletOf(
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Promise<Wallet | null> {
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
function createServer(url: string, wallet: Wallet | null, clock: Clock): Server {
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

  /** What bought the answers of this session: sent again it moves no money, so no allowance is asked. */
  const bought = new Map<string, { readonly payment: unknown; readonly at: number }>();

  /** The answer that this call bought a moment ago; null where it bought none, or none is kept of it. */
  const repeated = async (
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Result | null> => {
    const now = clock.now().getTime();
    for (const [call, { at }] of bought) if (now - at >= REPEAT_SECONDS * 1000) bought.delete(call);
    const payment = bought.get(JSON.stringify([name, args]))?.payment;
    if (payment === undefined) return null;
    const call = { name, arguments: args, _meta: { [PAYMENT_KEY]: payment } };
    const result = await askUpstream(url, "tools/call", call);
    return chargedOf(result) === true ? result : null;
  };

  /** Questions to the user, of which the next waits for the answer to the one before. */
  let asking: Promise<unknown> = Promise.resolve();

  /** Reserves what a call costs, asking the user for more as long as it does not fit; null where the user refuses. */
  const reserveOrAsk = ({ allowance, dailyUsd }: Wallet, name: string, amount: number) => {
    const reserved = asking.then(async () => {
      for (;;) {
        const reservation = await allowance.reserve(amount);
        if (reservation !== null) return reservation;
        if (!await mayExceed(server, name, usd(amount), dailyUsd)) return null;
        allowance.extend();
      }
    });
    asking = reserved.catch(() => {});
    return reserved;
  };

  /** Signs for what was asked and calls again; the same payment is sent as long as its outcome is open. */
  const paid = async (
    wallet: Wallet,
    name: string,
    args: Readonly<Record<string, unknown>>,
    asked: Result,
  ): Promise<Result> => {
    const { buyer, allowance, dailyUsd } = wallet;
    const quote = readQuote(asked["structuredContent"]);
    if (quote === null) return asked;
    const first = await repeated(name, args);
    if (first !== null) return first;
    const price = usd(quote.amount);
    const reservation = await allowance.reserve(quote.amount) ??
      await reserveOrAsk(wallet, name, quote.amount);
    if (reservation === null) {
      return sentence(
        `${name} costs ${price}, and ${
          usd(await allowance.left())
        } is left of the $${dailyUsd} a day ` +
          "that MCP_DAILY_USD allows. Nothing was charged. What this session itself has paid for, it is " +
          `given again for ${REPEAT_SECONDS / 60} minutes, whatever is left.`,
      );
    }
    // Only what was signed for can be charged.
    const payment = await buyer.pay(quote, unixSeconds(clock.now())).catch(async (error) => {
      await reservation.release();
      throw error;
    });
    const call = { name, arguments: args, _meta: { [PAYMENT_KEY]: payment } };
    for (let attempt = 1;; attempt++) {
      const result = await askUpstream(url, "tools/call", call).catch((error) => {
        throw new Error(`${messageOf(error)}. ${price} may have been paid: ${AGAIN}`);
      });
      const charged = chargedOf(result);
      const transaction = charged === true ? transactionOf(result) : null;
      // The first answer, given again: what was signed for it now is never presented.
      const isRepeated = transaction !== null && !await allowance.isNew(transaction);
      if (charged === false || isRepeated) await reservation.release();
      if (charged === true && !isRepeated) {
        bought.set(JSON.stringify([name, args]), { payment, at: clock.now().getTime() });
      }
      if (charged !== null || attempt === TRIES) return result;
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  };

  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { name, arguments: args = {} } = params;
    try {
      const result = await askUpstream(url, "tools/call", { name, arguments: args });
      return wallet === null ? result : await paid(wallet, name, args, result);
    } catch (error) {
      return sentence(`${messageOf(error).replace(/\.$/, "")}.`);
    }
  });
  return server;
}

/** Serves until the host closes the pipe and has its answers, or a signal comes: hosts send one where they wait no longer. */
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
