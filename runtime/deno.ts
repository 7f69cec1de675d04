/** The service's runtime on Deno. */
import type { Runtime } from "./types.ts";

/** The runtime where Deno's global is. */
export const denoRuntime = (): Runtime => ({
  name: "deno",
  version: Deno.version.deno,
  serve: ({ hostname, port, handler, onError }) =>
    new Promise((resolve, reject) => {
      const abort = new AbortController();
      try {
        const server = Deno.serve(
          {
            hostname,
            port,
            signal: abort.signal,
            onError,
            onListen: (address) =>
              resolve({
                hostname: address.hostname,
                port: address.port,
                drain: () => {
                  draining = true;
                  return server.shutdown();
                },
                close: async () => {
                  // Aborting a server that drains throws where nobody catches it; the process's end cuts
                  // what has not drained.
                  if (draining) return;
                  abort.abort();
                  await server.finished;
                },
              }),
          },
          (request, info) => handler(request, { remoteAddress: info.remoteAddr.hostname }),
        );
        let draining = false;
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
