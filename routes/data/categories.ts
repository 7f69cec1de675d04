/** GET /v1/categories: the free index that clients poll to see what changed. */
import { z } from "zod";
import { type CategoryIndex, categoryIndex } from "../../mining/cards/queries.ts";
import { JSON_TYPE, memoLast, prepared, send } from "../pipeline/respond.ts";
import { defineRoute } from "../pipeline/route.ts";
import { categoryEntry, dataSpan, timestamp } from "./schemas.ts";
import { DATA_ROUTES } from "../pipeline/route_table.ts";

const answer = z.object({
  categories: z.array(categoryEntry).describe("Every category, empty ones too"),
  generatedAt: timestamp.describe("When the data was built"),
  ...dataSpan,
}).meta({ id: "CategoryIndex" }) satisfies z.ZodType<CategoryIndex>;

export const categories = defineRoute(DATA_ROUTES.categories, {
  summary: "List all categories and see what changed",
  description:
    "Every product category with the number of its active opportunities, its top score and the time " +
    "it last changed: pay for a category when its lastUpdated moves. newestPost says how old its posts are.",
  httpNote: "Poll it with If-None-Match.",
  answer,
  example: categoryIndex,
  errors: [],
  tagged: true,
}, ({ catalogue }) => {
  const ready = memoLast((current: ReturnType<typeof catalogue>) =>
    prepared(JSON.stringify(categoryIndex(current)), JSON_TYPE, "public, max-age=30")
  );
  return (scope) => send(scope, ready(catalogue()));
});
