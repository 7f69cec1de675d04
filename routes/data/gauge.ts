/** POST /v1/gauge and /v1/gauge/live: is there demand for a product that the caller names? */
import { z } from "zod";
import { TEMPERATURES, type Verdict } from "../../gauge/mod.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { PreparedCall } from "../../payment/mod.ts";
import { definePaidRoute, type PaidRouteDeps } from "../pipeline/paid_route.ts";
import {
  categorySlug,
  type Charged,
  charged,
  dataSpan,
  evidence,
  paymentMode,
  timestamp,
} from "./schemas.ts";
import type { IsOffered } from "../pipeline/route.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";

/** What counts as a query is the gauge's to say; the bounds here are for documents. */
const input = z.object({
  query: z.string().meta({
    minLength: 3,
    maxLength: 200,
    description: "A physical product, or a want for one, in plain words",
  }),
  category: categorySlug.nullable().optional().describe("Restricts the corpus to one category"),
});

/** Everything of a verdict but what belongs to its sale. */
export const verdictFields = {
  query: z.string().describe("The query that was gauged"),
  verdictScore: z.number().min(0).max(100).describe(
    "How much demand there is for it as asked, 0-100: computed of the people who want it, how recently and " +
      "strongly they say so, and moved by up to 15 by a language model where one writes the rationale",
  ),
  demandTemperature: z.enum(TEMPERATURES).describe(
    "Of the score: cold under 35, warm under 65, else hot. Unmoved, 35 is 3 people who want it as asked in " +
      "the last 180 days of the corpus, and 65 is 10",
  ),
  rationale: z.string().describe("The funnel and what it means, in a few sentences"),
  funnel: z.object({
    product: z.string().describe("The kind of product that the query was read as; empty for none"),
    askingForProduct: z.int().min(0).describe(
      "Distinct people who want this kind of product or a narrower one: mostly more than a card counts",
    ),
    wants: z.array(z.object({
      want: z.string().describe("One thing that the query asks of the product, in its words"),
      count: z.int().min(0).describe("How many of those people state it"),
    })).max(6).describe("Each thing that the query asks of the product, with its count"),
    statingAll: z.int().min(0).describe("How many of them state all of it"),
    communities: z.int().min(0).describe("Communities in which the nearest of them wrote"),
    from: timestamp.nullable().describe(
      "When the first of the nearest wrote; null where nobody did",
    ),
    to: timestamp.nullable().describe("When the last of the nearest wrote; null where nobody did"),
    corpusSignals: z.int().min(0).describe("All demand signals that were looked through"),
  }).describe(
    "How many want the product, how many of them state each thing asked, and how many all",
  ).meta({
    id: "Funnel",
  }),
  topEvidence: z.array(evidence.extend({
    postedAt: timestamp.describe("When the post was written"),
  })).max(5).describe(
    "Quotes of the nearest posts, the most telling first: those that want most of what was asked, newer " +
      "before older, unless a language model chose among them",
  ),
  relatedOpportunities: z.array(z.object({
    slug: z.string().describe("Read the card with it at /v1/opportunity?slug="),
    title: z.string().describe("The card's want in a few words"),
    score: z.number().min(0).max(100).describe("The card's own score"),
  })).max(5).describe("Cards that the nearest posts stand behind, those with most of them first"),
  cache: z.enum(["hit", "miss"]).describe(
    "hit: the verdict kept for the same query and category, up to 7 days; miss: made for this call, as a live " +
      "one always is",
  ),
  fetchedAt: timestamp.describe("When the verdict was made: a cache hit keeps its first time"),
  ...dataSpan,
};

const answer = z.object({ ...verdictFields, charged, paymentMode }).meta({
  id: "Verdict",
}) satisfies z.ZodType<
  Charged<Omit<Verdict, "evidenceIds">>
>;

type VerdictAnswer = z.infer<typeof answer>;

const EXAMPLE_QUERY = "earphones with a cable that lasts";

/** A verdict on invented posts, related to a card of the catalogue's audio where there is one. */
export function exampleVerdict({ builtAt, inCategory }: Catalogue): VerdictAnswer {
  return {
    query: EXAMPLE_QUERY,
    verdictScore: 52.2,
    demandTemperature: "warm",
    rationale:
      "In the last 180 days 5 people asked for all of it, 6 for some of it and 41 for the product alone; " +
      "with a part of each who asked for less, that is about 6 people. " +
      '214 people ever asked for "earphones": 12 want "cable" and 31 "lasts"; 9 want all of it. ' +
      "The nearest 150 of them are from " +
      "9 communities, 2026-01 to 2026-07: 8 had it fail again and again and 3 name a price or a budget.",
    funnel: {
      product: "earphones",
      askingForProduct: 214,
      wants: [{ want: "cable", count: 12 }, { want: "lasts", count: 31 }],
      statingAll: 9,
      communities: 9,
      from: "2026-01-04T09:12:00.000Z",
      to: "2026-07-19T21:40:00.000Z",
      corpusSignals: 48_210,
    },
    topEvidence: [{
      quote: "Third pair this year and the cable died at the plug again.",
      permalink: "https://example.com/r/earphones/comments/a1/",
      upvotes: 214,
      subreddit: "earphones",
      postedAt: "2026-07-19T21:40:00.000Z",
    }, {
      quote: "I would pay 80 dollars for earphones if the cable lasted two years.",
      permalink: "https://example.com/r/earphones/comments/a2/",
      upvotes: 57,
      subreddit: "earphones",
      postedAt: "2026-03-02T18:05:00.000Z",
    }],
    relatedOpportunities: inCategory("audio").slice(0, 1)
      .map(({ slug, title, score }) => ({ slug, title, score })),
    cache: "miss",
    fetchedAt: builtAt,
    dataFrom: "2026-01-04T09:12:00.000Z",
    dataTo: "2026-07-19T21:40:00.000Z",
    charged: true,
  };
}

const shared = {
  input,
  inputExample: () => ({ query: EXAMPLE_QUERY }),
  answer,
  example: exampleVerdict,
} as const;

type Verb = "gauge" | "live";

/** The call that `verb` answers; what is wrong with the input is said now. */
function verdictCall(
  given: z.output<typeof input>,
  { verdicts }: PaidRouteDeps,
  verb: Verb,
): PreparedCall {
  const asked = verdicts.parse(given);
  return {
    compute: async (signal) => {
      const { evidenceIds, ...body } = await verdicts[verb](asked, signal);
      return { body, charge: true, evidenceIds };
    },
  };
}

const BODY_FIRST = "The body is read first; what it lacks is taken from the URL's parameters.";

const VERDICT_ERRORS = [
  "invalid_query",
  "invalid_category",
  "invalid_parameter",
  "corpus_warming",
  "model_unavailable",
  "source_unavailable",
] as const;

/** A verdict that nothing words is none. */
export const isGaugeOffered: IsOffered = ({ synthesis }) => synthesis !== "none";

export const gauge = definePaidRoute(
  DATA_ROUTES.gauge,
  {
    ...shared,
    summary: "Gauge the demand for a product",
    description:
      "A verdict on any physical product: a score, a temperature, a rationale, and up to five verbatim " +
      "quotes. Answered from the mined corpus; the same query and category within 7 days get the kept " +
      "verdict (cache: hit). A query that nothing matches is cold, which is an answer and is charged.",
    httpNote: BODY_FIRST,
    pitch: "A scored demand verdict with verbatim evidence for any physical-product query.",
    errors: VERDICT_ERRORS,
  },
  (given, deps) => verdictCall(given, deps, "gauge"),
  {
    ready: ({ verdicts }) => verdicts.ready("gauge"),
    isOffered: isGaugeOffered,
  },
);

export const gaugeLive = definePaidRoute(
  DATA_ROUTES.gaugeLive,
  {
    ...shared,
    summary: "Gauge the demand for a product, with a live search besides",
    description:
      "The verdict of /v1/gauge over the corpus and up to 50 posts found on the community site at this " +
      "moment, in any community. Never from the cache; 45 seconds at most. Where the site does not " +
      "answer it is an error, never a cold verdict. The same request of the same payer within 15 minutes " +
      "is given its first answer again, and is not charged.",
    httpNote: `${BODY_FIRST} With Cache-Control: no-cache the search is made, and paid for, anew.`,
    pitch: "A scored demand verdict that includes a live search of public communities.",
    errors: VERDICT_ERRORS,
  },
  (given, deps) => verdictCall(given, deps, "live"),
  {
    ready: ({ verdicts }) => verdicts.ready("live"),
    isOffered: (settings, catalogue) =>
      isGaugeOffered(settings, catalogue) && (settings.hasSource || catalogue.demonstration),
  },
);
