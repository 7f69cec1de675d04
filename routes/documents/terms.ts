/** GET /terms.txt and /terms.json: what a caller agrees to, for people and for programs. */
import { z } from "zod";
import type { Site } from "../pipeline/route.ts";
import { DOCUMENT_ROUTES } from "../pipeline/route_table.ts";
import { DISCLAIMER, SERVICE_NAME } from "../pipeline/words.ts";
import { documentRoute, jsonForm, TEXT_TYPE, textForm } from "./document.ts";

const section = z.object({ id: z.string(), title: z.string(), text: z.string() });

const terms = z.object({
  service: z.string(),
  version: z.string(),
  url: z.url(),
  sections: z.array(section),
}).meta({ id: "Terms" });

type Terms = z.infer<typeof terms>;

/** Only a source that is asked can tell of removals. */
const removedAt = (hasSource: boolean): string =>
  hasSource
    ? "A post that is removed at its source loses its quotes and its weight here within 48 hours."
    : "This instance asks no source: its operator removes a post that is gone there, and its quotes and its " +
      "weight with it.";

const sectionsFor = (hasSource: boolean): Terms["sections"] => [
  {
    id: "informational",
    title: "Informational only",
    text:
      `${DISCLAIMER} Scores, verdicts and summaries are estimates made by machine from public ` +
      "posts; they are no advice, and decisions made on them are yours.",
  },
  {
    id: "payment",
    title: "Payment per call",
    text: "Paid routes cost the price shown in their challenge, per call, in USDC. There is no " +
      "account, subscription or bundle. A payment that was settled is final.",
  },
  {
    id: "no-charge-for-errors",
    title: "No charge for errors",
    text: "Payment is settled only after the answer has been computed. No error is charged, and " +
      "neither is a list that is empty because of your own filter. If the outcome of a settlement is " +
      "not known, send the same signed payment again: it is never settled twice.",
  },
  {
    id: "sources",
    title: "Sources and attribution",
    text:
      "Quotes are verbatim excerpts of public posts and belong to their authors. Each comes with " +
      "the address of its post: keep it with the quote wherever you show it, and honour the terms of " +
      "the site it comes from. Author names are not kept.",
  },
  {
    id: "removal",
    title: "Removal",
    text:
      `${removedAt(hasSource)} Do not keep quotes for longer than you need them, and drop those ` +
      "whose post is gone.",
  },
  {
    id: "availability",
    title: "Availability and limits",
    text:
      "The service is offered as it is, without a promise of availability. Free routes are limited " +
      "in calls a minute; the limits are in the answers' headers.",
  },
];

export function termsOf({ settings: { version, baseUrl, contact, hasSource } }: Site): Terms {
  const common = sectionsFor(hasSource);
  const sections = contact === null ? common : [...common, {
    id: "contact",
    title: "Contact",
    text: `Write to the operator at ${contact}; name the X-Request-Id, and for a payment its ` +
      "transaction or its nonce.",
  }];
  return { service: SERVICE_NAME, version, url: `${baseUrl}/terms.txt`, sections };
}

/** The terms as plain text. */
export const TERMS_TEXT = textForm((site) => {
  const { service, version, sections } = termsOf(site);
  const parts = sections.map(({ title, text }, index) => `${index + 1}. ${title}\n\n${text}\n`);
  return [`Terms of the ${service}, version ${version}\n`, ...parts].join("\n");
});

export const termsText = documentRoute(
  DOCUMENT_ROUTES.termsText,
  {
    summary: "Read the terms of service",
    description: "The terms as plain text.",
    media: [TEXT_TYPE],
    answer: z.string(),
    example: () => undefined,
  },
  TERMS_TEXT,
);

export const termsJson = documentRoute(DOCUMENT_ROUTES.termsJson, {
  summary: "Read the terms of service as JSON",
  description: "The same terms, section by section.",
  answer: terms,
  example: () => undefined,
}, jsonForm(termsOf));
