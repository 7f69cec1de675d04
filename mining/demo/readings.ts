/**
 * What careful readers read in the demonstration's posts, as a language model reads every post of a service that has
 * one: with it a first run shows what such cards look like. Each reading is checked against its post like a model's.
 */
import { once } from "../../core/once.ts";
import { verify } from "../extract/verify.ts";
import type { Extraction } from "../extract/types.ts";
import type { PostText } from "../types.ts";
import readingsText from "./readings.ndjson.txt" with { type: "text" };

/** A line of readings.ndjson.txt: the form of the guidelines (docs/extraction.md). */
interface Line {
  readonly id: string;
  readonly demand: 0 | 1;
  readonly product: string;
  readonly head: string;
  readonly product_span: string;
  readonly facts: readonly {
    readonly type: string;
    readonly span: string;
    readonly value: string;
  }[];
}

/** How sure a careful reader is. */
const CERTAINTY = 0.95;

const lines = once((): ReadonlyMap<string, Line> =>
  new Map(
    readingsText.split("\n").filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line).map((line) => [line.id, line]),
  )
);

/** The reading of a post of the demonstration; null for one that shows no demand. */
export function demoReading(post: PostText & { readonly id: string }): Extraction | null {
  const line = lines().get(post.id);
  if (line === undefined || line.demand === 0) return null;
  const { product, head, product_span, facts } = line;
  return verify(post, {
    product,
    kind: head,
    product_span,
    certainty: CERTAINTY,
    kindCertainty: CERTAINTY,
    facts: facts.map((fact) => ({ ...fact, certainty: CERTAINTY })),
  });
}
