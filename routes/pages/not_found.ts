/** What a browser gets at an address where nothing is. */
import { html } from "hono/html";
import { HTML_TYPE } from "../documents/document.ts";
import type { Scope } from "../pipeline/respond.ts";
import { SERVICE_NAME } from "../pipeline/words.ts";
import { page, PAGE_HEADERS } from "./layout.ts";

/** Answers 404 with a page that leads on. */
export function sendNotFound(scope: Scope, version: string): Response {
  scope.code = "not_found";
  const body = page({
    title: `Nothing here: ${SERVICE_NAME}`,
    description: "There is nothing at this address.",
    path: "",
    version,
    main: html`
      <h1>There is nothing at this address</h1>
      <ul>
        <li><a href="/">What this service is</a>, with its prices</li>
        <li><a href="/docs">The reference</a>: every route and its answers</li>
        <li><a href="/v1/categories">The categories</a>, free</li>
        <li><a href="/terms">The terms of service</a></li>
      </ul>
    `,
  });
  const headers = {
    ...scope.headers,
    ...PAGE_HEADERS,
    "content-type": HTML_TYPE,
    "cache-control": "no-store",
    vary: "Origin, Accept",
  };
  return new Response(body, { status: 404, headers });
}
