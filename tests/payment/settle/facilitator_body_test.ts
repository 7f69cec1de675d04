/** What a facilitator is sent: the JSON of the payment and of our own description, once. */
import { assertEquals } from "@std/assert";
import { createPaymentRequired } from "../../../payment/protocol/payment_required.ts";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLog } from "../../../core/log.ts";
import { createFacilitatorSettler } from "../../../payment/settle/facilitator.ts";
import { createRail } from "../../../payment/protocol/rail.ts";
import type { PaymentPayload } from "../../../payment/protocol/payment_payload.ts";
import type { JsonObject } from "../../../core/json.ts";
import { OFFERS, TEST_SETTINGS } from "../support/shop.ts";

const rail = createRail(TEST_SETTINGS);
const paymentRequired = createPaymentRequired(OFFERS.number, rail, TEST_SETTINGS);

const payment = (extensions: JsonObject | null): PaymentPayload => ({
  version: 2,
  scheme: "exact",
  network: "eip155:8453",
  accepted: null,
  authorization: {
    from: `0x${"1".repeat(40)}`,
    to: `0x${"2".repeat(40)}`,
    value: 10_000n,
    validAfter: 0n,
    validBefore: 2n ** 200n,
    nonce: `0x${"3".repeat(64)}`,
  },
  signature: `0x${"4".repeat(130)}`,
  resourceUrl: null,
  extensions,
});

const CASES: readonly [string, JsonObject | null, JsonObject | undefined][] = [
  ["no extensions", null, undefined],
  ["empty ones", {}, {}],
  ["others' as they came", { 'a"b': [1, "é\u2028"], c: null }, { 'a"b': [1, "é\u2028"], c: null }],
  [
    "our own description for the buyer's",
    { bazaar: { info: "another" }, "payment-identifier": { info: { id: "x".repeat(16) } } },
    {
      bazaar: paymentRequired.extensions["bazaar"],
      "payment-identifier": { info: { id: "x".repeat(16) } },
    },
  ],
];

/** Bodies that `settle` sends, by a settler that has started; `answer` says what each gets. */
async function settled(
  extensions: JsonObject | null,
  answer: (response: ServerResponse, count: number) => void,
) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.setHeader("content-type", "application/json");
    if (request.url === "/settle") return answer(response, bodies.push(body));
    response.end(JSON.stringify({
      kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:8453" }],
    }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const settler = createFacilitatorSettler({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      network: rail.network,
      authorize: () => ({}),
      fetch,
      log: silentLog,
      timing: { retryMs: 10 },
    });
    // The connection that this leaves open is the one that settles.
    await settler.start();
    assertEquals(settler.ready(), true);
    const order = { payment: payment(extensions), paymentRequired };
    return { result: await settler.settle(order, { id: 1, fencingToken: 1 }), bodies };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const refuse = (response: ServerResponse): void => {
  response.end(
    JSON.stringify({ success: false, errorReason: "insufficient_funds", transaction: "" }),
  );
};

for (const [name, extensions, sent] of CASES) {
  Deno.test(`a facilitator is sent ${name}`, async () => {
    const { authorization, signature } = payment(extensions);
    const { bodies: [body = "", ...more] } = await settled(extensions, refuse);
    assertEquals(more, []);
    assertEquals(JSON.parse(body), {
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        resource: paymentRequired.resource,
        accepted: paymentRequired.requirements,
        payload: {
          signature,
          authorization: {
            ...authorization,
            value: "10000",
            validAfter: "0",
            validBefore: String(2n ** 200n),
          },
        },
        ...(sent === undefined ? {} : { extensions: sent }),
      },
      paymentRequirements: paymentRequired.requirements,
    });
  });
}

Deno.test("a settlement whose kept connection is cut is not sent again unseen", async () => {
  const { result, bodies } = await settled(
    null,
    (response, count) => count === 1 ? void response.socket?.destroy() : refuse(response),
  );
  // A refusal of the second request says nothing of the first.
  assertEquals(result, { kind: "unknown", why: "insufficient_funds" });
  assertEquals([bodies.length, bodies[1]], [2, bodies[0]]);
});
