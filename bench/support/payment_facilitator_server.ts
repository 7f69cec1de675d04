/**
 * The facilitator of bench/payment.ts: says yes at once, at the least cost, so that the servers are what is
 * measured. Prints its port, then its CPU time and what it was asked for every line it reads.
 */
import process from "node:process";
import { Buffer } from "node:buffer";
import { createServer } from "node:net";

const NETWORK = "eip155:8453";
const counts = { verify: 0, settle: 0 };

function answer(value: unknown): Buffer {
  const body = JSON.stringify(value);
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

const VALID = answer({ isValid: true });
const SETTLED = answer({ success: true, transaction: `0x${"ab".repeat(32)}`, network: NETWORK });
const SUPPORTED = answer({
  kinds: [{ x402Version: 2, scheme: "exact", network: NETWORK }],
  extensions: [],
  signers: {},
});

/** The answer to a whole request, or null while there is more of it to come. */
function respond(request: string): Buffer | null {
  const head = request.indexOf("\r\n\r\n");
  if (head < 0) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(request.slice(0, head))?.[1] ?? "0";
  if (request.length < head + 4 + Number(length)) return null;
  if (request.startsWith("GET")) return SUPPORTED;
  const kind = request.startsWith("POST /verify") ? "verify" : "settle";
  counts[kind]++;
  return kind === "verify" ? VALID : SETTLED;
}

const server = createServer({ noDelay: true }, (socket) => {
  let request = "";
  socket.on("data", (chunk) => {
    request += chunk.toString("latin1");
    const response = respond(request);
    if (response === null) return;
    request = "";
    socket.write(response);
  });
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(address.port);
});
for await (const _ of Deno.stdin.readable) {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpu: user + system, ...counts }));
}
Deno.exit(0);
