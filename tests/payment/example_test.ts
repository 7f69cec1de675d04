import { TEST_CONFIG } from "../support/program.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { testDatabase } from "../support/database.ts";
import { openShop } from "./support/shop.ts";

Deno.test({
  name: "examples/buy.ts buys an answer in payment mode test",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using place = await testDatabase();
    await using shop = await openShop({ database: place.database });
    const script = new URL("../../examples/buy.ts", import.meta.url).pathname;
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--config", TEST_CONFIG, script, `${shop.url}/v1/number?n=1`],
      env: { NO_COLOR: "1", EVM_PRIVATE_KEY: `0x${"22".repeat(32)}` },
    }).output();
    assertEquals(success, true, new TextDecoder().decode(stderr));
    const printed = new TextDecoder().decode(stdout);
    assertStringIncludes(printed, "charged: true");
    assertStringIncludes(printed, 'network: "eip155:8453"');
    assertEquals(shop.computed, 1);
  },
});

Deno.test("examples/buy.ts says in one line what is wrong", async () => {
  await using other = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => new Response(`<p>${request.method} ${await request.text()}</p>`),
  );
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const nobody = `http://127.0.0.1:${closed.addr.port}/`;
  closed.close();
  const page = `http://127.0.0.1:${other.addr.port}/`;
  const script = new URL("../../examples/buy.ts", import.meta.url).pathname;
  const buy = async (args: readonly string[], key: string) => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--config", TEST_CONFIG, script, ...args],
      env: { NO_COLOR: "1", EVM_PRIVATE_KEY: key },
    }).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  const cases = [
    [nobody, "", "refused"],
    ["nowhere", "", "nowhere: no http address"],
    [page, "0x12", "EVM_PRIVATE_KEY: should be"],
  ] as const;
  for (const [url, key, says] of cases) {
    const { code, stderr } = await buy([url], key);
    assertEquals(code, 1, stderr);
    assertEquals(stderr.trimEnd().split("\n").length, 1, stderr);
    assertStringIncludes(stderr, says);
  }
  const { code, stdout } = await buy([page, '{"query": "x"}'], "");
  assertEquals([code, stdout], [0, '200 <p>POST {"query": "x"}</p>\n']);
});
