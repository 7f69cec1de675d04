/**
 * The official middleware as its users assemble it, and the answer that all servers of bench/payment.ts
 * sell. Plain JavaScript, because it runs on Deno and on Node.
 */
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { declareDiscoveryExtension } from "@x402/extensions/bazaar";
import { declarePaymentIdentifierExtension } from "@x402/extensions/payment-identifier";
import { paymentMiddleware, x402ResourceServer } from "@x402/hono";
import { Hono } from "hono";

export const PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
export const NETWORK = "eip155:8453";

/** About 1.4 KB, like a short list of cards. */
export const ANSWER = {
  opportunities: Array.from({ length: 7 }, (_, i) => ({
    id: `opp_${"abcdefghijklmnop".slice(i)}${"x".repeat(i)}`,
    slug: "headphones-whose-cable-does-not-fray",
    title: "Headphones whose cable does not fray",
    category: "audio",
    score: 71.5,
    signalCount: 42,
    lastSeen: "2025-01-31T12:00:00.000Z",
  })),
  fetchedAt: "2025-01-31T12:00:00.000Z",
};

/** The application that sells the answer, with default options and the facilitator at `url`. */
export function officialApp(url) {
  const server = new x402ResourceServer(new HTTPFacilitatorClient({ url }))
    .register(NETWORK, new ExactEvmScheme());
  const app = new Hono();
  app.use(paymentMiddleware(
    {
      "GET /paid": {
        accepts: { scheme: "exact", price: "$0.01", network: NETWORK, payTo: PAY_TO },
        description: "A list",
        mimeType: "application/json",
        extensions: {
          ...declareDiscoveryExtension({
            input: {},
            inputSchema: { properties: {} },
            output: { example: { opportunities: [] } },
          }),
          "payment-identifier": declarePaymentIdentifierExtension(),
        },
      },
    },
    server,
  ));
  app.get("/paid", (c) => c.json({ ...ANSWER, charged: true }));
  return app;
}
