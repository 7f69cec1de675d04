/** The one shape of a paid route: what it takes, what it says of itself, how it answers. */
import type { z } from "zod";
import { requireCards } from "../../mining/cards/listings.ts";
import { categorySlugs } from "../../mining/cards/queries.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { PaidHandler, PaidOffer, PreparedCall } from "../../payment/mod.ts";
import type { AppDeps } from "./deps.ts";
import { EXAMPLE_CATALOGUE, shortened } from "./example.ts";
import { checked, fromBody, fromQuery, type Raw } from "./input.ts";
import type { IsOffered, PaidDoc } from "./route.ts";
import { slimSchema } from "./json_schema.ts";
import type { Row } from "./route_table.ts";

/** What paid routes are answered from. */
export type PaidRouteDeps = Pick<AppDeps, "catalogue" | "verdicts">;

/** Whether a route can be served at all, whatever it is asked. */
interface Supply {
  /** @throws ServiceError where no call can be answered now: nobody should sign for one. */
  readonly ready?: (deps: PaidRouteDeps) => void | Promise<void>;
  /** False where the configuration lacks what it needs: documents and tools then leave it out. */
  readonly isOffered?: IsOffered;
}

export interface PaidRoute extends Supply {
  readonly kind: "paid";
  readonly row: Row & { readonly price: string };
  readonly doc: PaidDoc;
  /** Checks raw input and gives the call that would answer it; throws as PaidHandler says. */
  readonly prepare: (raw: Raw, deps: PaidRouteDeps) => PreparedCall;
}

/** Of routes that answer from cards: none of them can while no card is active. */
export const CARDS: Supply = { ready: ({ catalogue }) => requireCards(catalogue()) };

/** Makes a paid route of its row, its words, its plan (what to do with input that is right) and its supply. */
export function definePaidRoute<S extends z.ZodObject>(
  row: Row,
  doc: PaidDoc & { readonly input: S },
  plan: (input: z.output<S>, deps: PaidRouteDeps) => PreparedCall,
  supply: Supply,
): PaidRoute {
  const { price } = row;
  if (price === null) throw new Error(`${row.path} has no price in the table`);
  return {
    kind: "paid",
    row: { ...row, price },
    doc,
    ...supply,
    prepare: (raw, deps) => plan(checked(doc.input, raw, categorySlugs(deps.catalogue())), deps),
  };
}

/** The handler that payment calls for an HTTP request. */
export function handlerOf(route: PaidRoute, deps: PaidRouteDeps): PaidHandler {
  const { row, doc } = route;
  return {
    ready: () => route.ready?.(deps),
    prepare: (request) => {
      const slugs = categorySlugs(deps.catalogue());
      const raw = row.method === "GET"
        ? fromQuery(request.query, doc.input, slugs)
        : fromBody(request, doc.input, slugs);
      return route.prepare(raw, deps);
    },
  };
}

/** Characters of a text in the example of a challenge. */
const HEADER_TEXT = 60;

/** What payment and directories know of a route. */
export function offerOf(route: PaidRoute, catalogue: Catalogue): PaidOffer {
  const { row, doc } = route;
  return {
    method: row.method,
    path: row.path,
    priceUsd: row.price,
    description: doc.pitch,
    mimeType: "application/json",
    computeBudgetMs: row.computeSeconds * 1000,
    compute: row.compute,
    bazaar: {
      input: doc.inputExample(catalogue),
      inputSchema: slimSchema(doc.input, "input"),
      output: exampleOutput(doc.example(EXAMPLE_CATALOGUE)),
      outputSchema: slimSchema(doc.answer, "output"),
    },
  };
}

/** An example in a header: each list with one entry, each text with its beginning. */
function exampleOutput(example: unknown): Readonly<Record<string, unknown>> {
  const short = shortened(example, 1, HEADER_TEXT);
  return typeof short === "object" && short !== null ? { ...short } : {};
}

/**
 * What a stored list is known by: the ids of its cards. A removal names those that it touched beside the
 * posts, since titles and summaries were made of them.
 */
export const idsOf = (cards: readonly { readonly id: string }[]): string[] =>
  cards.map(({ id }) => id);
