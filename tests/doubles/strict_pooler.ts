/** A pooler that passes everything on but the settings of a connection that it does not know, as PgBouncer. */
import { connect, createServer, type Socket } from "node:net";
import { throughPort } from "../support/database.ts";

const KNOWN = ["user", "database", "client_encoding", "application_name"];

/** The names in a startup message, whose pairs follow its length and the protocol's version. */
function namesOf(startup: Uint8Array): string[] {
  const words = new TextDecoder().decode(startup.subarray(8)).split("\0");
  return words.filter((word, index) => index % 2 === 0 && word !== "");
}

/** An error as the server tells it. */
function refusal(message: string): Uint8Array {
  const fields = new TextEncoder().encode(`SFATAL\0C08P01\0M${message}\0\0`);
  const bytes = new Uint8Array(5 + fields.length);
  bytes[0] = "E".charCodeAt(0);
  new DataView(bytes.buffer).setInt32(1, 4 + fields.length);
  bytes.set(fields, 5);
  return bytes;
}

/** Starts one in front of the Postgres at `direct`; `url` leads through it. */
export async function startStrictPooler(
  direct: string,
): Promise<AsyncDisposable & { readonly url: string; readonly refused: readonly string[] }> {
  const { hostname, port } = new URL(direct);
  const open = new Set<Socket>();
  const refused: string[] = [];
  const server = createServer((near) => {
    open.add(near);
    near.on("error", () => near.destroy());
    near.on("close", () => open.delete(near));
    near.once("data", (startup) => {
      const unknown = namesOf(startup).find((name) => !KNOWN.includes(name));
      if (unknown !== undefined) {
        refused.push(unknown);
        return void near.end(refusal(`unsupported startup parameter: ${unknown}`));
      }
      const far = connect(Number(port), hostname, () => far.write(startup));
      far.on("error", () => far.destroy());
      far.pipe(near);
      near.pipe(far);
      near.on("close", () => far.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: throughPort(direct, server),
    refused,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
