import { TEST_CONFIG } from "../support/program.ts";
import { assert, assertEquals } from "@std/assert";
import { postgresUrl, testEmbedded } from "../support/database.ts";
import { RICH_KEYS } from "../doubles/chain.ts";
import { until } from "../support/time.ts";
import type { Doom, Point } from "./support/doomed.ts";
import { payV2 } from "./support/buyer.ts";
import { insist, openStage, read, type Stage, watchMoney } from "./support/stage.ts";
import { QUICK, type Shop, TERMS } from "./support/shop.ts";

const KEY = RICH_KEYS[0] ?? "0x";

/** Starts a shop that is doomed in a process of its own. */
async function startDoomed(
  doom: Doom,
): Promise<{ url: string; ended: Promise<unknown>; stop(): void }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      "--config",
      TEST_CONFIG,
      new URL("./support/doomed.ts", import.meta.url).pathname,
    ],
    env: { SHOP: JSON.stringify(doom) },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  reader.cancel().catch(() => {});
  return { url: (value ?? "").trim(), ended: child.status, stop: () => child.kill("SIGKILL") };
}

async function withStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  await using stage = await openStage(KEY);
  await run(stage);
}

const test = (name: string, fn: () => Promise<void>, ignore = false): void =>
  Deno.test({ name, ignore, sanitizeOps: false, sanitizeResources: false, fn });

test("three replicas sell one answer for one payment, however often it comes", () =>
  withStage(async ({ chain, viaFacilitator }) => {
    const settings = { payerInFlight: { all: 8, costly: 8, live: 2 } };
    const shops = await Promise.all([0, 1, 2].map(() => viaFacilitator({ settings })));
    for (const shop of shops) shop.delayMs = 150;
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, TERMS);
    const answers = await Promise.all(
      Array.from({ length: 21 }, async (_, i) => {
        const { status, text } = await read(
          await (shops[i % 3] as Shop).get("number", "?n=1", headers),
        );
        return `${status} ${text}`;
      }),
    );
    assertEquals(new Set(answers).size, 1);
    assertEquals(answers[0]?.startsWith("200"), true);
    assertEquals(shops.reduce((sum, { computed }) => sum + computed, 0), 1);
    await moved(1);

    const poor = await chain.account(10_000n);
    const once = await watchMoney(chain, poor);
    const many = await Promise.all(Array.from({ length: 20 }, () => payV2(poor, TERMS)));
    const statuses = await Promise.all(many.map(async (header, i) => {
      const shop = shops[i % 3] as Shop;
      return (await read(await shop.get("number", `?n=${i}`, header))).status;
    }));
    assertEquals(statuses.filter((status) => status === 200).length, 1);
    assertEquals(shops.reduce((sum, { computed }) => sum + computed, 0), 2);
    await once(1);

    for (const shop of shops) shop.delayMs = 4_000;
    const flights = await chain.account(1_000_000n);
    const burst = await Promise.all(Array.from({ length: 12 }, () => payV2(flights, TERMS)));
    const counted = await Promise.all(burst.map(async (header, i) => {
      const shop = shops[i % 3] as Shop;
      return (await read(await shop.get("number", `?n=${i}`, header))).status;
    }));
    assertEquals(counted.filter((status) => status === 200).length, 8);
    for (const shop of shops) await shop[Symbol.asyncDispose]();
  }));

/** After the death of its server, the same payment is answered by the next one, for one charge. */
async function dieAndRecover(
  stage: Stage,
  at: Point,
  mode: "facilitator" | "onchain",
): Promise<void> {
  const settings: Doom["settings"] = mode === "facilitator"
    ? { mode, rpcUrl: stage.rpc.url, facilitatorUrl: stage.facilitator.url }
    : { mode, rpcUrl: stage.rpc.url, settlementPrivateKey: KEY };
  const payer = await stage.chain.account(1_000_000n);
  const moved = await watchMoney(stage.chain, payer);
  const headers = await payV2(payer, TERMS);
  const databaseUrl = stage.database.env["DATABASE_URL"];
  assert(databaseUrl !== undefined, "a dead server can share only Postgres with the next one");
  const doomed = await startDoomed({ at, databaseUrl, dataDir: "", settings });
  const cut = await fetch(`${doomed.url}/v1/number?n=1`, { headers }).then(read, () => null);
  assertEquals(cut, null, `${at}: the connection was cut`);
  await doomed.ended;
  const computesAgain = at === "computing";
  await moved(at === "after settling" || at === "before answering" ? 1 : 0);
  const open = mode === "facilitator" ? stage.viaFacilitator : stage.viaWallet;
  await using next = await open({ timing: { ...QUICK, leaseMs: 600 } });
  assertEquals((await insist(next, "?n=1", headers)).status, 200, at);
  assertEquals(next.computed, computesAgain ? 1 : 0, at);
  await moved(1);
}

for (const mode of ["facilitator", "onchain"] as const) {
  const dies = () =>
    withStage(async (stage) => {
      const points: Point[] = [
        "computing",
        "before settling",
        "after settling",
        "before answering",
      ];
      for (const at of points) await dieAndRecover(stage, at, mode);
    });
  const name = `kill -9 at each point, settling by ${mode}: one charge, and its answer`;
  test(name, dies, postgresUrl === undefined);
}

test("kill -9 on the embedded database loses no payment", async () => {
  await using place = await testEmbedded();
  const dataDir = place.env["DATA_DIR"] ?? "";
  await place.database.close();
  await withStage(async ({ chain, facilitator, rpc }) => {
    const settings = {
      mode: "facilitator",
      rpcUrl: rpc.url,
      facilitatorUrl: facilitator.url,
    } as const;
    const payer = await chain.account(1_000_000n);
    const moved = await watchMoney(chain, payer);
    const headers = await payV2(payer, TERMS);
    const start = (at: Point) => startDoomed({ at, databaseUrl: null, dataDir, settings });
    const doomed = await start("after settling");
    await fetch(`${doomed.url}/v1/number?n=1`, { headers }).then(read, () => null);
    await doomed.ended;
    await moved(1);
    const next = await start("before answering");
    await fetch(`${next.url}/v1/number?n=1`, { headers }).then(read, () => null);
    await next.ended;
    const last = await start("never");
    const answer = await until(async () => {
      const again = await read(await fetch(`${last.url}/v1/number?n=1`, { headers }));
      return again.status !== 503 && again;
    }, "an answer other than 503");
    assertEquals(answer.status, 200);
    assertEquals(JSON.parse(answer.text).count, 1);
    await moved(1);
    last.stop();
    await last.ended;
  });
});
