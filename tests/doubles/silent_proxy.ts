/** A way to a TCP server that can go silent (it passes no bytes on and closes nothing), or closes everything. */
import { Buffer } from "node:buffer";
import { connect, createServer, type Socket } from "node:net";
import { throughPort } from "../support/database.ts";

export interface SilentProxy extends AsyncDisposable {
  /** Of the database behind it, by way of the proxy. */
  readonly url: string;
  /** Passes nothing on any more, on the connections there are and on new ones. */
  silence(): void;
  /** Goes silent as soon as the server has let another connection in: its first statement is not heard. */
  silenceWhenReady(): void;
  /** Closes the connections there are, and new ones as soon as they are accepted. */
  slam(): void;
  /** Connections that came so far. */
  accepted: number;
  /** Passes on what comes on new connections; those that went silent stay so. */
  heal(): void;
}

/** Postgres's ReadyForQuery, outside a transaction. */
const READY = Buffer.of(0x5a, 0, 0, 0, 5, 0x49);

/** Starts one in front of the Postgres at `url`. */
export async function startSilentProxy(url: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let silent = false;
  let slams = false;
  let untilReady = false;
  let deaf = { now: false };
  const server = createServer((near) => {
    proxy.accepted++;
    if (slams) {
      near.on("error", () => near.destroy());
      near.resume().end();
      return;
    }
    const state = deaf;
    const far = silent ? null : connect(Number(port), hostname);
    for (const socket of far === null ? [near] : [near, far]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        open.delete(socket);
        if (!state.now) [near, far].forEach((other) => other?.destroy());
      });
    }
    near.on("data", (bytes) => state.now || far?.write(bytes));
    far?.on("data", (bytes) => {
      if (state.now) return;
      near.write(bytes);
      if (untilReady && bytes.includes(READY)) silence();
    });
  });
  const silence = (): void => {
    silent = true;
    untilReady = false;
    deaf.now = true;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: SilentProxy = {
    url: throughPort(url, server),
    accepted: 0,
    slam: () => {
      slams = true;
      for (const socket of open) socket.destroy();
    },
    silence,
    silenceWhenReady: () => {
      untilReady = true;
    },
    heal: () => {
      silent = slams = false;
      deaf = { now: false };
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
