/** The application: every route of the table behind one thin layer that all requests pass. */
import { Hono } from "hono";
import { z } from "zod";
import { ServiceError } from "../core/errors.ts";
import { freeRoutes, PAID_ROUTES } from "./all.ts";
import { createSampleVerdicts } from "./data/sample_verdict.ts";
import { wantsHtml } from "./documents/document.ts";
import { sendNotFound } from "./pages/not_found.ts";
import { type AnswerRequest, createHandle, type Handle } from "./pipeline/request.ts";
import type { AppDeps, AppEnv } from "./pipeline/deps.ts";
import { type Admission, admit, createAdmission } from "./pipeline/admission.ts";
import { refuseUnknown } from "./pipeline/input.ts";
import { preflightHeaders } from "./pipeline/headers.ts";
import { sendError } from "./pipeline/respond.ts";
import type { FreeRoute, Site } from "./pipeline/route.ts";
import { createPaidAdmission } from "./pipeline/paid_admission.ts";
import { isData, isProbe, MCP_PATH, type Row } from "./pipeline/route_table.ts";
import { toolCalls } from "./mcp/calls.ts";

/**
 * Makes the service's HTTP application. Answer requests with
 * `app.fetch(request, { remoteAddress })`; it never throws and never rejects.
 * @throws OperatorError where `trustedProxies` holds something other than addresses and blocks.
 */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  const { settings, payments } = deps;
  const app = new Hono<AppEnv>();
  const admission = createAdmission(deps);
  const handle = createHandle(deps);
  const { mount, mountHead, refuse } = createAddresses(app, handle, settings.version);
  const samples = createSampleVerdicts(deps);
  const free = freeRoutes(settings.familySlug, samples);
  const documented = [...free, ...PAID_ROUTES].filter(({ row }) => row.limit !== null);
  const site: Site = { ...deps, routes: documented, prepareExamples: samples.prepare };
  for (const route of free) mount(route.row, limited(admission, route, route.bind(site)));
  if (payments) {
    const paid = createPaidAdmission(admission, deps, payments);
    for (const route of PAID_ROUTES) {
      const answer = paid(route);
      mount(route.row, answer);
      // Hono asks the handler of GET for HEAD, and there is none where a body is posted.
      if (route.row.method !== "GET") mountHead(route.row, answer);
    }
  }
  const tools = toolCalls(admission, site, (call, env) => app.fetch(call, env));
  mount({ method: "POST", path: MCP_PATH }, tools);
  app.notFound(handle(null, refuse));
  return app;
}

/** What free routes with data take. */
const NO_PARAMETERS = z.object({});

/**
 * A free route behind its limit; where it reports the service's state, however much is going on. Data is not
 * answered as if a parameter held that nobody knows; pages, documents and probes are asked with anything.
 */
function limited(admission: Admission, route: FreeRoute, answer: AnswerRequest): AnswerRequest {
  const group = route.row.limit;
  if (group === null) return answer;
  const window = admission.limits[group];
  return (scope, c) => {
    admit(scope, window.take(admission.client(c), admission.now()));
    if (isData(route.row)) refuseUnknown(new URL(c.req.url).searchParams.keys(), NO_PARAMETERS);
    return isProbe(route.row) ? answer(scope, c) : admission.work.hold(() => answer(scope, c));
  };
}

interface Addresses {
  readonly mount: (row: Pick<Row, "method" | "path">, answer: AnswerRequest) => void;
  /** Has HEAD answered at the address of a route whose method is not GET. */
  readonly mountHead: (row: Pick<Row, "path">, answer: AnswerRequest) => void;
  /** Answers what no route does: OPTIONS, another method than those of the address, and all else. */
  readonly refuse: AnswerRequest;
}

/** Remembers which methods each address has, for `Allow`. */
function createAddresses(app: Hono<AppEnv>, handle: Handle, version: string): Addresses {
  const methods = new Map<string, Set<string>>();
  return {
    mount: ({ method, path }, answer) => {
      app.on(method, path, handle(path, answer));
      methods.set(path, (methods.get(path) ?? new Set()).add(method));
    },
    mountHead: ({ path }, answer) => {
      const head = handle(path, answer);
      app.get(path, (c) => c.req.method === "HEAD" ? head(c) : c.notFound());
      methods.get(path)?.add("HEAD");
    },
    refuse: (scope, c) => {
      const allowed = methods.get(c.req.path);
      if (!allowed) {
        const url = new URL(scope.request.url);
        const without = url.pathname.replace(/\/$/, "");
        if (c.req.method === "GET" && methods.get(without)?.has("GET")) {
          const location = `${without}${url.search}`;
          return new Response(null, { status: 308, headers: { ...scope.headers, location } });
        }
        const isBrowser = c.req.method === "GET" && wantsHtml(scope.request.headers.get("accept"));
        if (isBrowser) return sendNotFound(scope, version);
        throw new ServiceError("not_found", "There is nothing at this address.");
      }
      const allow = [...allowed, ...(allowed.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
      if (c.req.method === "OPTIONS") {
        const headers = { ...scope.headers, ...preflightHeaders(allow) };
        return new Response(null, { status: 204, headers });
      }
      const refusal = new ServiceError("method_not_allowed", `This address answers ${allow}.`);
      return sendError(scope, refusal, { allow });
    },
  };
}
