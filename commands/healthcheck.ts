/** `demand healthcheck`: asks the service on this machine; for containers without a shell. */
import { messageOf } from "../core/errors.ts";
import type { Config } from "../config.ts";
import { inAddress } from "../core/host.ts";
import { exchange } from "../core/http.ts";
import { isObject, parsedJson } from "../core/json.ts";
import { EXIT_FAILED } from "./usage.ts";

const DEADLINE_MS = 4_000;
const MAX_BYTES = 65_536;
const MAX_SHOWN = 500;

/** Where a process on the same machine reaches the service. */
function localAddress({ host, port }: Pick<Config, "host" | "port">): string {
  const near = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${inAddress(near)}:${port}`;
}

/** Whether /health says that nothing can be sold. */
function saysStopped(body: string): boolean {
  const health = parsedJson(body);
  return isObject(health) && health["sales"] === "stopped";
}

/**
 * Prints the first 500 characters of what /health says. Gives the exit code: 0 where the service
 * answers within four seconds and sales are not stopped, 1 otherwise.
 */
export async function runHealthcheck(
  config: Config,
  print: (text: string) => void,
): Promise<number> {
  const address = `${localAddress(config)}/health`;
  try {
    const { status, text } = await exchange({
      fetch,
      url: address,
      method: "GET",
      timeoutMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
    });
    print(`${text.slice(0, MAX_SHOWN).trim()}\n`);
    return status === 200 && !saysStopped(text) ? 0 : EXIT_FAILED;
  } catch (error) {
    const why = messageOf(error);
    print(`${JSON.stringify({ status: "unreachable", address, why })}\n`);
    return EXIT_FAILED;
  }
}
