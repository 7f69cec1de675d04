/** The frame of every page: head, style, header and footer. All values pass through hono's escaping. */
import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { SERVICE_NAME } from "../pipeline/words.ts";
import style from "./style.css.txt" with { type: "text" };

/** Markup whose values were escaped. */
export type Html = ReturnType<typeof html>;

/** Text with its code spans, as Markdown has them. */
export const inline = (text: string): (Html | string)[] =>
  text.split("`").map((part, n) => n % 2 === 1 ? html`<code>${part}</code>` : part);

const STYLE = style.replace(/\s*\n\s*/g, "");
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Nothing runs, nothing is fetched from elsewhere, and only our own style applies. */
export const PAGE_HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const;

interface PageParts {
  readonly title: string;
  readonly description: string;
  /** Path of the page itself, for the navigation. */
  readonly path: string;
  readonly version: string;
  readonly main: Html;
}

const LINKS = [["/", "Overview"], ["/docs", "Reference"], ["/changelog", "Changelog"]] as const;

/** A whole page as text. */
export function page(parts: PageParts): string {
  const { title, description, path, version, main } = parts;
  const navigation = LINKS.map(([href, name]) =>
    href === path
      ? html`<a href="${href}" aria-current="page">${name}</a>`
      : html`<a href="${href}">${name}</a>`
  );
  return String(html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title}</title>
        <meta name="description" content="${description}">
        <link rel="icon" href="/favicon.ico">
        <style>${raw(STYLE)}</style>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <p class="brand"><a href="/">${SERVICE_NAME}</a></p>
          <nav aria-label="Pages">${navigation}</nav>
        </header>
        <main id="main">${main}</main>
        <footer>
          <p>Version ${version}. <a href="/terms">Terms</a>. Quotes belong to their authors and are shown with their address.</p>
        </footer>
      </body>
    </html>
  `);
}

/** A table that scrolls by itself where it is wider than the page; `label` names it for who cannot see it. */
export function scrollingTable(
  label: string,
  columns: readonly string[],
  rows: readonly Html[],
): Html {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label="${label}">
      <table>
        <thead>
          <tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
}

/** The address if it is one a browser may open from here, else null. */
export function safeLink(address: string): string | null {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : null;
}
