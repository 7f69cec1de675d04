/** What a buyer is told while the ledger's database takes nothing, as after a failover to a standby. */
import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { migrate } from "../../../db/migrate.ts";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { newAccount } from "../../support/accounts.ts";
import { emptyPostgres, postgresUrl } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { payV2 } from "../support/buyer.ts";
import { openShop, PAY_TO, type Shop } from "../support/shop.ts";
import { read } from "../support/stage.ts";

/** Lets whoever connects to `url` from now on write or not, and ends all other connections to it. */
async function switchWriting(url: string, isOn: boolean): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const admin = new URL(url);
  admin.pathname = "/postgres";
  const sql = postgres(admin.href, { max: 1, onnotice: () => {} });
  await sql.unsafe(`alter database ${name} set default_transaction_read_only = ${!isOn}`);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  await sql.end();
}

/** The status and the error's code, or null, of a call. */
async function told(
  shop: Shop,
  headers?: Record<string, string>,
): Promise<[number, string | null]> {
  const { status, text } = await read(await shop.get("number", "?n=1", headers));
  return [status, JSON.parse(text).error?.code ?? null];
}

Deno.test({
  name: "a ledger that can only be read stops sales until it can be written to again",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    const database = await openPostgres({ url: empty.url });
    try {
      await migrate(database.sql);
      let failed = 0;
      const short: typeof database.short = async (statement) => {
        try {
          return await database.short(statement);
        } catch (error) {
          failed++;
          throw error;
        }
      };
      const { answers, durable } = database;
      await using shop = await openShop({ database: { answers, durable, short } });
      const account = newAccount();
      const payment = await payV2(account, { payTo: PAY_TO, amount: 10_000 });
      await switchWriting(empty.url, false);
      // The first may still fail by its connection, which stops sales for the time of a check.
      await told(shop, payment);
      await until(() => database.sql`select 1`.then(() => true, () => false), "it can be read");
      assertEquals(await told(shop, payment), [503, "overloaded"]);
      assertEquals((await told(shop))[0], 503);
      const failedBefore = failed;
      await until(() => failed > failedBefore + 1, "checks find that nothing can be written");
      assertEquals(await told(shop), [503, "overloaded"]);
      assertEquals(shop.computed, 0);

      await switchWriting(empty.url, true);
      await until(async () => (await told(shop))[0] === 402, "it sells again");
      assertEquals(await told(shop, payment), [200, null]);
    } finally {
      await database.close();
    }
  },
});
