/** Schemas of what routes give back, shared by the routes and by every document made from them. */
import { z } from "zod";

export const timestamp = z.iso.datetime({ precision: 3 }).describe(
  "ISO 8601, UTC, with milliseconds",
);
const score = z.number().min(0).max(100);
const count = z.int().min(0);
export const categorySlug = z.string().describe("A category's slug, as /v1/categories lists them");

export const categoryEntry = z.object({
  slug: categorySlug,
  opportunityCount: count.describe("Active opportunities in the category"),
  topScore: score.describe("The highest score among them; 0 where there are none"),
  lastUpdated: timestamp.describe(
    "Moves when membership, evidence or a score rounded to a whole number changes",
  ),
}).meta({ id: "CategoryEntry" });

export const evidence = z.object({
  quote: z.string().describe("Verbatim text of a public post"),
  permalink: z.url().describe("Address of that post"),
  upvotes: z.int(),
  subreddit: z.string().describe("Name of the community"),
}).meta({ id: "Evidence" });

const teaserFields = {
  id: z.string().regex(/^opp_[a-z2-7]{16}$/),
  slug: z.string(),
  title: z.string(),
  category: categorySlug,
  score: score.describe("Composite of frequency, intensity and willingness to pay, 0-100"),
  signalCount: count,
  lastSeen: timestamp,
};

export const teaser = z.object(teaserFields).meta({ id: "OpportunityTeaser" });

export const summarisedTeaser = z.object({
  ...teaserFields,
  summary: z.string(),
}).meta({ id: "OpportunitySummary" });

export const cardFields = {
  id: teaserFields.id,
  slug: teaserFields.slug,
  title: teaserFields.title,
  category: teaserFields.category,
  score: teaserFields.score,
  freqScore: score.describe("Frequency component, 0-100"),
  intensityScore: score.describe("Intensity component, 0-100"),
  wtpScore: score.describe("Willingness-to-pay component, 0-100"),
  scoreVersion: z.string().describe("Version of the formula that made the scores"),
  productAngle: z.string().describe("A product direction that the signals suggest"),
  summary: z.string(),
  signalCount: count,
  distinctAuthors: count,
  authorsKnown: z.literal(false).exactOptional().describe(
    "Present, and false, where the source names no authors: distinctAuthors then counts distinct texts",
  ),
  firstSeen: timestamp,
  lastSeen: timestamp,
  evidence: z.array(evidence),
  builderMomentum: z.null().describe("Not known yet; always null"),
  fetchedAt: timestamp.describe("When the data was built"),
};

export const charged = z.boolean().describe(
  "True once this answer's payment settled; false where nothing was taken",
);

/** Present in payment mode `test` alone. */
export const paymentMode = z.literal("test").exactOptional().describe(
  "In payment mode test: all was checked, no money moved",
);
