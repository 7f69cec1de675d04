/** The application: every route of the table behind one thin layer that all requests pass. */
import { type Context, Hono } from "hono";
import { ServiceError } from "../core/errors.ts";
import { categories } from "./categories.ts";
import { clientResolver } from "./clients.ts";
import type { AppDeps, AppEnv } from "./deps.ts";
import { baseHeaders, EXPOSE_HEADERS, preflightHeaders } from "./headers.ts";
import { health, livez, readyz } from "./health.ts";
import { type Allowance, createLimits } from "./limits.ts";
import { type Scope, sendError } from "./respond.ts";
import type { FreeRoute } from "./route.ts";
import { sample } from "./sample.ts";

const FREE_ROUTES: readonly FreeRoute[] = [categories, sample, health, livez, readyz];

type AppContext = Context<AppEnv>;
type Answer = (scope: Scope, c: AppContext) => Response | Promise<Response>;

/**
 * Makes the service's HTTP application. Answer requests with
 * `app.fetch(request, { remoteAddress })`; it never throws and never rejects.
 * @throws OperatorError where `trustedProxies` holds something that is no address and no block.
 */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const { settings, clock, log, requestId, observe } = deps;
  const app = new Hono<AppEnv>();
  const limits = createLimits(settings.rateLimits);
  const clientOf = clientResolver(settings.trustedProxies);
  const base = baseHeaders(settings);
  const methods = new Map<string, Set<string>>();

  const begin = (c: AppContext): Scope => {
    const id = requestId();
    const headers = { ...base, "x-request-id": id };
    if (c.req.raw.headers.has("origin")) Object.assign(headers, EXPOSE_HEADERS);
    return { request: c.req.raw, requestId: id, log, headers };
  };

  const client = (c: AppContext): string =>
    clientOf(c.env.remoteAddress, c.req.raw.headers.get("x-forwarded-for"));

  /** Runs one request from its id to its record; whatever is thrown becomes an answer. */
  const handle = (route: string | null, answer: Answer) => (c: AppContext) => {
    const scope = begin(c);
    const started = performance.now();
    const finish = (response: Response): Response => {
      observe?.({
        requestId: scope.requestId,
        method: scope.request.method,
        route,
        status: response.status,
        durationMs: performance.now() - started,
      });
      return response;
    };
    const fail = (error: unknown): Response => finish(sendError(scope, error));
    try {
      const response = answer(scope, c);
      return response instanceof Promise ? response.then(finish, fail) : finish(response);
    } catch (error) {
      return fail(error);
    }
  };

  const limited = (route: FreeRoute, answer: Answer): Answer => {
    const group = route.row.limit;
    if (group === null) return answer;
    const window = limits[group];
    return (scope, c) => {
      const allowance = window.take(client(c), clock.now().getTime());
      putLimitHeaders(scope.headers, allowance);
      if (allowance.allowed) return answer(scope, c);
      throw new ServiceError(
        "rate_limited",
        `At most ${allowance.limit} calls a minute here; the next is free in ${allowance.resetSeconds} s.`,
        { retryAfterSeconds: allowance.resetSeconds },
      );
    };
  };

  for (const route of FREE_ROUTES) {
    const { method, path } = route.row;
    app.on(method, path, handle(path, limited(route, route.bind(deps))));
    methods.set(path, (methods.get(path) ?? new Set()).add(method));
  }

  app.notFound(handle(null, (scope, c) => {
    const allowed = methods.get(c.req.path);
    if (!allowed) throw new ServiceError("not_found", "There is nothing at this address.");
    const allow = [...allowed, ...(allowed.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    if (c.req.method === "OPTIONS") {
      const headers = { ...scope.headers, ...preflightHeaders(allow) };
      return new Response(null, { status: 204, headers });
    }
    const refusal = new ServiceError("method_not_allowed", `This address answers ${allow}.`);
    return sendError(scope, refusal, { allow });
  }));
  return app;
}

function putLimitHeaders(headers: Record<string, string>, allowance: Allowance): void {
  headers["ratelimit-limit"] = String(allowance.limit);
  headers["ratelimit-remaining"] = String(allowance.remaining);
  headers["ratelimit-reset"] = String(allowance.resetSeconds);
}
