/**
 * Mixed load on the program for a while (two minutes; `--minutes 30` for the long one), with faults in the
 * facilitator and the model all along: free calls, paid reads and verdicts, on a real chain. Fails for an
 * answer that is no named error, for a ledger and a chain that do not agree to the unit, and for memory that
 * grows by more than a fifth after the first third. SOAK_COMMAND runs another program than the sources.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { PrivateKeyAccount } from "viem/accounts";
import { startChain } from "../tests/doubles/chain.ts";
import { type Fault, startFacilitator } from "../tests/doubles/facilitator.ts";
import { type Behaviour, reply, startModel } from "../tests/doubles/model.ts";
import { encode, sign } from "../tests/payment/buyer.ts";
import { lines, writeArchive } from "../tests/support/archive.ts";

const { values } = parseArgs({ args: Deno.args, options: { minutes: { type: "string" } } });
const MINUTES = Number(values.minutes ?? 2);
const PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const BUYERS = 4;
/** Faults of settlement, each as likely as the others; most settlements have none. */
const FAULTS: readonly Fault[] = [
  "garbage",
  "error-500",
  "refuse",
  "cut",
  "settle-then-500",
  "settle-then-cut",
];
const ALLOWED_GROWTH = 1.2;

const main = join(import.meta.dirname ?? ".", "..", "main.ts");
const command = Deno.env.get("SOAK_COMMAND")?.split(" ") ??
  [Deno.execPath(), "run", "-A", main];
const folder = mkdtempSync(join(tmpdir(), "demand-soak-"));
const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** A model that answers well, badly, slowly or not at all. */
const moody: Behaviour = () => {
  const chance = Math.random();
  if (chance < 0.05) return { status: 503, message: "busy" };
  if (chance < 0.1) return { raw: "<html>oops</html>" };
  if (chance < 0.15) return { content: "not JSON" };
  if (chance < 0.2) return { afterMs: 2_500, then: { content: reply() } };
  return { content: reply() };
};

async function run(args: readonly string[], env: Record<string, string>): Promise<void> {
  const [program = "", ...rest] = [...command, ...args];
  const { success, stderr } = await new Deno.Command(program, { args: rest, env }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

const seen = new Map<string, number>();
const wrong: string[] = [];

/** Counts an answer; one that is neither good nor a named error is noted. */
async function note(route: string, response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  let body: { error?: { code?: string } } & Record<string, unknown> = {};
  try {
    body = JSON.parse(text);
  } catch {
    wrong.push(`${route}: ${response.status} without JSON: ${text.slice(0, 80)}`);
  }
  const named = response.status < 400 || response.status === 402 || body.error?.code !== undefined;
  if (!named || body.error?.code === "internal") wrong.push(`${route}: ${text.slice(0, 120)}`);
  const key = `${route} ${response.status} ${body.error?.code ?? ""}`.trim();
  seen.set(key, (seen.get(key) ?? 0) + 1);
  return body;
}

/** Buys one answer: the same payment again until it is delivered or refused for good. */
async function buy(base: string, account: PrivateKeyAccount, path: string, query?: string) {
  const init: RequestInit = query === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  };
  const url = `${base}${path}`;
  const challenge = await note(path, await fetch(url, init));
  const [accepted] = (challenge.accepts ?? []) as { amount: string }[];
  if (accepted === undefined) return;
  const payload = await sign(account, { payTo: PAY_TO, amount: Number(accepted.amount) });
  const { resource } = challenge;
  const payment = encode({ x402Version: 2, accepted, payload, resource });
  const headers = { ...init.headers, "payment-signature": payment };
  for (let attempt = 0; attempt < 20; attempt++) {
    const response = await fetch(url, { ...init, headers });
    await note(path, response);
    if (response.status < 500 && response.status !== 409) return;
    await pause(250);
  }
}

const resident = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

await using chain = await startChain();
await using facilitator = await startFacilitator(chain.url);
await using model = startModel(moody);
const archive = join(folder, "posts.ndjson");
writeArchive(archive, lines(3_000));
const port = freePort();
const env = {
  DATA_DIR: join(folder, "data"),
  PORT: String(port),
  LOG_LEVEL: "warn",
  LOG_FORMAT: "json",
  PAYMENT_MODE: "facilitator",
  PAY_TO,
  FACILITATOR_URL: facilitator.url,
  RPC_URL: chain.url,
  OPENAI_API_KEY: "k",
  OPENAI_MODEL: "m",
  OPENAI_BASE_URL: model.baseUrl,
  LLM_TIMEOUT_MS: "2000",
  RATE_LIMITS: "categories=999999,sample=999999,free=999999,challenges=999999",
};
await run(["import", archive], env);
const [program = "", ...rest] = command;
const service = new Deno.Command(program, { args: rest, env, stdout: "null", stderr: "null" })
  .spawn();
const base = `http://127.0.0.1:${port}`;
while ((await fetch(`${base}/health`).catch(() => null))?.status !== 200) await pause(50);

const end = Date.now() + MINUTES * 60_000;
const busy = (): boolean => Date.now() < end;
const accounts = await Promise.all(
  Array.from({ length: BUYERS }, () => chain.account(1_000_000_000_000n)),
);
const sizes: number[] = [];
const watch = async (): Promise<void> => {
  while (busy()) {
    sizes.push(resident(service.pid));
    if (facilitator.faults.length === 0) {
      const fault = FAULTS[Math.floor(Math.random() * FAULTS.length)] ?? "none";
      facilitator.faults.push("none", "none", "none", "none", "none", fault);
    }
    await pause(500);
  }
};
const free = async (): Promise<void> => {
  const paths = ["/v1/categories", "/v1/sample/opportunity", "/health", "/openapi.json"];
  for (let n = 0; busy(); n++) {
    const path = paths[n % paths.length] ?? "";
    await note(path, await fetch(`${base}${path}`));
    await pause(5);
  }
};
const buyer = async (account: PrivateKeyAccount): Promise<void> => {
  for (let n = 0; busy(); n++) {
    if (n % 4 === 3) await buy(base, account, "/v1/gauge", `headphones number ${n % 50}`);
    else await buy(base, account, n % 2 === 0 ? "/v1/opportunities/trending" : "/v1/brief");
  }
};
await Promise.all([watch(), free(), ...accounts.map(buyer)]);

// What is still unknown is asked of the chain every minute.
await pause(70_000);
service.kill("SIGTERM");
const { code } = await service.status;

const { openDatabase } = await import("../db/mod.ts");
const database = await openDatabase({ databaseUrl: null, dataDir: env.DATA_DIR }, {
  share: false,
  now: Date.now,
});
const [ledger] = await database.sql<{ units: number; open: number; n: number }[]>`
  select coalesce(sum(amount) filter (where state = 'settled'), 0)::bigint as units,
    count(*) filter (where state = 'settling')::int as open, count(*)::int as n from payments`;
await database.close();
const onChain = await chain.balance(PAY_TO);
rmSync(folder, { recursive: true, force: true });

for (const [key, count] of [...seen].sort()) console.log(`${String(count).padStart(8)}  ${key}`);
const third = Math.floor(sizes.length / 3);
const growth = median(sizes.slice(-third)) / median(sizes.slice(third, 2 * third));
console.log(
  `${MINUTES} min: ${ledger?.n} payments; ledger ${ledger?.units} units, chain ${onChain}, ` +
    `unresolved ${ledger?.open}; memory ${
      median(sizes.slice(third, 2 * third)).toFixed(0)
    } MB, last third ` +
    `${growth.toFixed(2)}x of it; exit code ${code}; ${wrong.length} answers without a name`,
);
for (const text of wrong.slice(0, 10)) console.log(`  ${text}`);
const agree = BigInt(ledger?.units ?? -1) === onChain;
Deno.exit(agree && wrong.length === 0 && growth < ALLOWED_GROWTH && code === 0 ? 0 : 1);
