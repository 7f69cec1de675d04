/** Every route there is. */
import { briefRoute } from "./data/brief.ts";
import { categories } from "./data/categories.ts";
import { agentCard } from "./documents/agent_card.ts";
import { discovery, x402 } from "./documents/discovery.ts";
import { familyRoute } from "./documents/family.ts";
import { llms, llmsFull } from "./documents/llms.ts";
import {
  mcpCard,
  mcpCardWellKnown,
  mcpCatalog,
  mcpServer,
  securityText,
} from "./documents/registry.ts";
import { skill } from "./documents/skill.ts";
import { openapi } from "./documents/openapi.ts";
import { favicon, robots } from "./documents/site.ts";
import { termsJson, termsText } from "./documents/terms.ts";
import { gauge, gaugeLive } from "./data/gauge.ts";
import { health, livez, readyz } from "./data/health.ts";
import { opportunities } from "./data/opportunities.ts";
import { opportunity } from "./data/opportunity.ts";
import { changelogPage } from "./pages/changelog.ts";
import { docsPage } from "./pages/docs.ts";
import { homePage } from "./pages/home.ts";
import { termsPage } from "./pages/terms.ts";
import type { PaidRoute } from "./pipeline/paid_route.ts";
import type { FreeRoute } from "./pipeline/route.ts";
import { sample } from "./data/sample.ts";
import { sampleVerdictRoute, type SampleVerdicts } from "./data/sample_verdict.ts";
import { trendingRoute } from "./data/trending.ts";

/** The routes without a price; the sibling catalogue lies under the maker's own word. */
export function freeRoutes(familySlug: string, samples: SampleVerdicts): readonly FreeRoute[] {
  return [
    categories,
    sample,
    sampleVerdictRoute(samples),
    health,
    livez,
    readyz,
    homePage,
    docsPage,
    openapi,
    llms,
    llmsFull,
    discovery,
    changelogPage,
    skill,
    mcpServer,
    mcpCard,
    mcpCardWellKnown,
    mcpCatalog,
    securityText,
    termsPage,
    termsText,
    termsJson,
    x402,
    agentCard,
    familyRoute(familySlug),
    robots,
    favicon,
  ];
}

/** The routes that are paid for, in the order documents list them. */
export const PAID_ROUTES: readonly PaidRoute[] = [
  trendingRoute,
  opportunities,
  opportunity,
  briefRoute,
  gauge,
  gaugeLive,
];
