/** Schemas of what routes give back, shared by the routes and by every document made from them. */
import { z } from "zod";
import { WANT_TYPES } from "../../mining/extract/types.ts";
import { COMPANION_TYPES } from "../../mining/opportunities/facts.ts";

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
  upvotes: z.int().describe("Upvotes of the post when it was last read"),
  subreddit: z.string().describe("Name of the community"),
  postedAt: timestamp.exactOptional().describe(
    "When the post was written; absent only while an upgrade is under way",
  ),
}).meta({ id: "Evidence" });

export const momentumSchema = z.number().describe(
  "The last 7 days against a usual week of the 28 before, shrunk towards 1 (steady)",
);

const teaserFields = {
  id: z.string().regex(/^opp_[a-z2-7]{16}$/).describe("Stays the card's own for good"),
  slug: z.string().describe("Of the title; a former one keeps leading to the card"),
  title: z.string().describe("The want in a few words"),
  category: categorySlug,
  score: score.describe("Composite of frequency, intensity and willingness to pay, 0-100"),
  signalCount: count.describe("Posts that state the want, each person's newest alone"),
  lastSeen: timestamp.describe("When the newest of those posts was written"),
  momentum: momentumSchema,
};

const summary = z.string().describe(
  "Who wants it, at what price, what fails them and what else they ask for, in counts of people",
);

export const teaser = z.object(teaserFields).meta({ id: "OpportunityTeaser" });

export const summarisedTeaser = z.object({
  ...teaserFields,
  summary,
}).meta({ id: "OpportunitySummary" });

const authors = count.describe("Distinct people whose posts state it");
const counted = z.object({
  value: z.string().describe("What is stated, in its canonical form"),
  authors,
});
const brand = z.object({ name: z.string().describe("The brand or product, lower case"), authors });
const money = z.number().min(0);
const stated = {
  type: z.enum(WANT_TYPES).describe(
    "use: what it is for; user: for whom; attribute: a property; spec: a measure, size, format or part; " +
      "compat: what it must fit or work with; problem: what is to be gone",
  ),
  value: z.string().describe("What is stated, in its canonical form"),
};

/** Everything that a card's words are made of, as counts of distinct authors. */
const opportunityFacts = z.object({
  product: z.string().describe("The kind of product"),
  want: z.object(stated).describe(
    "What the authors behind the card state of it; a problem is what is to be gone",
  ),
  narrowedBy: z.object(stated).nullable().describe(
    "What all of them state as well, where the want alone would be too many things",
  ),
  authors: count.describe("Who state the want"),
  askingForProduct: count.describe("Who ask for this kind of product at all"),
  budgets: z.array(z.object({
    currency: z.string().regex(/^[a-z]{3}$/).describe("ISO 4217, lower case"),
    authors: count.describe("Who name a sum"),
    low: money.describe("The lower quartile; the least of fewer than five sums"),
    median: money.describe("The median of the sums named; of the two in the middle the lower"),
    high: money.describe("The upper quartile; the most of fewer than five sums"),
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
    type: z.enum(COMPANION_TYPES).describe("As of want"),
    value: stated.value,
    authors,
    lift: money.describe("How much more often than all who ask for the kind; 1 is as often"),
  })).describe("What else they ask for"),
  failures: z.array(z.object({
    problem: z.string().describe("What is wrong, in its canonical form"),
    product: z.string().nullable().describe("The product that has it, where the posts name one"),
    authors,
  })).describe("What fails them"),
  unmet: z.object({
    authors: count.describe("Who are failed by what there is, do without or make do"),
    marketShare: z.number().min(0).max(1).describe(
      "The share of such among all who ask for the kind",
    ),
  }).describe("How many have nothing that serves them"),
  users: z.array(counted).describe("Who will use it"),
  brands: z.object({
    rejected: z.array(brand).describe("Turned down"),
    owned: z.array(brand).describe("Had now or before"),
    considered: z.array(brand).describe("Weighed for buying"),
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

/** Which quotes come first. */
const EVIDENCE_ORDER =
  "Quotes of posts that state the want, those first that show it best and whose posts state most of what the " +
  "card tells besides";

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
  summary,
  signalCount: teaserFields.signalCount,
  distinctAuthors: count.describe("Distinct people who wrote those posts"),
  authorsKnown: z.literal(false).exactOptional().describe(
    "Present, and false, where most of the newest posts name no author: their texts are counted then",
  ),
  firstSeen: timestamp.describe("When the oldest of those posts was written"),
  lastSeen: teaserFields.lastSeen,
  facts: opportunityFacts.exactOptional().describe(
    "Everything counted that the words are made of; absent only while an upgrade is under way",
  ),
  evidence: z.array(evidence).describe(EVIDENCE_ORDER),
  builderMomentum: builderMomentum.nullable().describe(
    "Who built something that meets the want; null where none is known, and in the sample",
  ),
  fetchedAt: timestamp.describe("When the data was built"),
  ...dataSpan,
};

/** A body as a paid route gives it. */
export type Charged<T> = T & { readonly charged: boolean; readonly paymentMode?: "test" };

export const charged = z.boolean().describe(
  "True once this answer's payment settled; false where nothing was taken",
);

/** Present in payment mode `test` alone. */
export const paymentMode = z.literal("test").exactOptional().describe(
  "In payment mode test: all was checked, no money moved",
);
