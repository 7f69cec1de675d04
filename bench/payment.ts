/**
 * Payment against the official middleware: `deno run -A bench/payment.ts`, with BENCH_DATABASE_URL naming
 * a Postgres. Same handler, facilitator, machine and run; prints ratios.
 */
import { secp256k1 } from "@bitauth/libauth";
import { Buffer } from "node:buffer";
import postgres from "postgres";
import { recoverAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { toHex } from "../payment/hex.ts";
import { keccak } from "../payment/keccak.ts";
import { authorizationDigest, domainSeparator, recoverSigner } from "../payment/signature.ts";
import { PAY_TO } from "./payment_server.ts";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const CONCURRENCY = 64;
const PAYERS = 256;
const CALLS = Number(Deno.env.get("BENCH_CALLS") ?? "6000");
const domain = { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: USDC } as const;
const separator = domainSeparator({ ...domain, verifyingContract: USDC.toLowerCase() });

interface Server extends AsyncDisposable {
  readonly url: string;
  /** Microseconds of CPU since the start. */
  cpu(): Promise<number>;
}

async function start(...args: string[]): Promise<Server> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      new URL("./payment_server.ts", import.meta.url).pathname,
      ...args,
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const line = async (): Promise<string> => {
    let text = "";
    while (!text.endsWith("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the server ended");
      text += value;
    }
    return text.trim();
  };
  return {
    url: `http://127.0.0.1:${await line()}`,
    cpu: async () => {
      await writer.write(new Uint8Array([10]));
      return Number(await line());
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

const payers = Array.from({ length: PAYERS }, () => {
  const key = crypto.getRandomValues(new Uint8Array(32));
  return { key, address: privateKeyToAccount(toHex(key) as `0x${string}`).address };
});

/** Signed payment headers, as the official client makes them: with the server's own description echoed. */
async function headers(server: Server, count: number): Promise<string[]> {
  const bare = await fetch(`${server.url}/paid`);
  await bare.body?.cancel();
  const { resource, extensions } = JSON.parse(
    Buffer.from(bare.headers.get("payment-required") ?? "", "base64").toString(),
  );
  const now = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, i) => {
    const payer = payers[i % PAYERS];
    if (payer === undefined) throw new Error("no payer");
    const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
    const authorization = {
      from: payer.address,
      to: PAY_TO,
      value: "10000",
      validAfter: String(now - 600),
      validBefore: String(now + 300),
      nonce,
    };
    const digest = authorizationDigest(separator, {
      from: payer.address.toLowerCase(),
      to: PAY_TO.toLowerCase(),
      value: 10000n,
      validAfter: BigInt(now - 600),
      validBefore: BigInt(now + 300),
      nonce,
    });
    const signed = secp256k1.signMessageHashRecoverableCompact(payer.key, digest);
    if (typeof signed === "string") throw new Error(signed);
    const v = (27 + signed.recoveryId).toString(16);
    const payload = { signature: toHex(signed.signature) + v, authorization };
    const accepted = {
      scheme: "exact",
      network: "eip155:8453",
      amount: "10000",
      asset: USDC,
      payTo: PAY_TO,
      maxTimeoutSeconds: 300,
      extra: { name: "USD Coin", version: "2" },
    };
    return Buffer.from(JSON.stringify({ x402Version: 2, payload, resource, accepted, extensions }))
      .toString("base64");
  });
}

interface Rate {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly failures: number;
}

/** Calls a server with so many at once, each with a header of its own or none. */
async function drive(server: Server, count: number, payments: string[] | null): Promise<Rate> {
  let next = 0;
  let failures = 0;
  const client = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const header = payments?.[i];
      const response = await fetch(
        `${server.url}/paid`,
        header === undefined ? {} : { headers: { "PAYMENT-SIGNATURE": header } },
      );
      await response.text();
      if (header !== undefined && response.status !== 200) failures++;
    }
  };
  const [cpu, started] = [await server.cpu(), performance.now()];
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  const seconds = (performance.now() - started) / 1000;
  return {
    perSecond: count / seconds,
    cpuMicros: (await server.cpu() - cpu) / count,
    failures,
  };
}

const show = (name: string, { perSecond, cpuMicros, failures }: Rate): void =>
  console.log(
    `${name.padEnd(28)} ${perSecond.toFixed(0).padStart(6)}/s  ` +
      `${cpuMicros.toFixed(0).padStart(5)} us CPU a call${failures ? `  ${failures} FAILED` : ""}`,
  );

/** Signatures a second: ours and viem's, on the same ones. */
async function signatures(): Promise<number> {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const samples = Array.from({ length: 300 }, (_, i) => {
    const digest = keccak(new Uint8Array([i & 255, i >> 8]));
    const signed = secp256k1.signMessageHashRecoverableCompact(key, digest);
    if (typeof signed === "string") throw new Error(signed);
    const v = (27 + signed.recoveryId).toString(16);
    return { digest, signature: (toHex(signed.signature) + v) as `0x${string}` };
  });
  const time = async (check: (sample: typeof samples[number]) => unknown): Promise<number> => {
    const started = performance.now();
    for (const sample of samples) await check(sample);
    return samples.length / (performance.now() - started) * 1000;
  };
  const ours = ({ digest, signature }: typeof samples[number]) => recoverSigner(digest, signature);
  const viem = ({ digest, signature }: typeof samples[number]) =>
    recoverAddress({ hash: digest, signature });
  await time(ours);
  await time(viem);
  const [a, b] = [await time(ours), await time(viem)];
  console.log(`signatures: ours ${a.toFixed(0)}/s, viem ${b.toFixed(0)}/s`);
  return a / b;
}

const databaseUrl = Deno.env.get("BENCH_DATABASE_URL");
if (databaseUrl === undefined) {
  console.error("BENCH_DATABASE_URL should name a Postgres server");
  Deno.exit(1);
}
const name = `demand_bench_${crypto.randomUUID().replaceAll("-", "")}`;
const admin = postgres(databaseUrl, { max: 1, onnotice: () => {} });
await admin.unsafe(`create database ${name}`);
const own = new URL(databaseUrl);
own.pathname = `/${name}`;
try {
  await using facilitator = await start("facilitator");
  await using official = await start("official", facilitator.url);
  await using ours = await start("ours", facilitator.url, own.href);
  await using plain = await start("static");
  for (const server of [official, ours]) await drive(server, 500, await headers(server, 500));
  const few = Math.ceil(CALLS / 4);
  const theirs = await drive(official, few, await headers(official, few));
  const mine = await drive(ours, CALLS, await headers(ours, CALLS));
  const again = await drive(official, few, await headers(official, few));
  for (const server of [plain, ours]) await drive(server, 1000, null);
  const free = await drive(plain, CALLS, null);
  const challenged = await drive(ours, CALLS, null);
  show("official, paid", theirs);
  show("ours, paid", mine);
  show("official, paid, again", again);
  show("static route", free);
  show("ours, challenge", challenged);
  const rate = 2 * mine.perSecond / (theirs.perSecond + again.perSecond);
  const cpu = (theirs.cpuMicros + again.cpuMicros) / 2 / mine.cpuMicros;
  console.log(`paid calls: ${rate.toFixed(2)}x by rate, ${cpu.toFixed(2)}x by CPU (target 4)`);
  console.log(
    `challenge: ${(challenged.cpuMicros / free.cpuMicros).toFixed(2)}x a static route by CPU, ` +
      `${(free.perSecond / challenged.perSecond).toFixed(2)}x by rate (target 2 at most)`,
  );
  console.log(`signatures: ${(await signatures()).toFixed(2)}x viem (target 3)`);
} finally {
  await admin.unsafe(`drop database if exists ${name} with (force)`);
  await admin.end();
}
