/** Asks a paid route as payment would, without any payment. */
import type { Catalogue } from "../../mining/cards/types.ts";
import type { PaidAnswer, PaidRequest } from "../../payment/mod.ts";
import { VERDICTS } from "./support.ts";
import { handlerOf, type PaidRoute } from "../../routes/pipeline/paid_route.ts";

export interface Asked {
  readonly query?: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
}

export function requestOf(route: PaidRoute, asked: Asked): PaidRequest {
  const { body = "", type } = asked;
  return {
    method: route.row.method,
    path: route.row.path,
    query: new URLSearchParams(asked.query),
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
    header: (name) => name.toLowerCase() === "content-type" ? type ?? null : null,
  };
}

/** Looks whether an answer is to be had, and computes it. */
export async function answerOf(
  route: PaidRoute,
  catalogue: Catalogue,
  asked: Asked = {},
): Promise<PaidAnswer> {
  const handler = handlerOf(route, { catalogue: () => catalogue, verdicts: VERDICTS });
  const call = await handler.prepare(requestOf(route, asked));
  await handler.ready?.();
  await call.available?.();
  return await call.compute(new AbortController().signal);
}
