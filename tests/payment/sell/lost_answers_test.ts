/** The official client behind a proxy that loses answers: it signs anew, and pays once for each purchase. */
import { assert, assertEquals } from "@std/assert";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { RICH_KEYS } from "../../doubles/chain.ts";
import { payingFetch } from "../../support/official_client.ts";
import { openStage, type Stage, watchMoney } from "../support/stage.ts";
import { QUICK, type Shop } from "../support/shop.ts";

const PURCHASES = Number(Deno.env.get("LOST_ANSWERS_PURCHASES") ?? "250");
const AT_ONCE = 16;

/** What becomes of a call with a payment, in turn. */
const FATES = ["lost after", "answered", "cut at once", "lost after", "lost before", "answered"];

interface LossyProxy extends AsyncDisposable {
  readonly url: string;
  /** Calls with a payment that got no answer. */
  lost: number;
}

/** A proxy that passes calls on to the shops in turn and loses what comes with a payment, or the answer to it. */
async function startProxy(shops: readonly Shop[]): Promise<LossyProxy> {
  let [paid, calls] = [0, 0];
  const server = createServer((incoming, outgoing) => {
    const fate = incoming.headers["payment-signature"] === undefined
      ? "answered"
      : FATES[paid++ % FATES.length];
    if (fate !== "answered") proxy.lost++;
    if (fate === "lost before") return void incoming.socket.destroy();
    const { hostname, port } = new URL(shops[calls++ % shops.length]?.url ?? "");
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      if (fate === "answered") {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      } else answer.resume().on("end", () => incoming.socket.destroy());
    });
    passed.on("error", () => incoming.socket.destroy());
    passed.end();
    if (fate === "cut at once") setTimeout(() => incoming.socket.destroy(), 5);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const proxy: LossyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return proxy;
}

type Pay = (url: string) => Promise<Response>;

/** Buys as an agent does: again from the start whenever nothing came back. */
async function insist(pay: Pay, url: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      const response = await pay(url);
      const text = await response.text();
      if (response.status === 200) return text;
      assert([429, 503].includes(response.status), `${response.status} ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  throw new Error("never answered");
}

async function buyAll(stage: Stage, shops: readonly Shop[]): Promise<void> {
  await using proxy = await startProxy(shops);
  const buyer = await stage.chain.account(100_000_000n);
  const moved = await watchMoney(stage.chain, buyer);
  const pay = payingFetch(buyer);
  const answers: string[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let n = next++; n < PURCHASES; n = next++) {
      const path = n % 2 === 0 ? "/v1/number" : "/v1/read";
      answers[n] = await insist(pay, `${proxy.url}${path}?n=${n}`);
    }
  }));
  assertEquals(answers.map((text) => JSON.parse(text).n), answers.map((_, n) => String(n)));
  assert(proxy.lost >= PURCHASES, `${proxy.lost} calls were lost`);
  await moved(PURCHASES);
  const { sql } = stage.database.database;
  const rows = await sql`
    select route, purchase, count(*)::int as n from payments
    where state = 'settled' and payer = decode(${buyer.address.slice(2)}, 'hex') group by 1, 2`;
  assertEquals(rows.length, PURCHASES);
  assertEquals(rows.filter(({ n }) => n !== 1), []);
}

for (const mode of ["facilitator", "onchain"] as const) {
  Deno.test({
    name: `answers that are lost cost nothing more, settling by ${mode}, on two replicas`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using stage = await openStage(RICH_KEYS[0]);
      const open = mode === "facilitator" ? stage.viaFacilitator : stage.viaWallet;
      // The chain of the test mines when it is sent something, which takes its time where much is sent.
      const timing = { ...QUICK, facilitator: {}, onchain: { receiptMs: 20_000, pollMs: 20 } };
      await using one = await open({ timing });
      await using other = await open({ timing });
      await buyAll(stage, [one, other]);
    },
  });
}
