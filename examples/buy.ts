/**
 * Buys one answer with the official x402 client: GET, or POST where a JSON body is given.
 *
 *   deno run -A --config deno.test.json examples/buy.ts http://127.0.0.1:8402/v1/opportunities/trending
 *   deno run -A --config deno.test.json examples/buy.ts http://127.0.0.1:8402/v1/gauge '{"query": "a kettle without plastic"}'
 *
 * In payment mode `test` no money is needed. To pay for real, put the key of a wallet that holds USDC on
 * the service's network into EVM_PRIVATE_KEY (start on Base Sepolia).
 */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import process from "node:process";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const [url = "http://127.0.0.1:8402/v1/opportunities/trending", body] = process.argv.slice(2);

async function buy(): Promise<void> {
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new Error(`${url}: no http address`);
  const key = process.env["EVM_PRIVATE_KEY"]?.trim() || generatePrivateKey();
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) {
    throw new Error("EVM_PRIVATE_KEY: should be 0x and 64 hexadecimal digits");
  }
  const account = privateKeyToAccount(key as `0x${string}`);
  const pay = wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
  });
  const headers = { "content-type": "application/json" };
  const response = await pay(url, body === undefined ? {} : { method: "POST", headers, body });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  console.log(response.status, isJson ? JSON.parse(text) : text.slice(0, 500));
  const receipt = response.headers.get("PAYMENT-RESPONSE");
  if (receipt !== null) console.log(decodePaymentResponseHeader(receipt));
  if (!response.ok) process.exitCode = 1;
}

try {
  await buy();
} catch (error) {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  console.error(`buy: ${String(root).split("\n")[0]}`);
  process.exitCode = 1;
}
