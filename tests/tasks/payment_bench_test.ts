import { assert, assertEquals } from "@std/assert";
import { load, paidRequests, start } from "../../bench/support/payment_load.ts";
import { postgresUrl, testDatabase } from "../support/database.ts";

for (const runtime of ["deno", "bun"] as const) {
  Deno.test({
    name: `the servers of the payment benchmark sell under ${runtime}, each payment settled once`,
    ignore: postgresUrl === undefined,
    fn: async () => {
      await using test = await testDatabase();
      const databaseUrl = test.env["DATABASE_URL"];
      assert(databaseUrl !== undefined);
      await using facilitator = await start("deno", "payment_facilitator_server.ts");
      await using ours = await start(
        runtime,
        "payment_server.ts",
        "ours",
        facilitator.url,
        databaseUrl,
      );
      await using official = await start(
        runtime,
        "payment_server.ts",
        "official",
        facilitator.url,
      );
      for (const server of [ours, official]) {
        const requests = await paidRequests(server, 4);
        await load(server, requests, { connections: 2, status: 200, paid: true });
      }
      assertEquals((await facilitator.report())["settle"], 8);
    },
  });
}
