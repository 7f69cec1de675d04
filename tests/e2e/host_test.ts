/** Requests whose Host header names no host: clients of HTTP libraries cannot send them, sockets can. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { connect } from "node:net";
import { minedData, temporaryDirectory } from "../support/database.ts";
import { type RuntimeName, serve } from "../support/program.ts";

interface RawAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a head as it is; gives the status and what comes after the answer's head. */
function send(base: string, method: string, path: string, host: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setEncoding("utf8");
    socket.once("error", reject);
    socket.on("data", (part) => text += part);
    socket.once("close", () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
      resolve({ status, body: text.slice(text.indexOf("\r\n\r\n") + 4) });
    });
    const length = method === "POST" ? "Content-Length: 0\r\n" : "";
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${length}Connection: close\r\n\r\n`,
    );
  });
}

const TARGETS = [
  ["GET", "/v1/categories"],
  ["GET", "/v1/opportunities/trending"],
  ["POST", "/v1/gauge"],
  ["POST", "/mcp"],
  ["GET", "/nothing"],
  ["GET", "/admin"],
] as const;

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`a Host that names no host is a 400 in the usual form under ${runtime}, and no failure of ours`, async () => {
    using directory = temporaryDirectory();
    const env = { DATA_DIR: minedData(directory.path), ADMIN_TOKEN: "0123456789abcdef" };
    const service = await serve(env, runtime);
    for (const host of ["a b", "[", "a:99999"]) {
      for (const [method, path] of TARGETS) {
        const { status, body } = await send(service.base, method, path, host);
        assertEquals(status, 400, `${host} ${path}: ${body}`);
        // Bun's own server turns down some of these itself, with an empty answer.
        if (runtime === "bun" && body === "") continue;
        assertStringIncludes(body, '"code":"invalid_parameter"');
        assertStringIncludes(body, '"charged":false');
      }
    }
    assertEquals((await send(service.base, "GET", "/admin", "a")).status, 401);
    await service[Symbol.asyncDispose]();
    const { stderr } = service.running.output();
    assertEquals(stderr.split("\n").filter((line) => line.includes('"level":"error"')), []);
  });
}
