/** GET /v1/opportunities: the cards of one category, with their summaries. */
import { z } from "zod";
import { type CategoryListing, listCategory, parseCursor } from "../../mining/cards/listings.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { CARDS, definePaidRoute, idsOf } from "../pipeline/paid_route.ts";
import {
  categorySlug,
  type Charged,
  charged,
  dataSpan,
  paymentMode,
  summarisedTeaser,
  timestamp,
} from "./schemas.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";

const input = z.object({
  category: categorySlug,
  minScore: z.number().min(0).max(100).optional().describe("Only cards with at least this score"),
  limit: z.int().min(1).max(50).optional().describe("Cards a page, 50 where it is left out"),
  cursor: z.string().optional().describe(
    "The nextCursor of the page before, which had the same category and minScore",
  ),
});

/** What the example asks: address and answer are of the best card, which the score lets through. */
function asked(
  { cards: [best], categories: [first] }: Catalogue,
): { readonly category: string; readonly minScore: number } {
  const category = best?.category ?? first?.slug ?? "audio";
  return { category, minScore: Math.min(40, Math.floor(best?.score ?? 40)) };
}

const answer = z.object({
  category: categorySlug,
  opportunities: z.array(summarisedTeaser).max(50).describe("Best first, by score"),
  total: z.int().min(0).describe("Opportunities that were asked for, on all pages together"),
  nextCursor: z.string().nullable().describe(
    "Ask for the next page with it as cursor; null on the last page",
  ),
  fetchedAt: timestamp.describe("When the data was built"),
  ...dataSpan,
  charged,
  paymentMode,
}).meta({ id: "CategoryOpportunities" }) satisfies z.ZodType<
  Charged<CategoryListing>
>;

export const opportunities = definePaidRoute(DATA_ROUTES.opportunities, {
  summary: "List the opportunities of one category",
  description:
    "Active opportunities of a category, best first, each with its summary: 50 a page or limit, " +
    "total in all, the next page by cursor, each page paid for. " +
    "Where the category has opportunities but none reaches minScore, the list is empty and nothing " +
    "is charged.",
  pitch: "Up to 50 scored opportunities of one product category, with summaries.",
  input,
  inputExample: asked,
  answer,
  example: (catalogue) => {
    const { category, minScore } = asked(catalogue);
    return { ...listCategory(catalogue, category, { minScore }), charged: true };
  },
  errors: ["invalid_category", "invalid_parameter", "corpus_warming"],
}, ({ category, minScore, limit, cursor }, { catalogue }) => {
  const after = cursor === undefined ? null : parseCursor(cursor, category, minScore);
  const listing = () => listCategory(catalogue(), category, { minScore, limit, after });
  return {
    available: () => void listing(),
    compute: () => {
      const body = listing();
      const { opportunities } = body;
      return {
        body: { ...body },
        charge: opportunities.length > 0,
        evidenceIds: idsOf(opportunities),
      };
    },
  };
}, CARDS);
