/**
 * A shop in a process of its own that dies, as by kill -9, when it comes to a given point. Its settings
 * come as JSON in SHOP; it prints its address.
 */
import process from "node:process";
import { migrate } from "../../../db/migrate.ts";
import { openDatabase } from "../../../db/mod.ts";
import { openShop, QUICK, type ShopOptions } from "./shop.ts";

export type Point =
  | "never"
  /** In the middle of the compute. */
  | "computing"
  /** The answer is stored, and nothing was sent that moves money. */
  | "before settling"
  /** The money moved, and nobody heard of it. */
  | "after settling"
  /** Everything is recorded, and the answer does not leave. */
  | "before answering";

export interface Doom {
  readonly at: Point;
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly settings: NonNullable<ShopOptions["settings"]>;
}

const MOVES_MONEY = /\/settle$|eth_sendRawTransaction/;

if (import.meta.main) {
  const doom: Doom = JSON.parse(process.env["SHOP"] ?? "{}");
  const die = (): Promise<never> => {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  };
  const database = await openDatabase(doom, { share: false, now: Date.now });
  await migrate(database.sql);
  const shop = await openShop({
    database,
    settings: doom.settings,
    timing: {
      ...QUICK,
      leaseMs: 600,
      maintainMs: 60_000,
      facilitator: { ...QUICK.facilitator, settleMs: 400, settleBudgetMs: 400 },
      onchain: { receiptMs: 400, pollMs: 20 },
    },
    fetch: async (input, init) => {
      const moves = MOVES_MONEY.test(String(input)) || MOVES_MONEY.test(String(init?.body));
      if (moves && doom.at === "before settling") await die();
      const response = await fetch(input, init);
      if (moves && doom.at === "after settling") {
        await response.text();
        await die();
      }
      return response;
    },
    onCompute: doom.at === "computing" ? die : undefined,
    onAnswer: doom.at === "before answering" ? die : undefined,
  });
  console.log(shop.url);
  // The parent's end is ours too.
  for await (const _ of process.stdin);
  process.exit(0);
}
