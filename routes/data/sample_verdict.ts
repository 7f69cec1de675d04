/** GET /v1/sample/verdict: one fixed verdict, free, in the shape of the paid ones. */
import { z } from "zod";
import { cutText } from "../../core/cut_text.ts";
import { withDeadline } from "../../core/deadline.ts";
import { unserved } from "../../gauge/mod.ts";
import { lacking, NO_CARD } from "../../mining/cards/listings.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { AppDeps } from "../pipeline/deps.ts";
import { JSON_TYPE, prepared, type PreparedBody, send } from "../pipeline/respond.ts";
import { defineRoute, type FreeRoute } from "../pipeline/route.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";
import { exampleVerdict, isGaugeOffered, verdictFields } from "./gauge.ts";
import { timestamp } from "./schemas.ts";

const answer = z.object({
  ...verdictFields,
  sample: z.literal(true).describe("Says that this is the sample"),
  note: z.string().describe("What the sample is of, for people"),
  verdictAsOf: timestamp.describe("When the verdict was frozen"),
}).meta({ id: "SampleVerdict" });

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

/** The sample verdict of each catalogue, made when it is first asked for. */
export interface SampleVerdicts {
  /** The sample verdict itself where it is known, else one on invented posts. */
  example(catalogue: Catalogue): object;
  /**
   * Makes the example the sample verdict itself, if that can be had soon; documents, which are made once for each
   * catalogue, go without it otherwise.
   */
  prepare(catalogue: Catalogue): Promise<void>;
  /** Makes it, and knows it from then on. @throws ServiceError where it cannot be had. */
  make(catalogue: Catalogue): Promise<object>;
}

/** Longer than the database takes to answer, and short enough for who reads a document. */
const PREPARE_MS = 2_000;

/** Knows no sample verdict yet, and makes none without `verdicts`. */
export function createSampleVerdicts(
  { verdicts, settings }: Pick<AppDeps, "settings"> & {
    readonly verdicts: AppDeps["verdicts"] | null;
  },
): SampleVerdicts {
  const known = new WeakMap<Catalogue, object>();
  const preparing = new WeakMap<Catalogue, Promise<void>>();

  const make = async (catalogue: Catalogue): Promise<object> => {
    if (verdicts === null || !isGaugeOffered(settings, catalogue)) throw unserved();
    const { sample, demonstration } = catalogue;
    if (sample === null) throw lacking(catalogue, NO_CARD);
    const { facts, title } = sample.card;
    const query = cutText(facts ? `${facts.product}, ${facts.want.value}` : title, 200);
    const { evidenceIds: _ids, ...verdict } = await verdicts.sample(verdicts.parse({ query }));
    const answer = sampled(verdict, demonstration);
    known.set(catalogue, answer);
    return answer;
  };

  return {
    example: (catalogue) => {
      const { charged: _charged, ...verdict } = exampleVerdict(catalogue);
      return known.get(catalogue) ?? sampled(verdict, false);
    },
    prepare: (catalogue) => {
      const soon = preparing.get(catalogue) ??
        withDeadline(PREPARE_MS, null, async () => void await make(catalogue)).catch(() => {});
      preparing.set(catalogue, soon);
      return soon;
    },
    make,
  };
}

/** The route that answers with the sample verdict of the catalogue as it is. */
export function sampleVerdictRoute(samples: SampleVerdicts): FreeRoute {
  return defineRoute(DATA_ROUTES.sampleVerdict, {
    summary: "See one demand verdict for free",
    description:
      "One fixed verdict, on what the sample card is about, so that a client can learn the shape of " +
      "/v1/gauge before it pays. It takes no query, and stays the same until a post behind it is removed; " +
      "verdictAsOf says how old it is.",
    answer,
    example: samples.example,
    errors: ["corpus_warming", "model_unavailable", "source_unavailable"],
    tagged: true,
  }, (site) => {
    // A removal makes another catalogue, so that what is kept here shows no post that is gone.
    let last: { readonly of: Catalogue; readonly made: Promise<PreparedBody> } | undefined;
    const ready = (current: Catalogue): Promise<PreparedBody> => {
      if (last?.of === current) return last.made;
      const made = samples.make(current).then((body) =>
        prepared(JSON.stringify(body), JSON_TYPE, "public, max-age=300")
      );
      last = { of: current, made };
      made.catch(() => {
        if (last?.made === made) last = undefined;
      });
      return made;
    };
    return async (scope) => send(scope, await ready(site.catalogue()));
  }, isGaugeOffered);
}
