/** One request's way, whatever answers it: from its id to its record. */
import type { Context } from "hono";
import { ServiceError } from "../../core/errors.ts";
import type { AppDeps, AppEnv, RequestRecord } from "./deps.ts";
import { baseHeaders, EXPOSE_HEADERS } from "./headers.ts";
import { type Scope, sendError } from "./respond.ts";

export type AppContext = Context<AppEnv>;

/** What answers a request; it may throw. */
export type AnswerRequest = (scope: Scope, c: AppContext) => Response | Promise<Response>;

/**
 * Makes Hono's handler of an answer: whatever the answer throws becomes an answer too. `route` is the path
 * in the table, for the record; null where no route matched.
 */
export type Handle = (
  route: string | null,
  answer: AnswerRequest,
) => (c: AppContext) => Response | Promise<Response>;

type HandleDeps = Pick<AppDeps, "settings" | "log" | "requestId" | "observe">;

/** Makes what all handlers of an application are made with. */
export function createHandle({ settings, log, requestId, observe }: HandleDeps): Handle {
  const base = baseHeaders(settings);

  const begin = (c: AppContext): Scope => {
    const id = c.env.requestId ?? requestId();
    const headers = { ...base, "x-request-id": id };
    if (c.req.raw.headers.has("origin")) Object.assign(headers, EXPOSE_HEADERS);
    return { request: c.req.raw, requestId: id, log, headers };
  };

  /** An answer that was paid for is never lost to whoever only watches. */
  const report = (watch: NonNullable<typeof observe>, record: RequestRecord): void => {
    try {
      watch(record);
    } catch (error) {
      log.error("a request could not be recorded", { error });
    }
  };

  return (route, answer) => (c) => {
    const scope = begin(c);
    const started = performance.now();
    const finish = (response: Response): Response => {
      if (observe !== undefined) report(observe, recordOf(scope, route, response, started));
      return response;
    };
    const fail = (error: unknown): Response => finish(sendError(scope, error));
    try {
      checkAddress(scope.request);
      const response = answer(scope, c);
      return response instanceof Promise ? response.then(finish, fail) : finish(response);
    } catch (error) {
      return fail(error);
    }
  };
}

/** What is logged of a finished request; `started` is of the clock that only goes forward. */
function recordOf(
  scope: Scope,
  route: string | null,
  response: Response,
  started: number,
): RequestRecord {
  return {
    requestId: scope.requestId,
    method: scope.request.method,
    route,
    status: response.status,
    durationMs: performance.now() - started,
    ...(scope.charge ? { charge: scope.charge } : {}),
    ...(scope.code === undefined ? {} : { code: scope.code }),
    ...(scope.computeMs === undefined ? {} : { computeMs: scope.computeMs }),
    traceparent: scope.request.headers.get("traceparent"),
  };
}

/** The runtime makes the address of whatever the Host header says. @throws ServiceError where that is not a host. */
function checkAddress({ url }: Request): void {
  if (URL.canParse(url)) return;
  throw new ServiceError("invalid_parameter", "The Host header names no host.", { param: "Host" });
}
