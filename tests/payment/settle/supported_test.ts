/** The start and the doctor hold the same facilitators for good, and neither repeats a key. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { facilitator } from "../../../commands/doctor/payment.ts";
import { readConfig } from "../../../config.ts";
import { systemClock } from "../../../core/clock.ts";
import { OperatorError } from "../../../core/errors.ts";
import { createLog } from "../../../core/log.ts";
import { createRail } from "../../../payment/protocol/rail.ts";
import { TEST_SETTINGS } from "../support/shop.ts";
import { createAuthorize } from "../../../payment/settle/facilitator_auth.ts";
import { createFacilitatorSettler } from "../../../payment/settle/facilitator.ts";

const { network } = createRail(TEST_SETTINGS);
const NETWORK = network.id;
const ours = { x402Version: 2, scheme: "exact", network: NETWORK };
const others = Array.from({ length: 60 }, (_, n) => ({
  ...ours,
  network: `eip155:${100_000 + n}`,
  extra: { feePayer: `0x${String(n).padStart(40, "0")}` },
}));

/** What both say of a facilitator whose /supported answers so, and all that was logged or printed. */
async function judged(answer: () => Response) {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => request.url.endsWith("/hunter2/supported") ? answer() : new Response("no"),
  );
  const url = `http://127.0.0.1:${server.addr.port}/hunter2`;
  const lines: string[] = [];
  const log = createLog({
    level: "debug",
    format: "text",
    write: (line) => lines.push(line),
    now: () => new Date(),
  });
  const authorize = await createAuthorize({ token: null, keyId: null, keySecret: null }, {
    nowSeconds: () => 0,
    random: (bytes) => new Uint8Array(bytes),
  });
  const backend = createFacilitatorSettler({ url, network, authorize, fetch, log });
  const start = await backend.start().then(() => backend.ready(), (error) => error);
  await backend.maintain().catch(() => {});
  const config = readConfig({ PAYMENT_MODE: "facilitator", FACILITATOR_URL: url });
  const finding = await facilitator({ config, clock: systemClock }).catch((error) => {
    lines.push(String(error));
    return { level: "fail", says: "" };
  });
  const said = [...lines, JSON.stringify(finding)].join("\n");
  assert(!said.includes("hunter2"), said);
  return { start, level: finding.level, said };
}

Deno.test("a facilitator that names our network last of many is taken by both", async () => {
  const { start, level, said } = await judged(() => Response.json({ kinds: [...others, ours] }));
  assertEquals([start, level], [true, "ok"]);
  assert(said.includes("http://127.0.0.1:"), said);
});

Deno.test("a facilitator that speaks of our network in version 1 alone is refused by both", async () => {
  const kinds = [...others, { ...ours, x402Version: 1, network: "base" }];
  const { start, level } = await judged(() => Response.json({ kinds }));
  assertEquals(level, "fail");
  await assertRejects(() => Promise.reject(start), OperatorError, NETWORK);
});

Deno.test("an answer without a list, or without an end, is none for both", async () => {
  const endless = () => {
    const piece = new TextEncoder().encode('"eip155:8453" '.repeat(1_000));
    return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(piece) }));
  };
  for (const answer of [endless, () => new Response(`"${NETWORK}"`), () => Response.json([])]) {
    const { start, level } = await judged(answer);
    assertEquals([start, level], [false, "fail"]);
  }
});
