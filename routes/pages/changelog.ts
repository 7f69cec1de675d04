/** GET /changelog: what changed in which version, as a page or as the Markdown it is written in. */
import { html } from "hono/html";
import { z } from "zod";
import { MARKDOWN_TYPE } from "../documents/skill.ts";
import { documentRoute, HTML_TYPE } from "../documents/document.ts";
import type { Site } from "../pipeline/route.ts";
import { DOCUMENT_ROUTES } from "../pipeline/route_table.ts";
import { SERVICE_NAME } from "../pipeline/words.ts";
import { type Html, inline, page, PAGE_HEADERS } from "./layout.ts";

/** The little of Markdown that a changelog uses: headings, lists, paragraphs and code spans. */
function blocks(markdown: string): Html[] {
  const drawn: Html[] = [];
  let items: string[] = [];
  const flush = () => {
    if (items.length > 0) {
      drawn.push(html`<ul>${items.map((item) => html`<li>${inline(item)}</li>`)}</ul>`);
    }
    items = [];
  };
  for (const block of markdown.replace(/\r\n/g, "\n").split(/\n{2,}|\n(?=[-*#] ?)/)) {
    const line = block.replace(/\s*\n\s*/g, " ").trim();
    const item = /^[-*] (.*)$/.exec(line)?.[1];
    if (item !== undefined) {
      items.push(item);
      continue;
    }
    flush();
    const [, marks, title] = /^(#{1,4}) (.*)$/.exec(line) ?? [];
    if (marks === "#") drawn.push(html`<h1>${title}</h1>`);
    else if (marks === "##") drawn.push(html`<h2>${title}</h2>`);
    else if (marks !== undefined) drawn.push(html`<h3>${title}</h3>`);
    else if (line !== "") drawn.push(html`<p>${inline(line)}</p>`);
  }
  flush();
  return drawn;
}

function changelog({ settings }: Site): string {
  return page({
    title: `Changelog: ${SERVICE_NAME}`,
    description: "What changed in which version.",
    path: "/changelog",
    version: settings.version,
    main: html`${blocks(settings.changelog)}`,
  });
}

export const changelogPage = documentRoute(
  DOCUMENT_ROUTES.changelog,
  {
    summary: "See what changed",
    description: "The changelog: a page for browsers, Markdown for everything else.",
    media: [MARKDOWN_TYPE, HTML_TYPE],
    answer: z.string(),
    example: () => undefined,
  },
  { type: MARKDOWN_TYPE, make: ({ settings }) => settings.changelog },
  { type: HTML_TYPE, make: changelog, headers: PAGE_HEADERS },
);
