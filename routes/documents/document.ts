/** Documents: bodies made once per catalogue, as HTML for a browser and plainly for everyone else. */
import type { Catalogue } from "../../mining/cards/types.ts";
import {
  JSON_TYPE,
  memoLast,
  prepared,
  type PreparedBody,
  qualities,
  send,
} from "../pipeline/respond.ts";
import { defineRoute, type FreeRoute, type RouteDoc, type Site } from "../pipeline/route.ts";
import type { Row } from "../pipeline/route_table.ts";

export const TEXT_TYPE = "text/plain; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";

const CACHE = "public, max-age=300";

/** One form of a document. */
export interface Form {
  readonly type: string;
  readonly make: (site: Site, catalogue: Catalogue) => string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it shows examples of answers. */
  readonly hasExamples?: true;
}

/** The form that is JSON of what `make` gives. */
export const jsonForm = (make: (site: Site, catalogue: Catalogue) => unknown): Form => ({
  type: JSON_TYPE,
  make: (site, catalogue) => JSON.stringify(make(site, catalogue)),
});

/** The form that is plain text. */
export const textForm = (make: (site: Site, catalogue: Catalogue) => string): Form => ({
  type: TEXT_TYPE,
  make,
});

/**
 * Whether the client names HTML among what it accepts: browsers do, agents say anything goes. One that
 * names plain text or Markdown and likes it as well is an agent.
 */
export function wantsHtml(accept: string | null): boolean {
  const named = qualities(accept ?? "");
  const plain = Math.max(named.get("text/plain") ?? 0, named.get("text/markdown") ?? 0);
  return (named.get("text/html") ?? 0) > plain;
}

/** Whether the client names JSON and likes no text as well. */
function wantsJson(accept: string | null): boolean {
  const named = qualities(accept ?? "");
  const texts = ["text/html", "text/plain", "text/markdown"].map((type) => named.get(type) ?? 0);
  return (named.get(JSON_TYPE) ?? 0) > Math.max(...texts);
}

/** Makes the route of a document; with a `page`, the one that browsers get, and with `json`, what programs get. */
export function documentRoute(
  row: Row,
  doc: Omit<RouteDoc, "errors" | "tagged">,
  plain: Form,
  page?: Form,
  json?: Form,
): FreeRoute {
  return defineRoute(row, { ...doc, errors: [], tagged: true }, (site) => {
    const more = page ? { vary: "Origin, Accept, Accept-Encoding" } : {};
    const ready = (form: Form) => ({
      form,
      bodyOf: memoLast((catalogue: Catalogue): PreparedBody =>
        prepared(form.make(site, catalogue), form.type, CACHE, { ...form.headers, ...more })
      ),
    });
    const asText = ready(plain);
    const asPage = page ? ready(page) : asText;
    const asJson = json ? ready(json) : asText;
    return async (scope) => {
      const accept = scope.request.headers.get("accept");
      const { form, bodyOf } = wantsHtml(accept) ? asPage : wantsJson(accept) ? asJson : asText;
      const catalogue = site.catalogue();
      if (form.hasExamples) await site.prepareExamples(catalogue);
      return send(scope, bodyOf(catalogue));
    };
  });
}
