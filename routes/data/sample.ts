/** GET /v1/sample/opportunity: one fixed card, free, in the shape of the paid ones. */
import { z } from "zod";
import { lacking, NO_CARD } from "../../mining/cards/listings.ts";
import { type SampleOpportunity, sampleOpportunity } from "../../mining/cards/queries.ts";
import { JSON_TYPE, memoLast, prepared, send } from "../pipeline/respond.ts";
import { defineRoute } from "../pipeline/route.ts";
import { cardFields, timestamp } from "./schemas.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";

const answer = z.object({
  ...cardFields,
  sample: z.literal(true).describe("Says that this is the sample"),
  note: z.string().describe("What the sample is of, for people"),
  cardAsOf: timestamp.describe("When the card was frozen"),
}).meta({ id: "SampleOpportunity" }) satisfies z.ZodType<SampleOpportunity>;

export const sample = defineRoute(DATA_ROUTES.sample, {
  summary: "See one opportunity card for free",
  description:
    "One fixed card of the corpus, so that a client can learn the shape of /v1/opportunity before it pays. " +
    "It stays the same until a post that it quotes is removed; cardAsOf says how old it is.",
  answer,
  example: sampleOpportunity,
  errors: ["corpus_warming", "source_unavailable"],
  tagged: true,
}, ({ catalogue }) => {
  const ready = memoLast((current: ReturnType<typeof catalogue>) => {
    const body = sampleOpportunity(current);
    return body && prepared(JSON.stringify(body), JSON_TYPE, "public, max-age=300");
  });
  return (scope) => {
    const known = ready(catalogue());
    if (known) return send(scope, known);
    throw lacking(catalogue(), NO_CARD);
  };
});
