/** The one shape of a paid route: what it takes, what it says of itself, how it answers. */
import type { z } from "zod";
import { categorySlugs } from "../mining/cards/queries.ts";
import type { Catalogue } from "../mining/cards/types.ts";
import type { PaidHandler, PaidOffer, PreparedCall } from "../payment/mod.ts";
import type { AppDeps } from "./deps.ts";
import { EXAMPLE_CATALOGUE } from "./example.ts";
import { checked, fromBody, fromQuery, type Raw } from "./input.ts";
import type { RouteDoc } from "./route.ts";
import { slimSchema } from "./json_schema.ts";
import type { Row } from "./table.ts";

export interface PaidDoc extends RouteDoc {
  /** One sentence for challenges and directories. */
  readonly pitch: string;
  readonly input: z.ZodObject;
  readonly inputExample: (catalogue: Catalogue) => Readonly<Record<string, unknown>>;
}

/** What paid routes are answered from. */
export type PaidDeps = Pick<AppDeps, "catalogue" | "verdicts">;

export interface PaidRoute {
  readonly kind: "paid";
  readonly row: Row & { readonly price: string };
  readonly doc: PaidDoc;
  /** Checks raw input and gives the call that would answer it; throws as PaidHandler says. */
  readonly prepare: (raw: Raw, deps: PaidDeps) => PreparedCall;
}

/** Makes a paid route of its row, its words and its plan: what to do with input that is right. */
export function definePaidRoute<S extends z.ZodObject>(
  row: Row,
  doc: PaidDoc & { readonly input: S },
  plan: (input: z.output<S>, deps: PaidDeps) => PreparedCall,
): PaidRoute {
  const { price } = row;
  if (price === null) throw new Error(`${row.path} has no price in the table`);
  return {
    kind: "paid",
    row: { ...row, price },
    doc,
    prepare: (raw, deps) => plan(checked(doc.input, raw, categorySlugs(deps.catalogue())), deps),
  };
}

/** The handler that payment calls for an HTTP request. */
export function handlerOf(route: PaidRoute, deps: PaidDeps): PaidHandler {
  const { row, doc } = route;
  return {
    prepare: (request) => {
      const slugs = categorySlugs(deps.catalogue());
      const raw = row.method === "GET"
        ? fromQuery(request.query, doc.input, slugs)
        : fromBody(request, doc.input, slugs);
      return route.prepare(raw, deps);
    },
  };
}

/** What payment and directories are told of a route. */
export function offerOf(route: PaidRoute, catalogue: Catalogue): PaidOffer {
  const { row, doc } = route;
  return {
    method: row.method,
    path: row.path,
    priceUsd: row.price,
    description: doc.pitch,
    mimeType: "application/json",
    computeBudgetMs: row.computeSeconds * 1000,
    computeCosts: row.method === "POST",
    readsMemory: row.method === "GET",
    live: row.path.endsWith("/live"),
    bazaar: {
      input: doc.inputExample(catalogue),
      inputSchema: slimSchema(doc.input, "input"),
      output: exampleOutput(doc.example(EXAMPLE_CATALOGUE)),
      outputSchema: slimSchema(doc.answer, "output"),
    },
  };
}

function exampleOutput(example: unknown): Readonly<Record<string, unknown>> {
  return typeof example === "object" && example !== null ? { ...example } : {};
}

/**
 * What a stored list is known by: the ids of its cards. A removal names those that it touched beside the
 * posts, since titles and summaries were made of them.
 */
export const idsOf = (cards: readonly { readonly id: string }[]): string[] =>
  cards.map(({ id }) => id);
