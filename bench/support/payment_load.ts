/** Starts the servers of bench/payment.ts and loads them, at the least cost to the machine they share. */
import { secp256k1 } from "@bitauth/libauth";
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import { privateKeyToAccount } from "viem/accounts";
import { toHex } from "../../payment/evm/hex.ts";
import { authorizationDigest, domainSeparator } from "../../payment/evm/authorization.ts";
import { commandOf, type RuntimeName, TEST_CONFIG } from "../../tests/support/program.ts";
import { PAY_TO } from "./payment_official.mjs";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const PAYERS = 256;
const separator = domainSeparator({
  name: "USD Coin",
  version: "2",
  chainId: 8453,
  verifyingContract: USDC.toLowerCase(),
});

/** What a server says of itself: its CPU time in microseconds, and what it counts. */
type LoadReport = { readonly cpu: number; readonly [name: string]: number };

export interface Server extends AsyncDisposable {
  readonly url: string;
  report(): Promise<LoadReport>;
}

/** Runs a server of ours in a process of its own; `program` is a file beside this one. */
export async function start(
  runtime: RuntimeName | "node",
  program: string,
  ...args: string[]
): Promise<Server> {
  const script = new URL(`./${program}`, import.meta.url).pathname;
  const [command = "", ...rest] = {
    deno: () => [Deno.execPath(), "run", "-A", "--quiet", "--config", TEST_CONFIG, script],
    bun: () => commandOf({ script: `bench/support/${program}`, runtime: "bun" }),
    node: () => ["node", script],
  }[runtime]();
  const child = new Deno.Command(command, {
    args: [...rest, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const line = async (): Promise<string> => {
    let text = "";
    while (!text.endsWith("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`${program} ended`);
      text += value;
    }
    return text.trim();
  };
  return {
    url: `http://127.0.0.1:${await line()}`,
    report: async () => {
      await writer.write(new Uint8Array([10]));
      return JSON.parse(await line());
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

function signedPayload(i: number, now: number): Record<string, unknown> {
  const payer = payers[i % PAYERS];
  if (payer === undefined) throw new Error("no payer");
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const [validAfter, validBefore] = [now - 600, now + 300];
  const digest = authorizationDigest(separator, {
    from: payer.address.toLowerCase(),
    to: PAY_TO.toLowerCase(),
    value: 10000n,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
  });
  const signed = secp256k1.signMessageHashRecoverableCompact(payer.key, digest);
  if (typeof signed === "string") throw new Error(signed);
  return {
    signature: toHex(signed.signature) + (27 + signed.recoveryId).toString(16),
    authorization: {
      from: payer.address,
      to: PAY_TO,
      value: "10000",
      validAfter: String(validAfter),
      validBefore: String(validBefore),
      nonce,
    },
  };
}

const bytes = ({ url }: Server, header: string, path = "/paid"): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\naccept: */*\r\n${header}\r\n`);

/** Calls without a payment. */
export function bareRequests(server: Server, count: number): Buffer[] {
  return new Array<Buffer>(count).fill(bytes(server, ""));
}

/** Paid calls, signed beforehand, each for a purchase of its own, which echo the server's own challenge as the official client does. */
export async function paidRequests(server: Server, count: number): Promise<Buffer[]> {
  const challenged = await fetch(`${server.url}/paid`);
  await challenged.body?.cancel();
  const header = challenged.headers.get("payment-required") ?? "";
  const { resource, extensions, accepts } = JSON.parse(Buffer.from(header, "base64").toString());
  const now = Math.floor(Date.now() / 1000);
  const round = crypto.randomUUID();
  return Array.from({ length: count }, (_, i) => {
    const payload = signedPayload(i, now);
    const payment = { x402Version: 2, payload, resource, accepted: accepts[0], extensions };
    const value = Buffer.from(JSON.stringify(payment)).toString("base64");
    return bytes(server, `payment-signature: ${value}\r\n`, `/paid?n=${round}-${i}`);
  });
}

/** Length of the whole answer at the start of `text`, or null while there is more of it to come. */
function answerLength(text: string): number | null {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head + 2))?.[1];
  if (length !== undefined) return head + 4 + Number(length);
  const end = text.indexOf("\r\n0\r\n\r\n", head);
  return end < 0 ? null : end + 7;
}

export interface Load {
  readonly perSecond: number;
  /** Microseconds of the server's CPU a call. */
  readonly cpu: number;
}

/**
 * Sends the requests over so many connections, each the next when its last was answered.
 * @throws Error where one is not answered with `status`, or is answered 200 without a receipt for its payment.
 */
export async function load(
  server: Server,
  requests: readonly Buffer[],
  { connections, status, paid }: { connections: number; status: number; paid: boolean },
): Promise<Load> {
  const { hostname, port } = new URL(server.url);
  let next = 0;
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let text = "";
      const send = (): void => {
        const request = requests[next++];
        if (request === undefined) {
          socket.destroy();
          resolve();
        } else socket.write(request);
      };
      socket.on("connect", send).on("error", reject);
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
        const length = answerLength(text);
        if (length === null || text.length < length) return;
        const isGood = text.startsWith(`HTTP/1.1 ${status}`) &&
          (!paid || /\r\npayment-response: /i.test(text));
        if (!isGood) reject(new Error(`a call was answered ${text.slice(0, 400)}`));
        text = "";
        send();
      });
    });
  const { cpu } = await server.report();
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - started) / 1000;
  return {
    perSecond: requests.length / seconds,
    cpu: ((await server.report()).cpu - cpu) / requests.length,
  };
}
