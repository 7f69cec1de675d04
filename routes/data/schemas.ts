/** Schemas of what routes give back, shared by the routes and by every document made from them. */
import { z } from "zod";
import { FACT_TYPES } from "../../mining/extract/types.ts";

export const timestamp = z.iso.datetime({ precision: 3 }).describe(
  "ISO 8601, UTC, with milliseconds",
);
const score = z.number().min(0).max(100);
const count = z.int().min(0);
export const categorySlug = z.string().describe("A category's slug, as /v1/categories lists them");

/** How old the data of an answer is. */
export const dataSpan = {
  dataFrom: timestamp.nullable().describe("When the oldest post behind this was written"),
  dataTo: timestamp.nullable().describe("When the newest post behind this was written"),
};

export const categoryEntry = z.object({
  slug: categorySlug,
  title: z.string().describe("The category in words"),
  opportunityCount: count.describe("Active opportunities in the category"),
  topScore: score.describe("The highest score among them; 0 where there are none"),
  lastUpdated: timestamp.describe(
    "Moves when membership, evidence or a score rounded to a whole number changes",
  ),
  newestPost: timestamp.nullable().describe(
    "When the newest post behind its opportunities was written",
  ),
}).meta({ id: "CategoryEntry" });

export const evidence = z.object({
  quote: z.string().describe("Verbatim text of a public post"),
  permalink: z.url().describe("Address of that post"),
  upvotes: z.int(),
  subreddit: z.string().describe("Name of the community"),
  postedAt: timestamp.exactOptional().describe(
    "When the post was written; absent only while an upgrade is under way",
  ),
}).meta({ id: "Evidence" });

export const momentumSchema = z.number().describe(
  "The last 7 days against a usual week of the 28 before, shrunk towards 1 (steady)",
);

const teaserFields = {
  id: z.string().regex(/^opp_[a-z2-7]{16}$/),
  slug: z.string(),
  title: z.string(),
  category: categorySlug,
  score: score.describe("Composite of frequency, intensity and willingness to pay, 0-100"),
  signalCount: count,
  lastSeen: timestamp,
  momentum: momentumSchema,
};

export const teaser = z.object(teaserFields).meta({ id: "OpportunityTeaser" });

export const summarisedTeaser = z.object({
  ...teaserFields,
  summary: z.string(),
}).meta({ id: "OpportunitySummary" });

const counted = z.object({ value: z.string(), authors: count });
const brand = z.object({ name: z.string(), authors: count });
const money = z.number().min(0);
const stated = z.object({
  type: z.enum(["use", "user", "attribute", "spec", "compat", "problem"]),
  value: z.string(),
});

/** Everything that a card's words are made of, as counts of distinct authors. */
export const cardFactsSchema = z.object({
  product: z.string().describe("The kind of product"),
  want: stated.describe(
    "What the authors behind the card state of it; a problem is what is to be gone",
  ),
  narrowedBy: stated.nullable().describe(
    "What all of them state as well, where the want alone would be too many things",
  ),
  authors: count.describe("Who state the want"),
  askingForProduct: count.describe("Who ask for this kind of product at all"),
  budgets: z.array(z.object({
    currency: z.string().regex(/^[a-z]{3}$/).describe("ISO 4217, lower case"),
    authors: count.describe("Who name a sum"),
    low: money.describe("The lower quartile"),
    median: money,
    high: money.describe("The upper quartile"),
    ceilings: count.describe("Of those who name a sum, who will not go over it"),
    marketMedian: money.nullable().describe(
      "The median of all who ask for the kind; null where too few name a sum",
    ),
  })).describe("What they would spend, by currency, the most common first"),
  wouldPayMore: count.describe(
    "Who would pay more for the right one, or say that money is no matter",
  ),
  cheap: count.describe("Who want it cheap and name no sum"),
  alsoWanted: z.array(z.object({
    type: z.enum(FACT_TYPES),
    value: z.string(),
    authors: count,
    lift: money.describe("How much more often than all who ask for the kind; 1 is as often"),
  })).describe("What else they ask for"),
  failures: z.array(z.object({
    problem: z.string(),
    product: z.string().nullable().describe("The product that has it, where the posts name one"),
    authors: count,
  })).describe("What fails them"),
  unmet: z.object({
    authors: count.describe("Who are failed by what there is, do without or make do"),
    marketShare: z.number().min(0).max(1).describe(
      "The share of such among all who ask for the kind",
    ),
  }),
  users: z.array(counted).describe("Who will use it"),
  brands: z.object({
    rejected: z.array(brand),
    owned: z.array(brand),
    considered: z.array(brand),
  }).describe("Brands and products by what the authors do with them"),
  places: z.array(counted).describe("Where it must be had"),
  covers: z.array(counted).describe(
    "Wants of the same kind that have no card of their own, since mostly the same authors state them",
  ),
}).meta({ id: "OpportunityFacts" });

const builderMomentum = z.object({
  makers: count.describe("Distinct people who show something they built to meet the want"),
  newest: timestamp.describe("When the newest of them wrote"),
  evidence: z.array(evidence).max(3).describe("The newest of them"),
}).meta({ id: "BuilderMomentum" });

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
  facts: cardFactsSchema.exactOptional().describe(
    "Everything counted that the words are made of; absent only while an upgrade is under way",
  ),
  evidence: z.array(evidence),
  builderMomentum: builderMomentum.nullable().describe(
    "Who built something that meets the want; null where none is known, and in the sample",
  ),
  fetchedAt: timestamp.describe("When the data was built"),
  ...dataSpan,
};

export const charged = z.boolean().describe(
  "True once this answer's payment settled; false where nothing was taken",
);

/** Present in payment mode `test` alone. */
export const paymentMode = z.literal("test").exactOptional().describe(
  "In payment mode test: all was checked, no money moved",
);
