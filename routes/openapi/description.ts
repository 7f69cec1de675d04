/** What the documents say of a route, as it is here and now. */
import type { Catalogue } from "../../mining/cards/types.ts";
import type { AppSettings } from "../deps.ts";
import type { Documented } from "../route.ts";
import { DATA_ROUTES } from "../table.ts";

/** A route's description over HTTP; one that cannot be sold at present says so. */
export function descriptionOf(
  { row, doc }: Documented,
  settings: AppSettings,
  catalogue: Catalogue,
): string {
  const isClosed = row.operationId === DATA_ROUTES.gaugeLive.operationId && !settings.hasSource &&
    !catalogue.demonstration;
  const note = isClosed
    ? "Not available here at present: no live source is configured, and a paid call is refused uncharged."
    : null;
  return [doc.description, doc.httpNote, note].filter(Boolean).join(" ");
}
