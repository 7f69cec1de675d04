/** GET /skill.md: the service as an agent skill, front matter and instructions. */
import { z } from "zod";
import type { Catalogue } from "../../mining/cards/types.ts";
import { dataRoutes, guidanceOf, type Site } from "../pipeline/route.ts";
import { DATA_ROUTES, DOCUMENT_ROUTES } from "../pipeline/route_table.ts";
import { DISCLAIMER, SERVICE_NAME } from "../pipeline/words.ts";
import {
  AGENTCASH,
  buyLine,
  exampleCall,
  MCP_KEY,
  mcpServers,
  quickStart,
} from "../openapi/code_samples.ts";
import { documentRoute } from "./document.ts";
import { pricedRoutes } from "./llms.ts";

export const MARKDOWN_TYPE = "text/markdown; charset=utf-8";

const CENTS = Object.values(DATA_ROUTES).flatMap(({ price }) =>
  price === null ? [] : [Math.round(100 * Number(price))]
);
const PRICES = `from ${Math.min(...CENTS)} to ${Math.max(...CENTS)} cents`;

/** Within the 1,024 characters and the plain text that the format allows. */
const descriptionFor = (hasGauge: boolean): string =>
  "Finds what physical products people want and cannot find, with verbatim evidence from public posts. Use " +
  `it to look for product ideas, ${
    hasGauge ? "to check the demand for a product, " : ""
  }or to watch a ` +
  `category for change. Paid per call in USDC by x402, ${PRICES}; categories and samples are free.`;

function skillText(site: Site, catalogue: Catalogue): string {
  const { baseUrl, version } = site.settings;
  const gauge = dataRoutes(site, catalogue).find(({ row }) => row.operationId === "gaugeDemand");
  return [
    "---",
    "name: demand-intelligence",
    `description: ${descriptionFor(gauge !== undefined).replaceAll(": ", " - ")}`,
    `homepage: ${baseUrl}/`,
    "license: MIT",
    "compatibility: Needs network access and Node.js; EVM_PRIVATE_KEY, the key of a wallet with USDC, for paid routes.",
    "metadata:",
    `  version: "${version}"`,
    "  openclaw:",
    "    requires:",
    "      env: [EVM_PRIVATE_KEY]",
    "      bins: [npx]",
    "    primaryEnv: EVM_PRIVATE_KEY",
    "---\n",
    `# ${SERVICE_NAME}\n`,
    `${guidanceOf(site, catalogue)} ${DISCLAIMER}\n`,
    "## Start in two minutes\n",
    quickStart(site, catalogue),
    ...(gauge
      ? [
        "\nA question of your own:\n",
        "```sh",
        buyLine(exampleCall(gauge, baseUrl, catalogue)),
        "```",
      ]
      : []),
    `\nWith another wallet: \`${AGENTCASH} URL\`. As tools, in the settings of a host:\n`,
    "```json",
    mcpServers(baseUrl),
    "```\n",
    MCP_KEY,
    "## Routes and prices\n",
    ...pricedRoutes(site, catalogue),
    "\n## How often\n",
    "- Every 30 minutes at most: `/v1/categories` with `If-None-Match`, free. Read on only where a " +
    "category's `lastUpdated` moved.",
    "- Once a day: `/v1/opportunities/trending`, or `/v1/brief` in its place.",
    "- When `lastUpdated` of a category you follow moves: `/v1/opportunities?category=`, then " +
    "`/v1/opportunity?slug=` for cards that are new to you.",
    "- `dataTo` says how old the newest post behind an answer is: tell your user where that is long ago.\n",
    "## When the wallet is empty\n",
    "- A 402 whose `error` is `insufficient_funds` took nothing. Do not sign again: tell your user the " +
    "address of the wallet, that it needs USDC on the network of `accepts[].network`, and how much the " +
    "call costs.",
    "- Go on with what is free meanwhile: categories and samples.",
    "- Never sign again after `settlement_pending`: send the same payment once more.\n",
    `Everything else: ${baseUrl}${DOCUMENT_ROUTES.llmsFull.path}`,
    "",
  ].join("\n");
}

export const skill = documentRoute(DOCUMENT_ROUTES.skill, {
  summary: "Read the service as an agent skill",
  description:
    "SKILL.md: routes and prices, a start in two minutes, how often, and an empty wallet.",
  media: [MARKDOWN_TYPE],
  answer: z.string(),
  example: () => undefined,
}, { type: MARKDOWN_TYPE, make: skillText });
