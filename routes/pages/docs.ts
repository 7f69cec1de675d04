/** GET /docs: the reference for people, made from the OpenAPI document. */
import { html } from "hono/html";
import { z } from "zod";
import type { Catalogue } from "../../mining/cards/types.ts";
import { documentRoute, HTML_TYPE, TEXT_TYPE } from "../documents/document.ts";
import { FULL_GUIDE } from "../documents/llms.ts";
import { described, OPENAPI } from "../documents/openapi.ts";
import { shortened } from "../pipeline/example.ts";
import { openApiDocument, type Operation } from "../openapi/document.ts";
import { ERRORS } from "../../core/errors.ts";
import type { Site } from "../pipeline/route.ts";
import { DOCUMENT_ROUTES } from "../pipeline/route_table.ts";
import { SERVICE_NAME } from "../pipeline/words.ts";
import { type Html, page, PAGE_HEADERS, scrollingTable } from "./layout.ts";

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(key) : undefined;

const text = (value: unknown): string => typeof value === "string" ? value : "";

function typeOf(schema: unknown): string {
  const bound = (key: string): string => {
    const value = field(schema, key);
    return typeof value === "number" ? String(value) : "";
  };
  const values = field(schema, "enum");
  if (Array.isArray(values)) return "a category";
  if (bound("maxLength") !== "") return `${bound("minLength")} to ${bound("maxLength")} characters`;
  if (bound("maximum") !== "") return `a number from ${bound("minimum")} to ${bound("maximum")}`;
  return text(field(schema, "type"));
}

function inputs(operation: Operation): Html | string {
  const own = (operation.parameters ?? []).filter((one) => field(one, "in") === "query");
  const body = field(field(operation.requestBody, "content"), "application/json");
  const inBody = field(field(body, "schema"), "required");
  const isRequired = (parameter: unknown): boolean =>
    field(parameter, "required") === true ||
    (Array.isArray(inBody) && inBody.includes(field(parameter, "name")));
  const rows = own.map((parameter) =>
    html`
      <tr>
        <td><code>${text(field(parameter, "name"))}</code></td>
        <td>${typeOf(field(parameter, "schema"))}</td>
        <td>${isRequired(parameter) ? "yes" : "no"}</td>
        <td>${text(field(parameter, "description"))}</td>
      </tr>
    `
  );
  if (rows.length === 0) return "";
  const where = operation.requestBody ? "body, or query" : "query";
  const columns = [`Input (${where})`, "Type", "Required", "Meaning"];
  return scrollingTable(`Inputs of ${operation.operationId}`, columns, rows);
}

function example(operation: Operation): Html | string {
  const content = field(field(operation.responses["200"], "content"), "application/json");
  const value = field(content, "example");
  if (value === undefined) return "";
  return html`
    <details>
      <summary>An answer</summary>
      <pre tabindex="0" role="region"
        aria-label="Example answer of ${operation.operationId}"><code>${JSON
          .stringify(shortened(value, 1), null, 2)}</code></pre>
    </details>
  `;
}

/** The line that buys an answer, or shows a free one. */
function command(operation: Operation): Html | string {
  const [first] = operation["x-codeSamples"] ?? [];
  return first === undefined ? "" : html`
    <pre tabindex="0" role="region"
      aria-label="Command for ${operation.operationId}"><code>${first.source}</code></pre>
  `;
}

function routeSection(method: string, path: string, operation: Operation): Html {
  const amount = text(field(field(operation["x-payment-info"], "price"), "amount"));
  const statuses = Object.keys(operation.responses).join(", ");
  return html`
    <section class="route"
      id="${operation.operationId}"><h3><span class="method">${method
        .toUpperCase()}</span><code>${path}</code><span class="tag">${amount === ""
        ? "free"
        : `$${amount}`}</span></h3><p><strong>${operation.summary}.</strong> ${operation
        .description}</p>${command(operation)}${inputs(
          operation,
        )}<p class="meta">Answers ${statuses}.</p>${example(
          operation,
        )}</section>
  `;
}

function errors(): Html {
  const rows = Object.entries(ERRORS).map(([code, { status, means }]) =>
    html`
      <tr>
        <td>${status}</td>
        <td><code>${code}</code></td>
        <td>${means}</td>
      </tr>
    `
  );
  return scrollingTable("Error codes", ["Status", "Code", "Meaning"], rows);
}

/** Where everything on the page is. */
function contents(
  parts: readonly (readonly [id: string, title: string, operations: readonly Operation[]])[],
): Html {
  return html`
    <nav aria-label="Contents">
      <ul>${parts.map(([id, title, operations]) =>
        html`<li><a href="#${id}">${title}</a>${
          operations.length === 0
            ? ""
            : html`<ul>${
              operations.map(({ operationId, summary }) =>
                html`<li><a href="#${operationId}">${summary}</a></li>`
              )
            }</ul>`
        }</li>`
      )}</ul>
    </nav>
  `;
}

function docs(site: Site, catalogue: Catalogue): string {
  const document = openApiDocument(site.routes, site.settings, catalogue);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  );
  const tagged = (tag: string) =>
    operations.filter(({ operation }) => operation.tags.includes(tag));
  const named = (tag: string) => tagged(tag).map(({ operation }) => operation);
  const sections = (tag: string) =>
    tagged(tag)
      .map(({ path, method, operation }) => routeSection(method, path, operation));
  const main = html`
    <h1>Reference</h1>
    <p
      class="lead">Every route, made from the same declarations as <a href="/openapi.json">/openapi.json</a>. For language models there is <a href="/llms-full.txt">/llms-full.txt</a>.</p>
    ${contents([
      ["paying", "How a paid call goes", []],
      ["data", "Data", named("data")],
      ["errors", "Errors", []],
      ["service", "The service itself", named("service")],
    ])}
    <h2 id="paying">How a paid call goes</h2>
    <ol>
      <li>Call the route. Without a payment it answers 402: <code>accepts[]</code> in the body, and the same as base64 in <code>PAYMENT-REQUIRED</code> (x402 version 2, USDC).</li>
      <li>Sign an authorization for one entry of <code>accepts[]</code>, as it is.</li>
      <li>Send the same request with the payload in <code>PAYMENT-SIGNATURE</code>, or in the older <code>X-PAYMENT</code>.</li>
      <li>A 200 with <code>"charged": true</code> was paid for; its receipt is in <code>PAYMENT-RESPONSE</code>. No failed call is charged; a <code>"charged": null</code> says that the outcome is open, and a 410 <code>answer_removed</code>, with <code>"charged": true</code>, that an answer you bought cannot be given again.</li>
      ${site.settings.mppCurrency === null ? "" : html`
        <li>Or pay by MPP: answer the challenge in <code>WWW-Authenticate</code> with <code>Authorization: Payment</code>; the receipt is in <code>Payment-Receipt</code>.</li>
      `}
      <li>After <code>settlement_pending</code>, send the same payment again. Never sign a second one for the same call.</li>
    </ol>
    <h2 id="data">Data</h2>
    ${sections("data")}
    <h2 id="errors">Errors</h2>
    <p>An error is <code>{"error": {"code", "message", "param"?, "retryable", "retryAfterSeconds"?, "requestId"}, "charged"}</code>; <code>invalid_category</code> adds <code>categories</code>, and <code>corpus_warming</code> of a category without cards those that have some. Every 429 and 503 has <code>Retry-After</code>. A 402 is the challenge instead, and its <code>error</code> is one word, such as <code>payment_required</code> or <code>invalid_payload</code>; <a href="/llms-full.txt">llms-full.txt</a> explains each.</p>
    ${errors()}
    <h2 id="service">The service itself</h2>
    ${sections("service")}
  `;
  return page({
    title: `Reference: ${SERVICE_NAME}`,
    description: "Routes, inputs, answers, prices and errors of the service.",
    path: "/docs",
    version: site.settings.version,
    main,
  });
}

export const docsPage = documentRoute(
  DOCUMENT_ROUTES.docs,
  {
    summary: "Read the reference",
    description:
      "A page for browsers, /openapi.json for who asks for JSON; everything else gets the text of /llms-full.txt.",
    media: [TEXT_TYPE, HTML_TYPE],
    answer: z.string(),
    json: described,
    example: () => undefined,
  },
  FULL_GUIDE,
  { type: HTML_TYPE, make: docs, headers: PAGE_HEADERS, hasExamples: true },
  OPENAPI,
);
