/**
 * Payment against the official middleware, on Deno, on Bun and on Node, where most of its users run it:
 * `deno task bench payment`. Same handler, facilitator, machine and run, taking turns; prints ratios.
 *
 * All payments are signed before the clock runs. The client and the facilitator do the least they can, in
 * processes of their own. A call counts when it was answered 200 with a receipt, and every server must
 * have settled as many payments as it was sent.
 */
import { secp256k1 } from "@bitauth/libauth";
import { recoverAddress } from "viem";
import { keccak, toHex } from "../payment/evm/hex.ts";
import { recoverSigner } from "../payment/evm/signature.ts";
import { median } from "./support/measure.ts";
import { ownDatabase } from "./support/own_database.ts";
import {
  bareRequests,
  type Load,
  load,
  paidRequests,
  type Server,
  start,
} from "./support/payment_load.ts";

const CONNECTIONS = 64;
const CALLS = Number(Deno.env.get("BENCH_CALLS") ?? "2000");
const ROUNDS = 3;

/** The median of what the rounds gave. */
function medianOf(loads: readonly Load[]): Load {
  return {
    perSecond: median(loads.map(({ perSecond }) => perSecond)),
    cpu: median(loads.map(({ cpu }) => cpu)),
  };
}

/** Loads the servers in turn, so that the machine's other work falls on all of them. */
async function compare(
  servers: ReadonlyMap<string, Server>,
  loadOne: (server: Server) => Promise<Load>,
): Promise<Map<string, Load>> {
  const rounds = new Map<string, Load[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, server] of servers) {
      const one = await loadOne(server);
      // The first round warms up.
      if (round > 0) rounds.set(name, [...rounds.get(name) ?? [], one]);
    }
  }
  const results = new Map<string, Load>();
  for (const [name, loads] of rounds) {
    const one = medianOf(loads);
    results.set(name, one);
    const rate = `${one.perSecond.toFixed(0).padStart(6)}/s`;
    console.log(`${name.padEnd(20)} ${rate}  ${one.cpu.toFixed(0).padStart(5)} us CPU a call`);
  }
  return results;
}

function ratio(a: Load | undefined, b: Load | undefined): string {
  if (a === undefined || b === undefined) return "not measured";
  const rate = a.perSecond / b.perSecond;
  return `${rate.toFixed(2)}x by rate, ${(b.cpu / a.cpu).toFixed(2)}x by CPU`;
}

/** The CPU of a paid call, ledger included, beside that of the official middleware on the same runtime. */
function cpuRatio(paid: ReadonlyMap<string, Load>, runtime: string): string {
  const [ours, official] = [paid.get(`ours on ${runtime}`), paid.get(`official on ${runtime}`)];
  if (ours === undefined || official === undefined) return "not measured";
  return `${(ours.cpu / official.cpu).toFixed(2)}x of the official middleware's CPU`;
}

/** Signatures a second: ours and viem's, on the same ones. */
async function signatures(): Promise<void> {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const samples = Array.from({ length: 300 }, (_, i) => {
    const digest = keccak(new Uint8Array([i & 255, i >> 8]));
    const signed = secp256k1.signMessageHashRecoverableCompact(key, digest);
    if (typeof signed === "string") throw new Error(signed);
    const v = (27 + signed.recoveryId).toString(16);
    return { digest, signature: (toHex(signed.signature) + v) as `0x${string}` };
  });
  type Check = (sample: typeof samples[number]) => unknown;
  const time = async (check: Check): Promise<number> => {
    const started = performance.now();
    for (const sample of samples) await check(sample);
    return samples.length / (performance.now() - started) * 1000;
  };
  const checks: Check[] = [
    ({ digest, signature }) => recoverSigner(digest, signature),
    ({ digest, signature }) => recoverAddress({ hash: digest, signature }),
  ];
  for (const check of checks) await time(check);
  const [ours = NaN, viem = NaN] = [await time(checks[0]!), await time(checks[1]!)];
  const show = (rate: number): string => `${rate.toFixed(0)}/s`;
  console.log(
    `signatures: ${show(ours)}, viem ${show(viem)}: ${(ours / viem).toFixed(2)}x (target 3)`,
  );
}

/** Whether Node is there to run the official middleware on. */
function hasNode(): boolean {
  try {
    return new Deno.Command("node", { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

const own = await ownDatabase("payment");
try {
  await using facilitator = await start("deno", "payment_facilitator_server.ts");
  const { url } = facilitator;
  await using servers = new AsyncDisposableStack();
  const open = async (...args: Parameters<typeof start>): Promise<Server> =>
    servers.use(await start(...args));
  const ours = await open("deno", "payment_server.ts", "ours", url, own.url);
  const oursOnBun = await open("bun", "payment_server.ts", "ours", url, own.url);
  const plain = await open("deno", "payment_server.ts", "static");
  const sellers = new Map<string, Server>([["ours on Deno", ours], ["ours on Bun", oursOnBun]]);
  sellers.set("official on Deno", await open("deno", "payment_server.ts", "official", url));
  sellers.set("official on Bun", await open("bun", "payment_server.ts", "official", url));
  if (hasNode()) {
    sellers.set("official on Node", await open("node", "payment_official_node.mjs", url));
  }
  const paid = await compare(sellers, async (server) => {
    const requests = await paidRequests(server, CALLS);
    const before = await facilitator.report();
    const one = await load(server, requests, { connections: CONNECTIONS, status: 200, paid: true });
    const settled = (await facilitator.report())["settle"] ?? 0;
    if (settled - (before["settle"] ?? 0) !== CALLS) throw new Error("not settled once each");
    return one;
  });
  for (const runtime of ["Deno", "Bun"]) {
    console.log(`paid on ${runtime}: ${cpuRatio(paid, runtime)} (target 1 at most)`);
  }
  const free = await compare(
    new Map([["static route", plain], ["challenge", ours]]),
    (server) =>
      load(server, bareRequests(server, 10 * CALLS), {
        connections: CONNECTIONS,
        status: server === ours ? 402 : 200,
        paid: false,
      }),
  );
  console.log(
    `challenge: a static route is ${ratio(free.get("static route"), free.get("challenge"))} ` +
      `(target 2 at most)`,
  );
  await signatures();
} finally {
  await own.drop();
}
