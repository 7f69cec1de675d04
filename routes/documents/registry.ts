/**
 * What MCP registries, directories and crawlers read: server.json of the MCP registry, the server card of
 * SEP-2127 with the catalog that leads to it, and security.txt of RFC 9116.
 */
import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import { contactOf } from "../openapi/document.ts";
import type { AppSettings } from "../pipeline/deps.ts";
import { defineRoute, type Site } from "../pipeline/route.ts";
import { memoLast, prepared, send } from "../pipeline/respond.ts";
import { DOCUMENT_ROUTES, MCP_PATH } from "../pipeline/route_table.ts";
import { SERVICE_NAME } from "../pipeline/words.ts";
import { documentRoute, type Form, jsonForm, TEXT_TYPE } from "./document.ts";

const CARD_TYPE = "application/mcp-server-card+json";
const SERVER = "demand-intelligence";
/** A registry takes 100 characters. */
const DESCRIPTION =
  "Demand for physical products, mined from public posts; sold per call in USDC by x402.";

const described = {
  $schema: z.url(),
  name: z.string().describe("The host's name backwards, and the server's"),
  title: z.string(),
  description: z.string().max(100),
  version: z.string(),
  websiteUrl: z.url(),
  remotes: z.array(z.object({ type: z.literal("streamable-http"), url: z.url() })),
};

const serverJson = z.object(described).meta({ id: "McpServer" });
const serverCard = z.object(described).meta({ id: "McpServerCard" });

const catalog = z.object({
  specVersion: z.string(),
  entries: z.array(z.object({
    identifier: z.string(),
    displayName: z.string(),
    type: z.literal(CARD_TYPE),
    url: z.url(),
  })),
}).meta({ id: "McpCatalog" });

function describe({ baseUrl, version }: AppSettings, $schema: string): z.infer<typeof serverCard> {
  const host = new URL(baseUrl).hostname;
  // A numeric address has no name to reverse.
  const space = /^[\d.]+$|:/.test(host) ? "localhost" : host.split(".").reverse().join(".");
  return {
    $schema,
    name: `${space}/${SERVER}`,
    title: SERVICE_NAME,
    description: DESCRIPTION,
    version,
    websiteUrl: `${baseUrl}/`,
    remotes: [{ type: "streamable-http", url: `${baseUrl}${MCP_PATH}` }],
  };
}

export const mcpServer = documentRoute(
  DOCUMENT_ROUTES.mcpServer,
  {
    summary: "Read the entry for MCP registries",
    description:
      "server.json as the MCP registry takes it: publish it under the name of your domain.",
    answer: serverJson,
    example: () => undefined,
  },
  jsonForm(({ settings }) =>
    describe(
      settings,
      "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    )
  ),
);

const cardForm: Form = {
  type: CARD_TYPE,
  make: ({ settings }: Site) =>
    JSON.stringify(
      describe(
        settings,
        "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      ),
    ),
};

const cardWords = {
  summary: "Read the MCP server card",
  description: "Name and address of the MCP server, to be read before connecting (SEP-2127).",
  answer: serverCard,
  media: [CARD_TYPE],
  example: () => undefined,
};

export const mcpCard = documentRoute(DOCUMENT_ROUTES.mcpCard, cardWords, cardForm);
export const mcpCardWellKnown = documentRoute(DOCUMENT_ROUTES.mcpCardWellKnown, {
  ...cardWords,
  description: "The card of /mcp/server-card, where crawlers of earlier drafts look.",
}, cardForm);

export const mcpCatalog = documentRoute(
  DOCUMENT_ROUTES.mcpCatalog,
  {
    summary: "List the MCP servers of this host",
    description: "The catalog from which clients learn where the server card is.",
    answer: catalog,
    example: () => undefined,
  },
  jsonForm(({ settings: { baseUrl } }): z.infer<typeof catalog> => ({
    specVersion: "draft",
    entries: [{
      identifier: `urn:air:${new URL(baseUrl).hostname}:${SERVER}`,
      displayName: SERVICE_NAME,
      type: CARD_TYPE,
      url: `${baseUrl}${DOCUMENT_ROUTES.mcpCard.path}`,
    }],
  })),
);

/** Readers take an older file for abandoned; the time is that of the next month but eleven, so that it keeps. */
function expiry(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 11, 1)).toISOString();
}

/** RFC 9116 wants a contact: without one there is no such file. */
export const securityText = defineRoute(
  DOCUMENT_ROUTES.securityText,
  {
    summary: "Read whom to tell of a vulnerability",
    description: "RFC 9116: the operator's contact. 404 where the operator gave none.",
    media: [TEXT_TYPE],
    answer: z.string(),
    example: () => undefined,
    errors: ["not_found"],
    tagged: true,
  },
  ({ settings: { baseUrl, contact }, clock }) => {
    const to = contactOf({ contact, baseUrl });
    const ready = memoLast((expires: string) =>
      prepared(
        `Contact: ${"email" in to ? `mailto:${to.email}` : to.url}\n` +
          `Expires: ${expires}\nPreferred-Languages: en\n` +
          `Canonical: ${baseUrl}${DOCUMENT_ROUTES.securityText.path}\n`,
        TEXT_TYPE,
        "public, max-age=86400",
      )
    );
    return (scope) => {
      if (contact === null) throw new ServiceError("not_found", "The operator gave no contact.");
      return send(scope, ready(expiry(clock.now())));
    };
  },
  ({ contact }) => contact !== null,
);
