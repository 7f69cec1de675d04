/** The official client of x402 with accounts of the tests. */
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { z } from "zod";
import { newAccount } from "./accounts.ts";

/** A fetch that pays what it is asked for. */
export function payingFetch(account = newAccount()): typeof fetch {
  const client = new ExactEvmScheme(account);
  return wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: "eip155:*", client }] });
}

/** The payment that a challenge asks for. */
export async function paymentFor(challenge: unknown, account = newAccount()): Promise<unknown> {
  const payer = new x402Client().register("eip155:*", new ExactEvmScheme(account));
  const required = z.custom<Parameters<typeof payer.createPaymentPayload>[0]>().parse(challenge);
  return await payer.createPaymentPayload(required);
}
