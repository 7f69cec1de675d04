/** /admin: the operator's page, behind ADMIN_TOKEN. It is not part of the API, and none of the documents names it. */
import { createHash, timingSafeEqual } from "node:crypto";
import { Buffer } from "node:buffer";
import { html } from "hono/html";
import { ERRORS } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Database } from "../../db/sql.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { PaymentStatus } from "../../payment/mod.ts";
import { type AdminSources, dataset, DATASET_NAMES } from "./datasets.ts";
import { adminFrame, STYLE } from "./html.ts";
import { adminPage, csvOf, type PageFacts } from "./page.ts";
import { lookupPage } from "./pages.ts";
import { renderError } from "../pipeline/errors.ts";
import { Window } from "../pipeline/limits.ts";
import type { Html } from "../pages/layout.ts";

/** Wrong tokens that an address may send in a minute; then none of its tokens is looked at. */
const WRONG_TOKENS = 10;

export interface AdminOptions extends Omit<AdminSources, "mode" | "rail" | "sql"> {
  /** A page that hangs must take no connection from the job. */
  readonly database: Pick<Database, "withDeadline">;
  readonly token: string;
  readonly version: string;
  readonly log: Log;
  /** Makes the name by which the log tells why a page failed. */
  readonly requestId: () => string;
  readonly catalogue: () => Catalogue;
  readonly payments: () => PaymentStatus;
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 365;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The token that a request brings: as a bearer's, or as a browser's password under any name. */
function tokenOf(header: string | null): string | null {
  const [, scheme = "", value = ""] = /^(bearer|basic) +(.*)$/i.exec(header ?? "") ?? [];
  if (scheme === "") return null;
  if (scheme.toLowerCase() === "bearer") return value;
  const text = Buffer.from(value, "base64").toString("utf8");
  return text.slice(text.indexOf(":") + 1);
}

/** The page's own style and nothing else: no script, no frame, nothing from elsewhere. */
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; base-uri 'none'; form-action 'self'; ` +
    `frame-ancestors 'none'; style-src 'sha256-${digest(STYLE).toString("base64")}'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Whether a request is for the operator's page; one whose address cannot be read is left to the application. */
export function isForAdmin({ url }: Request): boolean {
  if (!URL.canParse(url)) return false;
  const { pathname } = new URL(url);
  return pathname === "/admin" || pathname.startsWith("/admin/");
}

const answer = (status: number, body: string, type: string, more = {}): Response =>
  new Response(body, { status, headers: { ...HEADERS, "content-type": type, ...more } });
const text = (status: number, body: string, more = {}): Response =>
  answer(status, `${body}\n`, "text/plain; charset=utf-8", more);
const markup = async (page: Html, status = 200): Promise<Response> =>
  answer(status, String(await page), "text/html; charset=utf-8");

/** Makes the check of who asks: null where the request, from that address, is let in. */
function createSignIn(
  { token: wanted, now, log }: Pick<AdminOptions, "token" | "now" | "log">,
): (request: Request, client: string) => Response | null {
  const wantedDigest = digest(wanted);
  const wrongTokens = new Window(WRONG_TOKENS);
  return (request, client) => {
    const token = tokenOf(request.headers.get("authorization"));
    const at = now().getTime();
    if (token !== null) {
      const { allowed, resetSeconds } = wrongTokens.look(client, at);
      if (!allowed) {
        return text(429, "Too many wrong tokens came from this address.", {
          "retry-after": String(resetSeconds),
        });
      }
      if (timingSafeEqual(digest(token), wantedDigest)) return null;
      const { remaining } = wrongTokens.take(client, at);
      log.warn("a wrong token at /admin", { client, moreAllowed: remaining });
    }
    return text(401, "The operator's token is wanted, as a password under any name.", {
      "www-authenticate": 'Basic realm="demand operator", charset="UTF-8"',
    });
  };
}

/** The lines above the tables. */
function statusLines(payments: PaymentStatus, catalogue: Catalogue): PageFacts["status"] {
  const { mode, network, ready, payTo, inFlight } = payments;
  return [
    ["Payments", `${mode} on ${network}, ${ready ? "ready" : "not ready"}`],
    ["Paid to", payTo],
    ["In flight", String(inFlight)],
    ["Corpus", `${catalogue.cards.length} opportunities, ${catalogue.signalCount} signals`],
    ["Last mined", catalogue.lastMinedAt ?? "never"],
  ];
}

/** The table of an address such as /admin/revenue.csv. */
async function csvAnswer(
  pathname: string,
  sources: AdminSources,
  days: number,
): Promise<Response> {
  const name = /^\/admin\/([a-z]+)\.csv$/.exec(pathname)?.[1] ?? "";
  const data = await dataset(name, sources, days);
  if (data === undefined) {
    return await markup(adminFrame("There is nothing at this address", "", html``), 404);
  }
  return answer(200, csvOf(data), "text/csv; charset=utf-8", {
    "content-disposition": `attachment; filename="demand-${name}.csv"`,
  });
}

/** The answer to a request that is let in. */
async function show(options: AdminOptions, url: URL): Promise<Response> {
  const { withDeadline: sql } = options.database;
  const page = await lookupPage(sql, url);
  if (page !== null) return await markup(page);
  const asked = Number(url.searchParams.get("days") ?? DEFAULT_DAYS);
  const days = Number.isInteger(asked) && asked >= 1 && asked <= MAX_DAYS ? asked : DEFAULT_DAYS;
  const payments = options.payments();
  const mode = payments.mode === "test" ? "test" : "live";
  const sources: AdminSources = { ...options, sql, mode, rail: payments.rail };
  if (url.pathname !== "/admin") return await csvAnswer(url.pathname, sources, days);
  const datasets = [];
  for (const name of DATASET_NAMES) {
    const data = await dataset(name, sources, days);
    if (data !== undefined) datasets.push(data);
  }
  const status = statusLines(payments, options.catalogue());
  return await markup(adminPage(datasets, { version: options.version, days, status }));
}

/**
 * Makes what answers requests under /admin; `client` is the address that a request comes from. The answer
 * never rejects.
 */
export function createAdmin(
  options: AdminOptions,
): (request: Request, client: string) => Promise<Response> {
  const refusal = createSignIn(options);
  return async (request, client) => {
    const refused = refusal(request, client);
    if (refused !== null) return refused;
    if (request.method !== "GET" && request.method !== "HEAD") {
      return text(405, "This address answers GET.", { allow: "GET, HEAD" });
    }
    try {
      return await show(options, new URL(request.url));
    } catch (error) {
      const requestId = options.requestId();
      const { status, headers, body } = renderError({ requestId, log: options.log }, error);
      const { code } = body.error;
      return text(status, `${code}: ${ERRORS[code].means}. The log says more of ${requestId}.`, {
        ...headers,
        "x-request-id": requestId,
      });
    }
  };
}
