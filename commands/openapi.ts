/** `demand openapi`: the description of the API, without a database or a running service. */
import { appSettings, demoAllowed } from "./serve/assemble.ts";
import { freeRoutes, PAID_ROUTES } from "../routes/all.ts";
import { createSampleVerdicts } from "../routes/data/sample_verdict.ts";
import { EXAMPLE_CATALOGUE } from "../routes/pipeline/example.ts";
import { openApiDocument } from "../routes/openapi/document.ts";
import type { CommandContext } from "./context.ts";

/** Prints the OpenAPI 3.1 document as JSON. Gives the exit code. */
export async function runOpenApi({ config, registry, print }: CommandContext): Promise<number> {
  const settings = await appSettings(config);
  const samples = createSampleVerdicts({ verdicts: null, settings });
  const routes = [...freeRoutes(config.family.slug, samples), ...PAID_ROUTES]
    .filter(({ row }) => row.limit !== null);
  const categories = registry.categories.map(({ slug, title }) => ({
    slug,
    title,
    opportunityCount: 0,
    topScore: 0,
    lastUpdated: EXAMPLE_CATALOGUE.builtAt,
    newestPost: null,
  }));
  // Which corpus there is no setting says: that of a first run has its offers, live search included.
  const demonstration = demoAllowed(config);
  const catalogue = { ...EXAMPLE_CATALOGUE, categories, demonstration };
  print(`${JSON.stringify(openApiDocument(routes, settings, catalogue), null, 2)}\n`);
  return 0;
}
