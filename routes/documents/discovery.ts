/** GET /discovery and /.well-known/x402: what is for sale, and where the documents are. */
import { z } from "zod";
import { categorySlugs } from "../../mining/cards/queries.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { dataRoutes, guidanceOf, type PaidDoc, type Site } from "../pipeline/route.ts";
import { DOCUMENT_ROUTES, familyRow, MCP_PATH, type Row } from "../pipeline/route_table.ts";
import { SERVICE_NAME, SERVICE_SUMMARY } from "../pipeline/words.ts";
import { documentRoute, type Form, jsonForm } from "./document.ts";

const price = z.object({ amount: z.string(), currency: z.literal("USD") });

/** What is offered, and where its documents are. */
export const discovered = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  baseUrl: z.url(),
  payment: z.object({
    protocol: z.literal("x402"),
    version: z.literal(2),
    mode: z.string(),
    protocols: z.array(z.enum(["x402", "mpp"])).describe("Each of them pays for every route"),
  }),
  routes: z.array(z.object({
    method: z.enum(["GET", "POST"]),
    path: z.string(),
    summary: z.string(),
    price: price.nullable(),
  })),
  categories: z.array(z.string()),
  documents: z.record(z.string(), z.url()),
}).meta({ id: "Discovery" });

const resources = z.object({
  version: z.literal(1),
  x402Version: z.literal(2),
  resources: z.array(z.url()).describe("Addresses that answer 402 with a challenge"),
  items: z.array(z.object({
    resource: z.url(),
    type: z.literal("http"),
    method: z.enum(["GET", "POST"]),
    description: z.string(),
    price,
  })),
  instructions: z.string(),
}).meta({ id: "X402Resources" });

interface Sold {
  readonly row: Row & { readonly price: string };
  readonly doc: PaidDoc;
}

/** The routes that have a price. */
function sold(site: Site, catalogue: Catalogue): Sold[] {
  return dataRoutes(site, catalogue).flatMap(({ row, doc }) =>
    row.price !== null && "pitch" in doc ? [{ row: { ...row, price: row.price }, doc }] : []
  );
}

/** Every document of the service by a short name, with its address. */
export function documentAddresses({ settings }: Pick<Site, "settings">): Record<string, string> {
  const at = (path: string): string => `${settings.baseUrl}${path}`;
  const {
    robots: _robots,
    favicon: _favicon,
    mcpCardWellKnown: _again,
    terms: _page,
    ...listed
  } = DOCUMENT_ROUTES;
  const named = Object.entries(listed)
    .filter(([name]) => name !== "securityText" || settings.contact !== null).map((
      [name, { path }],
    ) => [name, at(path)]);
  return {
    ...Object.fromEntries(named),
    family: at(familyRow(settings.familySlug).path),
    mcp: at(MCP_PATH),
  };
}

function discover(site: Site, catalogue: Catalogue): z.infer<typeof discovered> {
  const { version, baseUrl, mppCurrency, paymentMode } = site.settings;
  return {
    name: SERVICE_NAME,
    description: SERVICE_SUMMARY,
    version,
    baseUrl,
    payment: {
      protocol: "x402",
      version: 2,
      mode: paymentMode,
      protocols: mppCurrency === null ? ["x402"] : ["x402", "mpp"],
    },
    routes: dataRoutes(site, catalogue).map(({ row, doc }) => ({
      method: row.method,
      path: row.path,
      summary: doc.summary,
      price: row.price === null ? null : { amount: row.price, currency: "USD" },
    })),
    categories: categorySlugs(catalogue),
    documents: documentAddresses(site),
  };
}

/** What is for sale and where to read on, as a document. */
export const DISCOVERY: Form = jsonForm(discover);

export const discovery = documentRoute(DOCUMENT_ROUTES.discovery, {
  summary: "See what is offered, and where its documents are",
  description: "Routes with prices, categories, and the address of every document.",
  answer: discovered,
  example: () => undefined,
}, DISCOVERY);

export const x402 = documentRoute(
  DOCUMENT_ROUTES.x402,
  {
    summary: "List the paid resources",
    description: "The addresses that are paid for by x402; the challenge of each is its own truth.",
    answer: resources,
    example: () => undefined,
  },
  jsonForm((site, catalogue): z.infer<typeof resources> => {
    const items = sold(site, catalogue).map(({ row, doc }) => ({
      resource: `${site.settings.baseUrl}${row.path}`,
      type: "http" as const,
      method: row.method,
      description: doc.pitch,
      price: { amount: row.price, currency: "USD" as const },
    }));
    return {
      version: 1,
      x402Version: 2,
      resources: items.map(({ resource }) => resource),
      items,
      instructions: guidanceOf(site, catalogue),
    };
  }),
);
