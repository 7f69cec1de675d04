/** GET /: the page for people; agents get the short guide instead. */
import { html } from "hono/html";
import { z } from "zod";
import type { Catalogue } from "../../mining/cards/types.ts";
import { discovered, DISCOVERY, documentAddresses } from "../documents/discovery.ts";
import { documentRoute, HTML_TYPE, TEXT_TYPE, textForm } from "../documents/document.ts";
import { shortGuide } from "../documents/llms.ts";
import { dataRoutes, type Site } from "../pipeline/route.ts";
import { DOCUMENT_ROUTES, MCP_PATH } from "../pipeline/route_table.ts";
import { DEMONSTRATION, DISCLAIMER, SERVICE_NAME, SERVICE_SUMMARY } from "../pipeline/words.ts";
import { drawnCard } from "./card.ts";
import { type Html, inline, page, PAGE_HEADERS, scrollingTable } from "./layout.ts";
import { exampleCall, startCommands, TEST_MODE, typescript } from "../openapi/code_samples.ts";

const count = (value: number): string => value.toLocaleString("en-US");

function figures(catalogue: Catalogue): Html {
  const mined = catalogue.lastMinedAt;
  const categories = catalogue.categories.filter(({ opportunityCount }) => opportunityCount > 0);
  return html`
    <dl class="figures">
      <div>
        <dt>Opportunities</dt>
        <dd>${count(catalogue.cards.length)}</dd>
      </div>
      <div>
        <dt>Signals</dt>
        <dd>${count(catalogue.signalCount)}</dd>
      </div>
      <div>
        <dt>Categories with opportunities</dt>
        <dd>${categories.length}</dd>
      </div>
      <div>
        <dt>Newest post</dt>
        <dd class="small">${catalogue.dataTo === null
          ? "none yet"
          : html`<time datetime="${catalogue.dataTo}">${catalogue.dataTo.slice(0, 10)}</time>`}</dd>
      </div>
      <div>
        <dt>Last mined</dt>
        <dd class="small">${mined === null
          ? "not yet"
          : html`<time datetime="${mined}">${mined.slice(0, 16).replace("T", " ")} UTC</time>`}</dd>
      </div>
    </dl>
  `;
}

/** The categories that have something to buy, those with the most first. */
function categories(catalogue: Catalogue): Html {
  const filled = catalogue.categories.filter(({ opportunityCount }) => opportunityCount > 0)
    .toSorted((a, b) => b.opportunityCount - a.opportunityCount);
  if (filled.length === 0) return html``;
  const rows = filled.map(({ slug, title, opportunityCount, topScore }) =>
    html`
      <tr>
        <td>${title}</td>
        <td><code>${slug}</code></td>
        <td>${count(opportunityCount)}</td>
        <td>${topScore}</td>
      </tr>
    `
  );
  const empty = catalogue.categories.length - filled.length;
  const others = empty === 0
    ? ""
    : `${empty} more ${empty === 1 ? "category has" : "categories have"} none now; `;
  return html`<h2>Categories</h2>${
    scrollingTable("Categories", ["Category", "Slug", "Opportunities", "Highest score"], rows)
  }<p>${others}<a href="/v1/categories">/v1/categories</a> lists all, free.</p>`;
}

function prices(site: Site, catalogue: Catalogue): Html {
  const rows = dataRoutes(site, catalogue).map(({ row, doc }) =>
    html`
      <tr>
        <td><a href="/docs#${row.operationId}"><code>${row.method} ${row.path}</code></a></td>
        <td>${doc.summary}</td>
        <td class="price">${row.price === null ? "free" : `$${row.price}`}</td>
      </tr>
    `
  );
  return scrollingTable("Routes and prices", ["Route", "What it gives", "Per call"], rows);
}

function documents(site: Site): Html {
  const addresses = new Set(Object.values(documentAddresses(site)));
  const items = site.routes.filter(({ row }) =>
    row.path !== "/" && addresses.has(`${site.settings.baseUrl}${row.path}`)
  ).map(({ row, doc }) => html`<li><a href="${row.path}">${row.path}</a> ${doc.summary}</li>`);
  return html`<ul>${items}<li><code>POST ${MCP_PATH}</code> Use the routes as MCP tools</li></ul>`;
}

function home(site: Site, catalogue: Catalogue): string {
  const { baseUrl, version, paymentMode } = site.settings;
  const { sample } = catalogue;
  const main = html`
    <h1>What people want to buy and cannot find</h1>
    <p
      class="lead">Posts of public communities, read for demand on physical products, counted into scored opportunities with verbatim evidence, and sold to software agents a call at a time.</p>
    ${figures(catalogue)}
    ${catalogue.demonstration ? html`<p><strong>${DEMONSTRATION}</strong></p>` : ""}
    <h2>An opportunity, as the paid routes give it</h2>
    ${sample === null
      ? html`<p>Nothing has been found yet. The first opportunity will be shown here.</p>`
      : drawnCard(sample.card, sample.cardAsOf)}
    ${categories(catalogue)}
    <h2>Routes and prices</h2>
    <p>Prices are in US dollars and settled as USDC. There is no account and no key. No error is ever charged.${paymentMode ===
        "test"
      ? html`
        <strong>${inline(TEST_MODE)}</strong>
      `
      : ""}</p>
    ${prices(site, catalogue)}
    <h2>How an agent pays</h2>
    <p>A call without a payment is answered 402 with a challenge (x402 version 2). An x402 client signs it and sends the call again; the answer is settled only once it exists.</p>
    <pre tabindex="0" role="region"
      aria-label="Commands of a shell"><code>${startCommands(site, catalogue)}</code></pre>
    <pre tabindex="0" role="region"
      aria-label="Example code in TypeScript"><code>${site.routes
        .filter(({ row }) => row.operationId === "listTrendingOpportunities")
        .map((route) => typescript(exampleCall(route, baseUrl, catalogue)))}</code></pre>
    <h2>Documents</h2>
    ${documents(site)}
    <p>${DISCLAIMER}</p>
  `;
  return page({ title: SERVICE_NAME, description: SERVICE_SUMMARY, path: "/", version, main });
}

export const homePage = documentRoute(
  DOCUMENT_ROUTES.home,
  {
    summary: "See what this service is",
    description:
      "A page for browsers, /discovery for who asks for JSON; everything else gets the text of /llms.txt.",
    media: [TEXT_TYPE, HTML_TYPE],
    answer: z.string(),
    json: discovered,
    example: () => undefined,
  },
  textForm(shortGuide),
  { type: HTML_TYPE, make: home, headers: PAGE_HEADERS },
  DISCOVERY,
);
