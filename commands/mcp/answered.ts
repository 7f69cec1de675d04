/** Which requests of a host still wait for their answer. */
import type { Server } from "@modelcontextprotocol/sdk/server";
import { z } from "zod";

const cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/**
 * Watches a transport that is not connected yet. The function that it gives resolves once every
 * request that came in until then is answered, or was cancelled by the host, which gets no answer.
 */
export function watchAnswers(transport: Parameters<Server["connect"]>[0]): () => Promise<void> {
  const open = new Set<string | number>();
  let wake = (): void => {};
  const close = (id: string | number | undefined): void => {
    if (id !== undefined) open.delete(id);
    if (open.size === 0) wake();
  };
  // The server that connects calls this before its own.
  transport.onmessage = (message) => {
    if ("method" in message && "id" in message) open.add(message.id);
    else close(cancelled.safeParse(message).data?.params.requestId);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!("method" in message)) close(message.id);
  };
  return () => new Promise((resolve) => open.size === 0 ? resolve() : wake = resolve);
}
