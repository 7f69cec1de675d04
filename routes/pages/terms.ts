/** GET /terms: the terms of service as a page. */
import { html } from "hono/html";
import { z } from "zod";
import { documentRoute, HTML_TYPE, TEXT_TYPE } from "../documents/document.ts";
import { TERMS_TEXT, termsOf } from "../documents/terms.ts";
import type { Site } from "../pipeline/route.ts";
import { DOCUMENT_ROUTES } from "../pipeline/route_table.ts";
import { SERVICE_NAME } from "../pipeline/words.ts";
import { page, PAGE_HEADERS } from "./layout.ts";

function terms(site: Site): string {
  const { version, sections } = termsOf(site);
  return page({
    title: `Terms: ${SERVICE_NAME}`,
    description: "What a caller agrees to.",
    path: DOCUMENT_ROUTES.terms.path,
    version,
    main: html`<h1>Terms of service</h1>${
      sections.map(({ id, title, text }) =>
        html`
          <h2 id="${id}">${title}</h2>
          <p>${text}</p>
        `
      )
    }`,
  });
}

export const termsPage = documentRoute(
  DOCUMENT_ROUTES.terms,
  {
    summary: "Read the terms of service as a page",
    description: "A page for browsers; everything else gets the text of /terms.txt.",
    media: [TEXT_TYPE, HTML_TYPE],
    answer: z.string(),
    example: () => undefined,
  },
  TERMS_TEXT,
  { type: HTML_TYPE, make: terms, headers: PAGE_HEADERS },
);
