/** GET /.well-known/agent-card.json: the service as an A2A 1.0 agent card. */
import { z } from "zod";
import type { Catalogue } from "../../mining/cards/types.ts";
import { dataRoutes, guidanceOf, type Site } from "../pipeline/route.ts";
import { DOCUMENT_ROUTES, MCP_PATH } from "../pipeline/route_table.ts";
import { SERVICE_NAME, SERVICE_SUMMARY } from "../pipeline/words.ts";
import { documentRoute, jsonForm } from "./document.ts";

const JSON_MODE = ["application/json"];

const card = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  supportedInterfaces: z.array(z.object({
    url: z.url(),
    protocolBinding: z.string(),
    protocolVersion: z.string(),
  })).min(1),
  provider: z.object({ organization: z.string(), url: z.url() }),
  documentationUrl: z.url(),
  iconUrl: z.url(),
  capabilities: z.object({
    streaming: z.boolean(),
    pushNotifications: z.boolean(),
    extendedAgentCard: z.boolean(),
  }),
  securitySchemes: z.looseObject({}),
  securityRequirements: z.array(z.looseObject({})),
  defaultInputModes: z.array(z.string()),
  defaultOutputModes: z.array(z.string()),
  skills: z.array(z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    examples: z.array(z.string()),
    inputModes: z.array(z.string()),
    outputModes: z.array(z.string()),
  })).min(1),
}).meta({ id: "AgentCard" });

/**
 * The interfaces are those that exist: tools over MCP, and plain HTTP as OpenAPI describes it. Both
 * are named by the address of their specification, as A2A asks of bindings other than its own.
 */
function cardOf(site: Site, catalogue: Catalogue): z.infer<typeof card> {
  const { baseUrl, version } = site.settings;
  return {
    name: SERVICE_NAME,
    description: `${SERVICE_SUMMARY} ${guidanceOf(site, catalogue)}`,
    version,
    supportedInterfaces: [
      {
        url: `${baseUrl}${MCP_PATH}`,
        protocolBinding: "https://modelcontextprotocol.io/specification",
        protocolVersion: "1.0",
      },
      {
        url: `${baseUrl}${DOCUMENT_ROUTES.openapi.path}`,
        protocolBinding: "https://spec.openapis.org/oas/v3.1.0",
        protocolVersion: "1.0",
      },
    ],
    provider: { organization: SERVICE_NAME, url: `${baseUrl}/` },
    documentationUrl: `${baseUrl}${DOCUMENT_ROUTES.docs.path}`,
    iconUrl: `${baseUrl}${DOCUMENT_ROUTES.favicon.path}`,
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: JSON_MODE,
    defaultOutputModes: JSON_MODE,
    skills: dataRoutes(site, catalogue).map(({ row, doc }) => ({
      id: row.operationId,
      name: doc.summary,
      description: `${doc.description} ${
        row.price === null ? "Free." : `Costs ${row.price} US dollars a call, paid by x402.`
      }`,
      tags: [row.price === null ? "free" : "paid", "demand", "e-commerce", "x402"],
      examples: [`${row.method} ${row.path}`],
      inputModes: JSON_MODE,
      outputModes: JSON_MODE,
    })),
  };
}

export const agentCard = documentRoute(DOCUMENT_ROUTES.agentCard, {
  summary: "Read the agent card",
  description: "The service as an A2A agent card: interfaces, skills and what they cost.",
  answer: card,
  example: () => undefined,
}, jsonForm(cardOf));
