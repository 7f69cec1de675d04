/** POST /mcp: the Model Context Protocol over streamable HTTP, without sessions. */
import { Server } from "@modelcontextprotocol/sdk/server";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { categorySlugs } from "../../mining/cards/queries.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { memoLast, type Scope } from "../pipeline/respond.ts";
import { dataRoutes, type Site } from "../pipeline/route.ts";
import { SERVICE_NAME, toolGuidance } from "../pipeline/words.ts";
import { CREDENTIAL_KEY, inTools, PAYMENT_KEY, requestFor, resultOf, toolOf } from "./tools.ts";

/** Nothing is asked of clients here, so nothing of theirs is checked; it spares a validator a call. */
const NO_VALIDATOR = {
  getValidator: <T>() => (input: unknown) =>
    ({
      valid: false as const,
      data: undefined,
      errorMessage: `nothing is expected, found ${typeof input}`,
    }) satisfies { valid: false; data: T | undefined; errorMessage: string },
};

const listRequest = z.object({ method: z.literal("tools/list") });
/**
 * Wrong parameters are the caller's mistake (-32602) where the library finds them behind this schema; it
 * would call what this one refuses an error of ours (-32603).
 */
const callRequest = z.object({ method: z.literal("tools/call"), params: z.unknown().optional() });

/** A refusal in the protocol's own terms; clients get its code and message. */
class InvalidParams extends Error {
  override readonly name = "InvalidParams";
  readonly code = -32602;
}

/**
 * One message a request: protocol versions from 2025-06-18 on have no batches, and a batch would be many
 * calls counted as one.
 */
const BATCH_REFUSED = JSON.stringify({
  jsonrpc: "2.0",
  error: { code: -32600, message: "Batches are not taken: send one message a request." },
  id: null,
});

function refuseBatch(): Response {
  const headers = { "content-type": "application/json" };
  return new Response(BATCH_REFUSED, { status: 400, headers });
}

/** Answers a request of one of our routes, as the client that asked here. */
type Dispatch = (request: Request) => Promise<Response>;

/**
 * Makes the answer to MCP requests. A tool's call is dispatched as the HTTP request that it stands
 * for: the same limits, checks, ledger and promises hold.
 */
export function mcpAnswer(site: Site): (scope: Scope, dispatch: Dispatch) => Promise<Response> {
  const { baseUrl, version } = site.settings;
  const offered = memoLast((catalogue: Catalogue) => {
    const routes = dataRoutes(site, catalogue);
    const categories = categorySlugs(catalogue);
    const named = inTools(routes);
    const tools = routes.map((route) => {
      return [route.row.operationId, {
        route,
        named,
        tool: toolOf(route, categories, named),
      }] as const;
    });
    return new Map(tools);
  });

  const serverFor = (dispatch: Dispatch): Server => {
    const tools = offered(site.catalogue());
    const server = new Server(
      { name: "demand-intelligence", title: SERVICE_NAME, version, websiteUrl: `${baseUrl}/` },
      {
        capabilities: { tools: {} },
        instructions: toolGuidance(new Set(tools.keys()), site.settings.mppCurrency !== null),
        jsonSchemaValidator: NO_VALIDATOR,
      },
    );
    server.setRequestHandler(
      listRequest,
      () => ({ tools: [...tools.values()].map(({ tool }) => tool) }),
    );
    server.setRequestHandler(callRequest, async (request) => {
      const { params } = CallToolRequestSchema.parse(request);
      const called = tools.get(params.name);
      if (!called) {
        throw new InvalidParams(
          `There is no such tool; there are ${[...tools.keys()].join(", ")}.`,
        );
      }
      const { route, named } = called;
      const given = params.arguments ?? {};
      const payment = {
        x402: params._meta?.[PAYMENT_KEY],
        mpp: params._meta?.[CREDENTIAL_KEY],
      };
      return resultOf(route, await dispatch(requestFor(route, baseUrl, given, payment)), named);
    });
    return server;
  };

  const answer = async (request: Request, dispatch: Dispatch): Promise<Response> => {
    const text = await request.clone().text();
    if (text.trimStart().startsWith("[")) return refuseBatch();
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
    });
    const server = serverFor(dispatch);
    await server.connect(transport);
    try {
      return await transport.handleRequest(request);
    } finally {
      await server.close();
    }
  };

  return async (scope, dispatch) => {
    const response = await answer(scope.request, dispatch);
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(scope.headers)) headers.set(name, value);
    headers.set("cache-control", "no-store");
    return new Response(response.body, { status: response.status, headers });
  };
}
