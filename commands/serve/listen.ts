/** The addresses that the service listens on. */
import { createServer } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import type { Config } from "../../config.ts";
import { errorCode, messageOf, OperatorError } from "../../core/errors.ts";
import { inAddress } from "../../core/host.ts";
import type { Log } from "../../core/log.ts";
import { currentRuntime, type FetchHandler, type HttpServer } from "../../runtime/mod.ts";
import type { CommandContext } from "../context.ts";

/** What is wrong with the port; the rest is about the host, such as a name that Bun gives no code for. */
const ABOUT_PORT = new Set(["EADDRINUSE", "EACCES", "EPERM"]);

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The system's codes, in an operator's words. */
const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program, or another instance of this one, listens there already",
  EACCES: "this user may not (ports below 1024 need a right)",
  EPERM: "this user may not (ports below 1024 need a right)",
  EADDRNOTAVAIL: "this machine has no such address",
  // What Deno makes of it.
  EINVAL: "this machine has no such address",
  ENOTFOUND: "there is no such host",
};

/**
 * The error of an address that cannot be listened on, by the name of the setting that says it, and
 * why.
 */
export function cannotListen(name: string, { host, port }: Address, error: unknown): OperatorError {
  const why = WHY[errorCode(error) ?? ""] ?? messageOf(error);
  return new OperatorError(`${name}: cannot listen on ${inAddress(host)}:${port}: ${why}`, {
    cause: error,
  });
}

const nameOf = (error: unknown): string => ABOUT_PORT.has(errorCode(error) ?? "") ? "PORT" : "HOST";

/** Takes a port for a moment; gives what gives it back. Rejects with the system's own error. */
async function take({ host, port }: Address): Promise<() => Promise<void>> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer();
  server.once("error", reject);
  server.listen({ host, port }, resolve);
  await promise;
  return () => new Promise((closed) => server.close(() => closed()));
}

async function takeForMetrics(address: Address): Promise<void> {
  const release = await take(address).catch((error) => {
    throw cannotListen("METRICS_LISTEN", address, error);
  });
  await release();
}

/**
 * Takes the addresses of the service and of its metrics for a moment, so that a start which cannot
 * serve in the end stores nothing before.
 * @throws OperatorError where one is taken or not allowed.
 */
export async function requireFreePorts(config: Config): Promise<void> {
  const release = await take(config).catch((error) => {
    throw cannotListen(nameOf(error), config, error);
  });
  try {
    // Beside the first: the two may be the same.
    if (config.metricsListen !== null) await takeForMetrics(config.metricsListen);
  } finally {
    await release();
  }
}

/** So long without a refused connection, and connections are accepted again. */
const QUIET_MS = 10_000;

/**
 * Makes what is called for each connection that the system refuses: it logs that this begins, and
 * that for ten seconds none was refused.
 */
export function refusals(log: Log): (error: unknown) => void {
  let quiet: NodeJS.Timeout | undefined;
  return (error) => {
    if (quiet === undefined) {
      log.error(
        'connections cannot be accepted (raise "ulimit -n", or LimitNOFILE under systemd)',
        {
          reason: messageOf(error),
        },
      );
    }
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      quiet = undefined;
      log.info("connections are accepted again");
    }, QUIET_MS);
    // What ends does not wait to tell it.
    quiet.unref();
  };
}

/**
 * Serves on HOST and PORT until the server that it gives is closed.
 * @throws OperatorError where that is not possible.
 */
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
        log.error("a request failed outside of its route", { error });
        return new Response(null, { status: 500 });
      },
      onRefusing: refusals(log),
    });
  } catch (error) {
    throw cannotListen(nameOf(error), config, error);
  }
}
