/** `demand healthcheck`: asks the service on this machine; for containers without a shell. */
import { causeMessage } from "../core/errors.ts";
import type { Config } from "../config.ts";
import { boundedText } from "../core/bounded_body.ts";
import { inAddress } from "../core/host.ts";
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
  try {
    const health: unknown = JSON.parse(body);
    return typeof health === "object" && health !== null && "sales" in health &&
      health.sales === "stopped";
  } catch {
    return false;
  }
}

/** Prints what /health says; gives the exit code: 0 where the service can answer and sell. */
export async function runHealthcheck(
  config: Config,
  print: (text: string) => void,
): Promise<number> {
  const address = `${localAddress(config)}/health`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(DEADLINE_MS) });
    const body = await boundedText(response, MAX_BYTES) ?? "";
    print(`${body.slice(0, MAX_SHOWN).trim()}\n`);
    return response.ok && !saysStopped(body) ? 0 : EXIT_FAILED;
  } catch (error) {
    const why = causeMessage(error);
    print(`${JSON.stringify({ status: "unreachable", address, why })}\n`);
    return EXIT_FAILED;
  }
}
