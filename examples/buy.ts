/**
 * Buys one answer with the official x402 client.
 *
 *   deno run -A examples/buy.ts http://127.0.0.1:8402/v1/opportunities/trending
 *
 * In payment mode `test` no money is needed. To pay for real, put the key of a wallet that holds USDC on
 * the service's network into BUYER_PRIVATE_KEY (start on Base Sepolia).
 */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import process from "node:process";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const url = process.argv[2] ?? "http://127.0.0.1:8402/v1/opportunities/trending";
const key = process.env["BUYER_PRIVATE_KEY"] ?? generatePrivateKey();
const account = privateKeyToAccount(key as `0x${string}`);

const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
});

const response = await pay(url);
const receipt = response.headers.get("PAYMENT-RESPONSE");
console.log(response.status, await response.json());
if (receipt !== null) console.log(decodePaymentResponseHeader(receipt));
