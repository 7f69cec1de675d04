/** GET /v1/brief: what moves, what scores highest, and every category's counts, in one answer. */
import { z } from "zod";
import { type Brief, brief as briefOf } from "../../mining/cards/listings.ts";
import { PATTERNS } from "../../mining/types.ts";
import { CARDS, definePaidRoute, idsOf } from "../pipeline/paid_route.ts";
import {
  categoryEntry,
  categorySlug,
  type Charged,
  charged,
  dataSpan,
  momentumSchema,
  paymentMode,
  summarisedTeaser,
  timestamp,
} from "./schemas.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";

const input = z.object({
  category: categorySlug.optional().describe("Restricts the opportunities section to one category"),
});

const asOf = timestamp.describe("When the data was built");

const trendingSignal = z.object({
  slug: z.string().describe("Read the card with it at /v1/opportunity?slug="),
  title: z.string().describe("The want in a few words"),
  category: categorySlug,
  pattern: z.enum(PATTERNS).describe("The demand pattern that most of its signals show"),
  signalCount7d: z.int().min(0).describe("Signals in the last 7 days"),
  momentum: momentumSchema,
  lastSeen: timestamp.describe("When the newest post that states the want was written"),
}).meta({ id: "TrendingSignal" });

const answer = z.object({
  generatedAt: asOf,
  ...dataSpan,
  category: categorySlug.nullable().describe("The category that was asked for; null for all"),
  trending: z.object({
    asOf: timestamp.describe("What the last 7 days are counted back from"),
    signals: z.array(trendingSignal).max(10).describe("The highest momentum first"),
  }).describe("What is asked for more than in the weeks before"),
  opportunities: z.object({
    asOf,
    items: z.array(summarisedTeaser).max(10).describe("Best first, by score"),
  }).describe("The best opportunities, of the category if one was given"),
  categories: z.object({
    asOf,
    items: z.array(categoryEntry).describe("In the order of /v1/categories"),
  }).describe("The counts of every category"),
  charged,
  paymentMode,
}).meta({ id: "Brief" }) satisfies z.ZodType<
  Charged<Brief>
>;

const slugOf = ({ slug }: { readonly slug: string }): string => slug;

export const briefRoute = definePaidRoute(DATA_ROUTES.brief, {
  summary: "Get the whole picture in one call",
  description:
    "Demand signals that are rising this week, the 10 highest-scored opportunities (of one category, " +
    "if one is given), and the counts of every category.",
  pitch: "Rising demand signals, the 10 best opportunities and all category counts in one call.",
  input,
  inputExample: () => ({}),
  answer,
  example: (catalogue) => ({ ...briefOf(catalogue, null), charged: true }),
  errors: ["invalid_category", "corpus_warming"],
}, ({ category = null }, { catalogue }) => {
  return {
    available: () => void briefOf(catalogue(), category),
    compute: () => {
      const current = catalogue();
      const body = briefOf(current, category);
      const shown = new Set([...body.trending.signals, ...body.opportunities.items].map(slugOf));
      const cards = current.cards.filter(({ slug }) => shown.has(slug));
      return { body: { ...body }, charge: true, evidenceIds: idsOf(cards) };
    },
  };
}, CARDS);
