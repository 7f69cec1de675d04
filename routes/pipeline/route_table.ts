/**
 * The one table of routes: address, price and limit of each. Every document, challenge, tool and
 * test takes them from here; nothing else writes a price or a limit down.
 */
import type { Compute } from "../../payment/mod.ts";

/** Groups of routes that share a rate limit, with the calls a client may make in a sliding minute. */
export const RATE_LIMITS = {
  categories: 30,
  sample: 10,
  verdict: 10,
  family: 30,
  /** Every other free route. */
  free: 120,
  /** Answers 402 on paid routes; agents share addresses, so it is wide. */
  challenges: 600,
  /**
   * Payments whose signature no ordinary account made, until they are sold. Ten questions a second about
   * unknown wallets are shared by all (payment/verify/chain_lookup_limiter.ts): at this rate it takes six clients to use
   * them up.
   */
  signatures: 100,
} as const;

export type LimitGroup = keyof typeof RATE_LIMITS;
export type RateLimits = Readonly<Record<LimitGroup, number>>;

export interface Row {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Names the operation in the OpenAPI document and the tool in MCP. */
  readonly operationId: string;
  /** US dollars a call, as a decimal; null for a free route. */
  readonly price: string | null;
  /** The limit that holds; null for probes of the operator's own, which no document mentions. */
  readonly limit: LimitGroup | null;
  /**
   * What an answer is computed of: the catalogue in `memory`; a `costly` query of the corpus or call of a
   * model; a search of the site besides, which is `live` and costs the most.
   */
  readonly compute: Compute;
  /** Seconds the computation of a paid answer may take. */
  readonly computeSeconds: number;
}

const free = (path: string, operationId: string, limit: LimitGroup | null = "free"): Row => ({
  method: "GET",
  path,
  operationId,
  price: null,
  limit,
  compute: "memory",
  computeSeconds: 0,
});

const paid = (
  method: Row["method"],
  path: string,
  operationId: string,
  price: string,
  policy: Pick<Row, "compute" | "computeSeconds">,
): Row => ({ method, path, operationId, price, limit: "challenges", ...policy });

const READ = { compute: "memory", computeSeconds: 5 } as const;
const ASK = { compute: "costly", computeSeconds: 45 } as const;
const SEARCH = { compute: "live", computeSeconds: 45 } as const;

/** The routes that carry data. */
export const DATA_ROUTES = {
  categories: free("/v1/categories", "listCategories", "categories"),
  sample: free("/v1/sample/opportunity", "getSampleOpportunity", "sample"),
  sampleVerdict: free("/v1/sample/verdict", "getSampleVerdict", "verdict"),
  trending: paid("GET", "/v1/opportunities/trending", "listTrendingOpportunities", "0.01", READ),
  opportunities: paid("GET", "/v1/opportunities", "listOpportunities", "0.02", READ),
  opportunity: paid("GET", "/v1/opportunity", "getOpportunity", "0.05", READ),
  brief: paid("GET", "/v1/brief", "getBrief", "0.25", READ),
  gauge: paid("POST", "/v1/gauge", "gaugeDemand", "0.03", ASK),
  gaugeLive: paid("POST", "/v1/gauge/live", "gaugeDemandLive", "0.10", SEARCH),
} as const satisfies Record<string, Row>;

/** The routes about the service itself. */
export const SERVICE_ROUTES = {
  health: free("/health", "getHealth"),
  livez: free("/livez", "getLiveness", null),
  readyz: free("/readyz", "getReadiness", null),
} as const satisfies Record<string, Row>;

/** Whether a route carries data, and is not about the service. */
export const isData = ({ path }: Row): boolean => path.startsWith("/v1/");

/** Whether a route reports the service's state, and so answers however much is going on. */
export const isProbe = ({ path }: Row): boolean =>
  Object.values(SERVICE_ROUTES).some((probe) => probe.path === path);

/** The documents that describe the service, for agents, directories and people. */
export const DOCUMENT_ROUTES = {
  home: free("/", "getHome"),
  docs: free("/docs", "getDocs"),
  openapi: free("/openapi.json", "getOpenApi"),
  llms: free("/llms.txt", "getLlmsText"),
  llmsFull: free("/llms-full.txt", "getLlmsFullText"),
  discovery: free("/discovery", "getDiscovery"),
  changelog: free("/changelog", "getChangelog"),
  terms: free("/terms", "getTerms"),
  termsText: free("/terms.txt", "getTermsText"),
  termsJson: free("/terms.json", "getTermsJson"),
  x402: free("/.well-known/x402", "getX402Resources"),
  agentCard: free("/.well-known/agent-card.json", "getAgentCard"),
  skill: free("/skill.md", "getSkill"),
  mcpServer: free("/server.json", "getMcpServer"),
  mcpCard: free("/mcp/server-card", "getMcpServerCard"),
  mcpCardWellKnown: free("/.well-known/mcp/server-card.json", "getWellKnownMcpServerCard"),
  mcpCatalog: free("/.well-known/mcp/catalog.json", "getMcpCatalog"),
  securityText: free("/.well-known/security.txt", "getSecurityText"),
  robots: free("/robots.txt", "getRobots"),
  favicon: free("/favicon.ico", "getFavicon"),
} as const satisfies Record<string, Row>;

/** The sibling catalogue, whose path has the maker's own word in it. */
export const familyRow = (slug: string): Row => free(`/.well-known/${slug}`, "getFamily", "family");

/** The tools of the Model Context Protocol: each message counts as a challenge, its call as itself. */
export const MCP_PATH = "/mcp";
