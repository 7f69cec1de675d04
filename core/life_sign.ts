/**
 * Whether a process on this machine still lives, without the right to look at processes: it listens on a
 * local socket, and the socket of a process that was killed stays and refuses. A socket that this
 * process cannot see (another machine, container or user) proves nothing.
 */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { errorCode } from "./errors.ts";

/** An answer of this machine's takes no time; one that does not come tells nothing. */
const PATIENCE_MS = 1_000;

interface LifeSign {
  /** Names the process to others of this machine that share its temporary folder. */
  readonly name: string;
  /** Takes the sign away. */
  stop(): void;
}

/** Short: an address of a local socket has about a hundred bytes. */
const pathOf = (name: string): string => join(tmpdir(), `demand-${name.slice(0, 18)}.sock`);

/** Gives a sign of life of this process; null where there can be none. */
export function giveLifeSign(): Promise<LifeSign | null> {
  if (process.platform === "win32") return Promise.resolve(null);
  const name = randomUUID();
  const path = pathOf(name);
  const { promise, resolve } = Promise.withResolvers<LifeSign | null>();
  const server = createServer((socket) => socket.destroy());
  server.once("error", () => resolve(null));
  server.listen(path, () => {
    server.unref();
    resolve({
      name,
      stop: () => {
        server.close();
        rmSync(path, { force: true });
      },
    });
  });
  return promise;
}

/** Whether the process that gave this sign is known to be dead; what it left behind is removed then. */
export async function isKnownDead(name: string): Promise<boolean> {
  if (!/^[0-9a-f-]{36}$/.test(name)) return false;
  const path = pathOf(name);
  const dead = await refusesCalls(path);
  if (dead) rmSync(path, { force: true });
  return dead;
}

/** Whether a local socket is there to which nobody listens any more. */
export function refusesCalls(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  const decide = (dead: boolean) => (): void => {
    socket.destroy();
    resolve(dead);
  };
  socket.setTimeout(PATIENCE_MS, decide(false));
  socket.once("connect", decide(false));
  socket.once("error", (error) => decide(errorCode(error) === "ECONNREFUSED")());
  return promise;
}
