/**
 * The service's runtime on Bun. `BunApi` names the part of Bun that is used; tests/bun/contract.ts
 * checks it against the published types, which cannot be loaded beside Deno's own.
 */
import type { Runtime } from "./types.ts";

interface BunServer {
  readonly hostname: string | undefined;
  readonly port: number | undefined;
  stop(closeActiveConnections?: boolean): Promise<void>;
  requestIP(request: Request): { readonly address: string } | null;
}

/** The part of Bun that the service uses, in Bun's own names and units. */
export interface BunApi {
  readonly version: string;
  serve(options: {
    hostname: string;
    port: number;
    idleTimeout: number;
    fetch: (request: Request, server: BunServer) => Response | Promise<Response>;
    error: (error: Error) => Response;
  }): BunServer;
  cron(schedule: string, job: () => Promise<void>): { stop(): unknown };
}

/** Seconds; above the longest compute budget (45 s), so that Bun does not cut a live verdict. */
const IDLE_TIMEOUT_SECONDS = 120;

/** The runtime on Bun, made of its global, which is handed in. */
export const bunRuntime = (bun: BunApi): Runtime => ({
  name: "bun",
  version: bun.version,
  serve: ({ hostname, port, handler, onError }) => {
    const server = bun.serve({
      hostname,
      port,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      fetch: (request, self) =>
        handler(request, { remoteAddress: self.requestIP(request)?.address ?? "" }),
      error: onError,
    });
    return Promise.resolve({
      hostname: server.hostname ?? hostname,
      port: server.port ?? port,
      drain: () => server.stop(false),
      close: () => server.stop(true),
    });
  },
  cron: (_name, schedule, job) => {
    const handle = bun.cron(schedule, job);
    return { stop: () => void handle.stop() };
  },
});
