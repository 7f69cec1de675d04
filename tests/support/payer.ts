/** An agent with a key: asks for the challenge, signs what it offers, and asks again with the payment. */
import { encode, sign } from "../payment/support/buyer.ts";
import { newAccount } from "./accounts.ts";

export interface Payer {
  /** The header that pays for one call of `url`: a fresh authorization. */
  header(url: string, init?: RequestInit): Promise<Record<string, string>>;
  /** A paid call. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

/** A payer with an account of its own. */
export function createPayer(): Payer {
  const account = newAccount();
  const header = async (url: string, init: RequestInit = {}): Promise<Record<string, string>> => {
    const response = await fetch(url, init);
    const challenge = await response.json();
    if (response.status !== 402) {
      throw new Error(`${response.status} and not 402: ${JSON.stringify(challenge)}`);
    }
    const [accepted] = challenge.accepts;
    const payload = await sign(account, {
      payTo: accepted.payTo,
      amount: Number(accepted.amount),
    });
    const payment = encode({ x402Version: 2, accepted, payload, resource: challenge.resource });
    return { "payment-signature": payment };
  };
  return {
    header,
    fetch: async (url, init = {}) =>
      await fetch(url, { ...init, headers: { ...init.headers, ...await header(url, init) } }),
  };
}
