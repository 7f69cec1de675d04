/** GET /v1/opportunity: one whole card with its evidence. */
import { z } from "zod";
import { ServiceError } from "../../core/errors.ts";
import { type FullCard, fullCard, oneCard, quotedIds } from "../../mining/cards/queries.ts";
import type { Card, Catalogue } from "../../mining/cards/types.ts";
import { CARDS, definePaidRoute } from "../pipeline/paid_route.ts";
import { cardFields, type Charged, charged, paymentMode } from "./schemas.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";

const key = z.string().min(1).max(200).optional();
const input = z.object({
  id: key.describe("The opportunity's id; give either this or slug"),
  slug: key.describe("The opportunity's slug; give either this or id"),
});

const answer = z.object({ ...cardFields, charged, paymentMode }).meta({
  id: "Opportunity",
}) satisfies z.ZodType<
  Charged<FullCard>
>;

const LISTED = `${DATA_ROUTES.trending.path} and ${DATA_ROUTES.opportunities.path}?category= ` +
  "list ids and slugs.";

type Key = { readonly id: string } | { readonly slug: string };

function keyOf({ id, slug }: z.output<typeof input>): Key {
  if (id !== undefined && slug !== undefined) {
    const message = "Give either id or slug, not both.";
    throw new ServiceError("invalid_identifier", message, { param: "slug" });
  }
  if (id !== undefined) return { id };
  if (slug !== undefined) return { slug };
  throw new ServiceError("invalid_identifier", "Give an id or a slug.", { param: "id" });
}

/** The card. @throws ServiceError as `oneCard` does; if there is none it says where slugs are listed. */
function found(catalogue: Catalogue, wanted: Key): Card {
  try {
    return oneCard(catalogue, wanted);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "opportunity_not_found") throw error;
    const { code, message, param } = error;
    throw new ServiceError(code, `${message} ${LISTED}`, param === undefined ? {} : { param });
  }
}

export const opportunity = definePaidRoute(DATA_ROUTES.opportunity, {
  summary: "Read one opportunity card with its evidence",
  description:
    "The whole card: score and its three components, summary, product angle, and verbatim quotes " +
    "with community, upvotes and permalink. Exactly one of id and slug; former slugs, and ids of " +
    "cards that were merged, give the card that survives.",
  pitch: "One full opportunity card: scores, product angle and verbatim evidence with permalinks.",
  input,
  inputExample: ({ cards }) => ({ slug: cards[0]?.slug ?? "earphones-durability" }),
  answer,
  example: (catalogue) => {
    const [first] = catalogue.cards;
    return first && { ...fullCard(first, catalogue.builtAt), charged: true };
  },
  errors: ["invalid_identifier", "opportunity_not_found", "corpus_warming", "source_unavailable"],
}, (given, { catalogue }) => {
  const wanted = keyOf(given);
  return {
    available: () => void found(catalogue(), wanted),
    compute: () => {
      const current = catalogue();
      const card = found(current, wanted);
      return {
        body: { ...fullCard(card, current.builtAt) },
        charge: true,
        evidenceIds: [...quotedIds(card)],
      };
    },
  };
}, CARDS);
