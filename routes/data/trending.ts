/** GET /v1/opportunities/trending: the best cards of all categories, in brief. */
import { z } from "zod";
import { type Trending, trending as trendingOf } from "../../mining/cards/listings.ts";
import { CARDS, definePaidRoute, idsOf } from "../pipeline/paid_route.ts";
import { type Charged, charged, dataSpan, paymentMode, teaser, timestamp } from "./schemas.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";

const answer = z.object({
  opportunities: z.array(teaser).max(20).describe("Best first, by score"),
  fetchedAt: timestamp.describe("When the data was built"),
  ...dataSpan,
  charged,
  paymentMode,
}).meta({ id: "TrendingOpportunities" }) satisfies z.ZodType<
  Charged<Trending>
>;

export const trendingRoute = definePaidRoute(DATA_ROUTES.trending, {
  summary: "List the 20 highest-scored opportunities of all categories",
  description:
    "The top 20 active opportunities by score, as teasers: no evidence and no product angle. " +
    "momentum says which of them are asked for more often this week than in the four before. " +
    "Take a slug from here to /v1/opportunity for the whole card.",
  pitch: "The 20 highest-scored physical-product opportunities across all categories.",
  input: z.object({}),
  inputExample: () => ({}),
  answer,
  example: (catalogue) => ({ ...trendingOf(catalogue), charged: true }),
  errors: ["corpus_warming"],
}, (_input, { catalogue }) => ({
  compute: () => {
    const body = trendingOf(catalogue());
    return { body: { ...body }, charge: true, evidenceIds: idsOf(body.opportunities) };
  },
}), CARDS);
