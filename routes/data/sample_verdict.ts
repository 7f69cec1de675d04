/** GET /v1/sample/verdict: one fixed verdict, free, in the shape of the paid ones. */
import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { JSON_TYPE, prepared, type PreparedBody, send } from "../pipeline/respond.ts";
import { defineRoute } from "../pipeline/route.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";
import { exampleVerdict, isGaugeOffered, unserved, verdictFields } from "./gauge.ts";
import { timestamp } from "./schemas.ts";

const answer = z.object({
  ...verdictFields,
  sample: z.literal(true),
  note: z.string(),
  verdictAsOf: timestamp.describe("When the verdict was frozen"),
}).meta({ id: "SampleVerdict" });

export type SampleVerdictAnswer = z.infer<typeof answer>;

const note = (demonstration: boolean): string =>
  `One fixed verdict of ${
    demonstration ? "the demonstration" : "this"
  } corpus, free, to learn the ` +
  "shape from; the paid routes answer a query of your own.";

/** A frozen verdict is always from the cache, whoever asked for it first. */
const sampled = <V extends { readonly fetchedAt: string }>(verdict: V, demonstration: boolean) => ({
  ...verdict,
  cache: "hit" as const,
  sample: true as const,
  note: note(demonstration),
  verdictAsOf: verdict.fetchedAt,
});

function example(catalogue: Catalogue): SampleVerdictAnswer {
  const { charged: _charged, ...verdict } = exampleVerdict(catalogue);
  return sampled(verdict, false);
}

export const sampleVerdict = defineRoute(DATA_ROUTES.sampleVerdict, {
  summary: "See one demand verdict for free",
  description:
    "One fixed verdict, on what the sample card is about, so that a client can learn the shape of " +
    "/v1/gauge before it pays. It takes no query and stays the same; verdictAsOf says how old it is.",
  answer,
  example,
  errors: ["corpus_warming", "model_unavailable", "source_unavailable"],
  tagged: true,
}, ({ catalogue, verdicts, settings }) => {
  const make = async ({ sample, demonstration }: Catalogue): Promise<PreparedBody> => {
    if (!verdicts || !settings.hasModel) throw unserved();
    if (sample === null) {
      throw new ServiceError(
        "corpus_warming",
        "No opportunity has been found yet; ask again soon.",
      );
    }
    const { facts, title } = sample.card;
    const query = (facts ? `${facts.product}, ${facts.want.value}` : title).slice(0, 200);
    const { evidenceIds: _ids, ...verdict } = await verdicts.sample(verdicts.parse({ query }));
    const body = JSON.stringify(sampled(verdict, demonstration));
    return prepared(body, JSON_TYPE, "public, max-age=300");
  };
  let last: { readonly of: Catalogue; readonly made: Promise<PreparedBody> } | undefined;
  // A removal makes another catalogue, so that what is kept here shows no post that is gone.
  const ready = (current: Catalogue): Promise<PreparedBody> => {
    if (last?.of === current) return last.made;
    const made = make(current);
    last = { of: current, made };
    made.catch(() => {
      if (last?.made === made) last = undefined;
    });
    return made;
  };
  return async (scope) => send(scope, await ready(catalogue()));
}, isGaugeOffered);
