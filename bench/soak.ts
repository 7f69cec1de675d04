/**
 * `deno run -A --config deno.test.json bench/soak.ts [--minutes N]`: the whole service under mixed load (free,
 * paid, verdicts, live verdicts, mining) while chain, facilitator, model and community site misbehave; two
 * minutes unless told otherwise. Fails for an answer without a name, for a new purchase that got an old answer,
 * for a ledger that does not agree with the chain to the unit or lacks a receipt, and for memory that grows by
 * more than a fifth after the first third. SOAK_COMMAND runs another program than the sources;
 * SOAK_DATABASE_URL another database than the embedded one, empty.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { PrivateKeyAccount } from "viem/accounts";
import { encode, sign } from "../tests/payment/support/buyer.ts";
import { lines, writeArchive } from "../tests/support/archive.ts";
import { freePort, median, memoryOf } from "./support/measure.ts";
import { openWorld, PAY_TO, slopePerHour } from "./support/soak.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: { minutes: { type: "string" } },
});
const MINUTES = Number(values.minutes ?? 2);
const BUYERS = 4;
const TURN_MS = 500;
const ALLOWED_GROWTH = 1.2;

const main = join(import.meta.dirname ?? ".", "..", "main.ts");
const command = Deno.env.get("SOAK_COMMAND")?.split(" ") ??
  [Deno.execPath(), "run", "-A", main];
const folder = mkdtempSync(join(tmpdir(), "demand-soak-"));
const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

async function run(args: readonly string[], env: Record<string, string>): Promise<void> {
  const [program = "", ...rest] = [...command, ...args];
  const { success, stderr } = await new Deno.Command(program, { args: rest, env }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

const seen = new Map<string, number>();
const wrong: string[] = [];
/** The transactions of all receipts. */
const receipts = new Set<string>();

/** Counts an answer; one that is neither good nor a named error is noted. */
async function note(route: string, response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  let body: { error?: { code?: string } } & Record<string, unknown> = {};
  try {
    body = JSON.parse(text);
  } catch {
    wrong.push(`${route}: ${response.status} without JSON: ${text.slice(0, 80)}`);
  }
  // Nothing here takes the database away, so health has nothing but good to say: its 503 has no name.
  const named = response.status < 400 || response.status === 402 || body.error?.code !== undefined;
  if (!named || body.error?.code === "internal") wrong.push(`${route}: ${text.slice(0, 120)}`);
  const key = `${route} ${response.status} ${body.error?.code ?? ""}`.trim();
  seen.set(key, (seen.get(key) ?? 0) + 1);
  return body;
}

/** Notes a receipt: that of a new purchase must be one that no answer had before. */
function noteReceipt(path: string, response: Response, isNew: boolean): void {
  const header = response.headers.get("payment-response") ?? "";
  const { transaction } = JSON.parse(atob(header)) as { transaction: string };
  if (isNew && receipts.has(transaction)) wrong.push(`${path}: a new purchase got an old answer`);
  receipts.add(transaction);
}

/** Buys one answer: the same payment again until it is delivered or refused for good. */
async function buy(
  base: string,
  account: PrivateKeyAccount,
  path: string,
  { query, isNew }: { query?: string; isNew: boolean },
) {
  const asked: Record<string, string> = isNew ? { "cache-control": "no-cache" } : {};
  const init = query === undefined ? { headers: asked } : {
    method: "POST",
    headers: { ...asked, "content-type": "application/json" },
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
    if (response.status === 200) noteReceipt(path, response, isNew);
    if (response.status < 500 && response.status !== 409) return;
    await pause(250);
  }
}

await using world = await openWorld(folder);
const { chain } = world;
const archive = join(folder, "posts.ndjson");
writeArchive(archive, lines(3_000));
const port = freePort();
const dataDir = join(folder, "data");
const databaseUrl = Deno.env.get("SOAK_DATABASE_URL") ?? null;
const env = {
  ...world.env,
  DATA_DIR: dataDir,
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  PORT: String(port),
  LOG_LEVEL: "warn",
  LOG_FORMAT: "json",
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
    sizes.push(memoryOf(service.pid, "VmRSS"));
    world.turn();
    await pause(TURN_MS);
  }
  world.heal();
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
    // A payer is given what it bought before, unless it asks for a new purchase: one call in five does not.
    const isNew = n % 5 > 0;
    if (n % 4 === 3) {
      await buy(base, account, "/v1/gauge", { query: `headphones number ${n % 50}`, isNew });
    } else if (n % 32 === 5) {
      await buy(base, account, "/v1/gauge/live", { query: `laptop number ${n % 50}`, isNew });
    } else {
      const path = n % 2 === 0 ? "/v1/opportunities/trending" : "/v1/brief";
      await buy(base, account, path, { isNew });
    }
  }
};
await Promise.all([watch(), free(), ...accounts.map(buyer)]);

// What is still unknown is asked of the chain every minute.
await pause(70_000);
service.kill("SIGTERM");
const { code } = await service.status;

const { openDatabase } = await import("../db/mod.ts");
const database = await openDatabase({ databaseUrl, dataDir }, {
  share: false,
  now: Date.now,
});
const [ledger] = await database.sql<
  { units: number; settled: number; open: number; n: number }[]
>`
  select coalesce(sum(amount) filter (where state = 'settled'), 0)::bigint as units,
    count(*) filter (where state = 'settled')::int as settled,
    count(*) filter (where state = 'settling')::int as open, count(*)::int as n from payments`;
await database.close();
const onChain = await chain.balance(PAY_TO);
rmSync(folder, { recursive: true, force: true });

for (const [key, count] of [...seen].sort()) console.log(`${String(count).padStart(8)}  ${key}`);
const third = Math.floor(sizes.length / 3);
const slope = slopePerHour(sizes.slice(third), TURN_MS / 1000);
const growth = median(sizes.slice(-third)) / median(sizes.slice(third, 2 * third));
console.log(
  `${MINUTES} min: ${ledger?.n} payments, ${ledger?.settled} settled, ${receipts.size} of them with a ` +
    `receipt; ledger ${ledger?.units} units, chain ${onChain}, ` +
    `unresolved ${ledger?.open}; memory ${
      median(sizes.slice(third, 2 * third)).toFixed(0)
    } MB, last third ` +
    `${growth.toFixed(2)}x of it, ${
      slope.toFixed(0)
    } MB an hour over the last two thirds; exit code ${code}; ${wrong.length} answers without a name`,
);
for (const text of wrong.slice(0, 10)) console.log(`  ${text}`);
const agree = BigInt(ledger?.units ?? -1) === onChain && receipts.size <= (ledger?.settled ?? -1);
// Not exit(): the chain and the others are processes and servers of ours, ended on the way out.
Deno.exitCode = agree && wrong.length === 0 && growth < ALLOWED_GROWTH && code === 0 ? 0 : 1;
