/**
 * How `demand mcp` buys an answer: within the day's allowance, signed for once, and sent again as long as nobody
 * knows what became of the payment.
 */
import { z } from "zod";
import { type Clock, unixSeconds } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { DOLLAR_UNITS, REPEAT_SECONDS } from "../../db/ledger/types.ts";
import { type Buyer, readQuote } from "../../payment/mod.ts";
import { PAYMENT_KEY, RECEIPT_KEY } from "../../routes/mcp/tools.ts";
import type { Allowance } from "./allowance.ts";
import { askUpstream } from "./upstream.ts";

/** A settlement whose outcome is open is asked for again, with the same payment. */
const TRIES = 5;
const WAIT_MS = 5_000;
const AGAIN = "the same call within 15 minutes gets the answer and is not charged again";

/** The result of a tool, of which the fields that are needed are parsed where they are read. */
type CallResult = Record<string, unknown>;

/**
 * Who pays, and within which allowance; `dailyUsd` is the day's limit in dollars, as the user is
 * told.
 */
export interface BuyerWallet {
  readonly buyer: Buyer;
  readonly allowance: Allowance;
  readonly dailyUsd: string;
}

/** Pays for a call and gives its answer; `asked` is what the call gave without a payment. */
type BuyCall = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  asked: CallResult,
) => Promise<CallResult>;

/** The result of a tool that failed, in a sentence. */
export const errorResult = (text: string): CallResult => ({
  isError: true,
  content: [{ type: "text", text }],
});

const usd = (amount: number): string => `$${(Math.max(0, amount) / DOLLAR_UNITS).toFixed(2)}`;

const receipt = z.looseObject({
  _meta: z.looseObject({ [RECEIPT_KEY]: z.looseObject({ transaction: z.string().min(1) }) }),
});

/** The transaction that paid for a result; null where it names none. */
function transactionOf(result: CallResult): string | null {
  const read = receipt.safeParse(result);
  return read.success ? read.data._meta[RECEIPT_KEY].transaction : null;
}

const failure = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
});

/** Whether a result was charged: null where that is not known yet. */
function chargedOf(result: CallResult): boolean | null {
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

/**
 * Makes what buys from the instance at `url`. `mayExceed` asks the user whether more than the allowance may be spent on
 * a tool of this price.
 */
export function createBuyCall(
  url: string,
  { buyer, allowance, dailyUsd }: BuyerWallet,
  clock: Clock,
  mayExceed: (name: string, price: string) => Promise<boolean>,
): BuyCall {
  /** What bought the answers of this session: sent again it moves no money, so no allowance is asked. */
  const bought = new Map<string, { readonly payment: unknown; readonly at: number }>();

  /** The answer that this call bought a moment ago; null where it bought none, or none is kept of it. */
  const repeated = async (
    name: string,
    args: Readonly<Record<string, unknown>>,
  ): Promise<CallResult | null> => {
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
  const reserveOrAsk = (name: string, amount: number) => {
    const reserved = asking.then(async () => {
      for (;;) {
        const reservation = await allowance.reserve(amount);
        if (reservation !== null) return reservation;
        if (!await mayExceed(name, usd(amount))) return null;
        allowance.extend();
      }
    });
    asking = reserved.catch(() => {});
    return reserved;
  };

  /** Signs for what was asked and calls again; the same payment is sent as long as its outcome is open. */
  return async (name, args, asked) => {
    const quote = readQuote(asked["structuredContent"]);
    if (quote === null) return asked;
    const first = await repeated(name, args);
    if (first !== null) return first;
    const price = usd(quote.amount);
    const reservation = await allowance.reserve(quote.amount) ??
      await reserveOrAsk(name, quote.amount);
    if (reservation === null) {
      return errorResult(
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
}
