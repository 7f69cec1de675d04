import { assertEquals, assertStringIncludes } from "@std/assert";
import { postgresUrl, testEmbedded, testPostgres } from "../support/database.ts";
import { openShop } from "./shop.ts";

Deno.test({
  name: "examples/buy.ts buys an answer in payment mode test",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using place = postgresUrl === undefined ? await testEmbedded() : await testPostgres();
    await using shop = await openShop({ database: place.database });
    const script = new URL("../../examples/buy.ts", import.meta.url).pathname;
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", script, `${shop.url}/v1/number?n=1`],
      env: { NO_COLOR: "1", BUYER_PRIVATE_KEY: `0x${"22".repeat(32)}` },
    }).output();
    assertEquals(success, true, new TextDecoder().decode(stderr));
    const printed = new TextDecoder().decode(stdout);
    assertStringIncludes(printed, "charged: true");
    assertStringIncludes(printed, 'network: "eip155:8453"');
    assertEquals(shop.computed, 1);
  },
});
