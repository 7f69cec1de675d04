/** The doctor where what it looks at goes wrong in the middle. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { emptyPostgres, postgresUrl, temporaryDirectory } from "../support/database.ts";
import { run } from "../support/program.ts";

/** A way to a server that is cut where a client says `word`. */
async function startCutter(
  hostname: string,
  port: number,
  word: string,
): Promise<{ readonly port: number } & AsyncDisposable> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, hostname);
    for (const [one, other] of [[near, far], [far, near]] as const) {
      open.add(one);
      one.on("error", () => one.destroy());
      one.on("close", () => void (open.delete(one) && other.destroy()));
    }
    near.on("data", (bytes) => bytes.includes(word) ? near.destroy() : far.write(bytes));
    far.on("data", (bytes) => near.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

Deno.test({
  name: "a database that leaves while it is looked at is a finding, and the rest is looked at",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    const { url } = empty;
    const { hostname, port } = new URL(url);
    await using cutter = await startCutter(hostname, Number(port), "'server_version')");
    const through = new URL(url);
    through.host = `127.0.0.1:${cutter.port}`;
    const { code, stdout } = await run(["doctor"], { DATABASE_URL: through.href });
    assertEquals(code, 1);
    assertMatch(stdout, /^FAIL {2}database /m);
    assertMatch(stdout, /^ok {4}proxies /m);
  },
});

Deno.test("the doctor asks for a token where mining does: the whole address may be given", async () => {
  using directory = temporaryDirectory();
  await using site = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) =>
      new URL(request.url).pathname === "/api/v1/access_token"
        ? Response.json({ access_token: "t", expires_in: 3600 })
        : new Response(null, { status: 404 }),
  );
  const { stdout } = await run(["doctor"], {
    DATA_DIR: directory.path,
    REDDIT_CLIENT_ID: "id",
    REDDIT_CLIENT_SECRET: "hidden",
    REDDIT_USER_AGENT: "test:org.example.demand:v0.1 (by /u/tester)",
    REDDIT_AUTH_URL: `http://127.0.0.1:${site.addr.port}/api/v1/access_token`,
  });
  assertStringIncludes(stdout, `source        http://127.0.0.1:${site.addr.port} gives a token`);
});
