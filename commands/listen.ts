/** The service's own port. */
import { createServer } from "node:net";
import type { Config } from "../config.ts";
import { errorCode, messageOf, OperatorError } from "../core/errors.ts";
import { inAddress } from "../core/host.ts";
import { currentRuntime, type FetchHandler, type HttpServer } from "../runtime/mod.ts";
import type { CommandContext } from "./context.ts";

/** What is wrong with the address, and not with the port. */
const ABOUT_HOST = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"]);

function cannotListen({ host, port }: Config, error: unknown): OperatorError {
  const why = messageOf(error);
  const name = ABOUT_HOST.has(errorCode(error) ?? "") ? "HOST" : "PORT";
  return new OperatorError(`${name}: cannot listen on ${inAddress(host)}:${port}: ${why}`, {
    cause: error,
  });
}

/**
 * Takes the port and gives it back, so that a start which cannot serve in the end stores nothing before.
 * @throws OperatorError where the port is taken or not allowed.
 */
export async function requireFreePort(config: Config): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer();
  server.once("error", (error) => reject(cannotListen(config, error)));
  server.listen({ host: config.host, port: config.port }, () => server.close(() => resolve()));
  await promise;
}

/** Serves on HOST and PORT. @throws OperatorError where that is not possible. */
export async function listen(
  { config, log }: CommandContext,
  handler: FetchHandler,
): Promise<HttpServer> {
  try {
    return await currentRuntime().serve({
      hostname: config.host,
      port: config.port,
      handler,
      onError: (error) => {
        log.error("a request escaped the application", { error });
        return new Response(null, { status: 500 });
      },
    });
  } catch (error) {
    throw cannotListen(config, error);
  }
}
