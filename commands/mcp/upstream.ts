/** The tools of an instance over HTTP: one message a request, as its /mcp takes them. */
import { z } from "zod";
import { boundedText } from "../../core/bounded_body.ts";
import { messageOf, OperatorError } from "../../core/errors.ts";

/** A verdict with a live search takes 45 seconds, and settling some more. */
const TIMEOUT_MS = 120_000;
/** Far more than the longest answer, a page of 50 cards. */
const MAX_MB = 8;

const reply = z.looseObject({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

/** The address of an instance as hosts give it, without its /mcp. @throws OperatorError where it is none. */
export function instanceAddress(given: string): string {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) {
    throw new OperatorError(`${given}: should be the http address of an instance`);
  }
  const url = new URL(given);
  url.pathname = url.pathname.replace(/\/+(?:mcp\/?)?$/, "");
  url.search = "";
  url.hash = "";
  return url.href.replace(/\/$/, "");
}

/** Asks the instance at `url`. @throws Error in one sentence for any answer that is not a result. */
export async function askUpstream(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  let text: string | null;
  try {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await boundedText(response, MAX_MB * 1024 * 1024);
  } catch (error) {
    throw new Error(`${url} does not answer (${messageOf(error)})`);
  }
  if (text === null) throw new Error(`${url}/mcp answers with more than ${MAX_MB} MB`);
  const read = reply.safeParse(parsed(text));
  if (read.success && read.data.result !== undefined) return read.data.result;
  throw new Error(
    read.data?.error?.message ?? `${url}/mcp speaks no MCP: is it the right address?`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
