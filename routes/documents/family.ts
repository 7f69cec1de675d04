/** GET /.well-known/{family}: the catalogue of sibling data products of the same maker. */
import type { FreeRoute, Site } from "../pipeline/route.ts";
import { familyRow } from "../pipeline/route_table.ts";
import { SERVICE_NAME, SERVICE_SUMMARY } from "../pipeline/words.ts";
import { documentRoute, jsonForm } from "./document.ts";
import { type FamilyCatalogue, familyCatalogue } from "../pipeline/family_catalogue.ts";

function familyOf({ settings: { baseUrl, family } }: Site): FamilyCatalogue {
  return family ?? {
    products: [{
      name: SERVICE_NAME,
      description: SERVICE_SUMMARY,
      url: `${baseUrl}/`,
      openapi: `${baseUrl}/openapi.json`,
      llms: `${baseUrl}/llms.txt`,
    }],
  };
}

/** The route under the maker's own word. */
export function familyRoute(slug: string): FreeRoute {
  return documentRoute(familyRow(slug), {
    summary: "List the sibling data products of the same maker",
    description: "A catalogue of data products, each with its address and its documents.",
    answer: familyCatalogue,
    example: () => undefined,
  }, jsonForm(familyOf));
}
