/** The service's runtime on Deno. */
import type { Runtime } from "./types.ts";

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
                drain: () => server.shutdown(),
                close: async () => {
                  // Aborting a server that has already drained throws.
                  if (!finished) abort.abort();
                  await server.finished;
                },
              }),
          },
          (request, info) => handler(request, { remoteAddress: info.remoteAddr.hostname }),
        );
        let finished = false;
        void server.finished.then(() => finished = true);
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
