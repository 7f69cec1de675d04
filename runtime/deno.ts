/** The service's runtime on Deno. */
import type { Runtime } from "./types.ts";

/** How long nobody listens after a connection could not be accepted. */
const RESTART_MS = 100;

/**
 * Begins to read a body that no route read, and leaves it: Deno's server would read it to its end, which may never come,
 * and does not stop before. The connection is closed behind the answer.
 */
async function leaveUnread(
  request: Request,
  answering: Promise<Response> | Response,
): Promise<Response> {
  const response = await answering;
  const { body } = request;
  if (body !== null && !body.locked) body.getReader();
  return response;
}

/**
 * The runtime on Deno. It goes on accepting connections after the process was out of file
 * descriptors.
 */
export const denoRuntime = (): Runtime => ({
  name: "deno",
  version: Deno.version.deno,
  serve: ({ hostname, port, handler, onError, onRefusing }) =>
    new Promise((resolve, reject) => {
      const abort = new AbortController();
      let server: Deno.HttpServer;
      let draining = false;
      let bound = port;
      let again: ReturnType<typeof setTimeout> | undefined;
      // Deno's server ends at the first connection that it cannot accept because the process is out of file
      // descriptors. Accepted connections go on; a new server takes its place.
      const start = (port: number, onListen: (address: Deno.NetAddr) => void): void => {
        server = Deno.serve(
          {
            hostname,
            port,
            signal: abort.signal,
            onError,
            onListen: (address) => {
              bound = address.port;
              onListen(address);
            },
          },
          (request, info) =>
            leaveUnread(request, handler(request, { remoteAddress: info.remoteAddr.hostname })),
        );
        server.finished.catch((error) => {
          onRefusing(error);
          restart();
        });
      };
      const restart = (): void => {
        again = setTimeout(() => {
          try {
            start(bound, () => {});
          } catch (error) {
            onRefusing(error);
            restart();
          }
        }, RESTART_MS);
      };
      try {
        start(port, (address) =>
          resolve({
            hostname: address.hostname,
            port: address.port,
            drain: () => {
              draining = true;
              clearTimeout(again);
              return server.shutdown();
            },
            close: async () => {
              clearTimeout(again);
              // Aborting a server that drains throws where nobody catches it; the process's end cuts
              // what has not drained.
              if (draining) return;
              abort.abort();
              await server.finished.catch(() => {});
            },
          }));
      } catch (error) {
        reject(error);
      }
    }),
  cron: (name, schedule, job) => {
    const abort = new AbortController();
    void Deno.cron(name, schedule, { signal: abort.signal }, job);
    return { stop: () => abort.abort() };
  },
});
