/** The application: every route of the table behind one thin layer that all requests pass. */
import { type Context, Hono } from "hono";
import { ServiceError } from "../core/errors.ts";
import type { Reply } from "../payment/mod.ts";
import { freeRoutes, PAID_ROUTES } from "./all.ts";
import { buffered } from "./body.ts";
import { clientResolver } from "./clients.ts";
import type { AppDeps, AppEnv, RequestRecord } from "./deps.ts";
import { baseHeaders, EXPOSE_HEADERS, preflightHeaders } from "./headers.ts";
import { type Allowance, createLimits, Places, Window } from "./limits.ts";
import { handlerOf, offerOf, type PaidRoute } from "./paid.ts";
import { type Scope, sendError } from "./respond.ts";
import type { FreeRoute, Site } from "./route.ts";
import { timedHandler, timing } from "./timing.ts";
import { isProbe, MCP_PATH } from "./table.ts";

type AppContext = Context<AppEnv>;
type Answer = (scope: Scope, c: AppContext) => Response | Promise<Response>;

/**
 * Makes the service's HTTP application. Answer requests with
 * `app.fetch(request, { remoteAddress })`; it never throws and never rejects.
 * @throws OperatorError where `trustedProxies` holds something that is no address and no block.
 */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const { settings, clock, log, requestId, observe, payments } = deps;
  const app = new Hono<AppEnv>();
  const limits = createLimits(settings.rateLimits);
  const refusals = new Window(settings.rateLimits.challenges);
  // Whoever sends a body slowly keeps no one from being answered, but the next slow sender.
  const work = new Places(settings.maxAtOnce);
  const bodies = new Places(settings.maxAtOnce);
  const whole = (request: Request, maxBytes: number): Request | Promise<Request> =>
    request.body === null ? request : bodies.hold(() => buffered(request, maxBytes));
  const clientOf = clientResolver(settings.trustedProxies);
  const base = baseHeaders(settings);
  const methods = new Map<string, Set<string>>();
  const free = freeRoutes(settings.familySlug);
  const documented = [...free, ...PAID_ROUTES].filter(({ row }) => row.limit !== null);
  const site: Site = { ...deps, routes: documented };

  const begin = (c: AppContext): Scope => {
    const id = requestId();
    const headers = { ...base, "x-request-id": id };
    if (c.req.raw.headers.has("origin")) Object.assign(headers, EXPOSE_HEADERS);
    return { request: c.req.raw, requestId: id, log, headers };
  };

  const behindProxy = settings.trustedProxies.length > 0;
  /** Headers are read only where they may matter: each look costs what a tenth of an answer does. */
  const client = (c: AppContext): string =>
    clientOf(
      c.env.remoteAddress,
      behindProxy ? c.req.raw.headers.get("x-forwarded-for") : null,
    );

  const now = (): number => clock.now().getTime();

  /** An answer that was paid for is never lost to whoever only watches. */
  const report = (record: RequestRecord): void => {
    try {
      observe?.(record);
    } catch (error) {
      log.error("a request could not be recorded", { error });
    }
  };

  /** Runs one request from its id to its record; whatever is thrown becomes an answer. */
  const handle = (route: string | null, answer: Answer) => (c: AppContext) => {
    const scope = begin(c);
    const started = performance.now();
    const finish = (response: Response): Response => {
      if (observe === undefined) return response;
      report({
        requestId: scope.requestId,
        method: scope.request.method,
        route,
        status: response.status,
        durationMs: performance.now() - started,
        ...(scope.sale ? { sale: scope.sale } : {}),
        ...(scope.code === undefined ? {} : { code: scope.code }),
        ...(scope.computeMs === undefined ? {} : { computeMs: scope.computeMs }),
        traceparent: scope.request.headers.get("traceparent"),
      });
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

  const limited = (route: FreeRoute, answer: Answer): Answer => {
    const group = route.row.limit;
    if (group === null) return answer;
    const window = limits[group];
    return (scope, c) => {
      admit(scope, window.take(client(c), now()));
      return isProbe(route.row) ? answer(scope, c) : work.hold(() => answer(scope, c));
    };
  };

  /**
   * A call without a payment counts as a challenge. One with a payment counts only where nothing was
   * bought, and apart, so that a flood of challenges never keeps a payer of the same address out. Where
   * the chain must be asked whether it is signed, it counts before as well, in a much smaller window of
   * its own, and no longer once it is sold.
   */
  const sold = (route: PaidRoute, sell: NonNullable<typeof payments>): Answer => {
    const answer = sell.paid(
      offerOf(route, deps.catalogue()),
      timedHandler(handlerOf(route, deps)),
    );
    return async (scope, c) => {
      const { request } = scope;
      const isPaid = request.headers.has("payment-signature") || request.headers.has("x-payment");
      const who = client(c);
      const { challenges, signatures } = limits;
      if (isPaid) admit(scope, refusals.look(who, now()));
      else if (c.env.counted !== true) admit(scope, challenges.take(who, now()));
      let counted = false;
      const reply: Reply = {
        headers: scope.headers,
        error: (error) => sendError(scope, error),
        doubt: () => {
          admit(scope, signatures.take(who, now()));
          counted = true;
        },
        sold: (sale) => scope.sale = { ...sale, usd: route.row.price },
      };
      const complete = await whole(request, MAX_BODY_BYTES);
      const response = await work.hold(() => timing(scope, () => answer(complete, reply)));
      const isInVain = isPaid && scope.sale === undefined && response.status < 429;
      if (isInVain) refusals.take(who, now());
      if (counted && scope.sale !== undefined) signatures.giveBack(who);
      return response;
    };
  };

  const mount = (method: string, path: string, answer: Answer): void => {
    app.on(method, path, handle(path, answer));
    methods.set(path, (methods.get(path) ?? new Set()).add(method));
  };
  for (const route of free) {
    mount(route.row.method, route.row.path, limited(route, route.bind(site)));
  }
  if (payments) {
    for (const route of PAID_ROUTES) {
      const { method, path } = route.row;
      const answer = sold(route, payments);
      mount(method, path, answer);
      // Hono asks the handler of GET for HEAD, and there is none where a body is posted.
      if (method === "GET") continue;
      const head = handle(path, answer);
      app.get(path, (c) => c.req.method === "HEAD" ? head(c) : c.notFound());
      methods.get(path)?.add("HEAD");
    }
  }

  // The protocol's library is large, and most starts never need it.
  const loadMcp = async () => (await import("./mcp/server.ts")).mcpAnswer(site);
  let mcp: ReturnType<typeof loadMcp> | undefined;
  mount("POST", MCP_PATH, async (scope, c) => {
    admit(scope, limits.challenges.take(client(c), now()));
    const message = await whole(scope.request, MAX_MESSAGE_BYTES);
    // A tool's call takes two places: this one, and that of the route it is. It is counted here alone.
    const env = { ...c.env, counted: true };
    return await work.hold(async () => {
      const answer = await (mcp ??= loadMcp());
      return await answer({ ...scope, request: message }, async (call) => {
        const forwarded = scope.request.headers.get("x-forwarded-for");
        if (forwarded !== null) call.headers.set("x-forwarded-for", forwarded);
        return await app.fetch(call, env);
      });
    });
  });

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

/** What paid routes and tools read; a payment has 8 KB at most and a query 200 characters. */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_MESSAGE_BYTES = 64 * 1024;

/** The runtime makes the address of whatever the Host header says. @throws ServiceError where that is no host. */
function checkAddress({ url }: Request): void {
  if (URL.canParse(url)) return;
  throw new ServiceError("invalid_parameter", "The Host header names no host.", { param: "Host" });
}

/** Puts the limit into the headers. @throws ServiceError `rate_limited` where it is used up. */
function admit({ headers }: Scope, allowance: Allowance): void {
  headers["ratelimit-limit"] = String(allowance.limit);
  headers["ratelimit-remaining"] = String(allowance.remaining);
  headers["ratelimit-reset"] = String(allowance.resetSeconds);
  if (allowance.allowed) return;
  throw new ServiceError(
    "rate_limited",
    `At most ${allowance.limit} calls a minute here; the next is free in ${allowance.resetSeconds} s.`,
    { retryAfterSeconds: allowance.resetSeconds },
  );
}
