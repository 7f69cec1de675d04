/** The 402 answer: what to pay, to whom, and how a directory describes the call. */
import { Buffer } from "node:buffer";
import { OperatorError } from "../../core/errors.ts";
import { createRecentMap } from "../../core/recent.ts";
import { PAYMENT_IDENTIFIER, paymentIdentifierExtension } from "./payment_identifier.ts";
import { baseUnits } from "../evm/networks.ts";
import type { Rail } from "./rail.ts";
import { meaningOf, REASON } from "./reasons.ts";
import type { PaidOffer, PaymentMode } from "./types.ts";

/** Seconds a buyer's authorization should hold. */
export const MAX_TIMEOUT_SECONDS = 300;
/** Clients' header limits start at 16 KB for all headers together. */
const MAX_HEADER_BYTES = 8192;

/** Query strings of a route whose headers are cached, and the longest of them. */
const SEARCHES = 64;
const SEARCH_MAX = 512;

export const PAYMENT_REQUIRED_HEADER = "PAYMENT-REQUIRED";
/** Headers of every answer of a paid route: it is for its buyer, and not to be cached. */
export const ANSWER_HEADERS = { "Content-Type": "application/json", "Cache-Control": "no-store" };

export interface PaymentRequirements {
  readonly scheme: "exact";
  readonly network: string;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
}

/** Why a paid call with this input would be refused. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  /** The categories that would be answered, where the given one is not. */
  readonly categories?: readonly string[];
}

/** What a 402 states about the service. */
interface PaymentRequiredSite {
  readonly baseUrl: string;
  readonly serviceName: string;
  readonly mode: PaymentMode;
  /** Whether the routes can be paid by MPP as well. */
  readonly mpp: boolean;
}

export interface PaymentRequired {
  /** Price in token units. */
  readonly amount: number;
  readonly requirements: PaymentRequirements;
  readonly resource: { readonly url: string; readonly [key: string]: unknown };
  readonly extensions: Readonly<Record<string, unknown>>;
  /**
   * The `PAYMENT-REQUIRED` header that states `reason`. It names the resource with the query string of the
   * request, `?` included, unless that is too long: some clients send the payment to just that address.
   */
  header(reason: string, search?: string): string;
  /** The body that goes with it; `more` is put before what all bodies of this route say. */
  body(reason: string, more?: Readonly<Record<string, unknown>>): string;
  /** The answer to a call without a payment, without the headers common to all answers. */
  bare(problem?: Problem, search?: string): Response;
}

/** The bazaar extension: an example of the call, and the JSON Schema that the example fulfils. */
function discoveryExtension(offer: PaidOffer): Record<string, unknown> {
  const { input, inputSchema, output, outputSchema } = offer.bazaar;
  const isGet = offer.method === "GET";
  const call = isGet ? { queryParams: input } : { bodyType: "json", body: input };
  const callSchema = isGet
    ? { queryParams: { type: "object", ...inputSchema } }
    : { bodyType: { type: "string", enum: ["json"] }, body: { type: "object", ...inputSchema } };
  return {
    info: {
      input: { type: "http", method: offer.method, ...call },
      output: { type: "json", example: output },
    },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { type: "string", const: "http" },
            method: { type: "string", enum: [offer.method] },
            ...callSchema,
          },
          required: isGet ? ["type", "method"] : ["type", "method", "bodyType", "body"],
          additionalProperties: false,
        },
        output: {
          type: "object",
          properties: {
            type: { type: "string" },
            example: { type: "object", ...outputSchema },
          },
          required: ["type"],
        },
      },
      required: ["input"],
    },
  };
}

const REFUSABLE =
  "The call came without a payment, and one with this input would be refused: problem says why.";
const PAY_BY_X402 =
  "Sign an EIP-3009 authorization for one entry of accepts[] and send the same request again with " +
  "it in PAYMENT-SIGNATURE (x402 version 2; @x402/fetch does it)";
const PAY_BY_MPP =
  ", or answer the challenge in WWW-Authenticate by Authorization: Payment (MPP; mppx does it)";

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

/** A `PAYMENT-…` header's value: base64 of JSON. */
export const encodeHeader = (value: unknown): string => base64(JSON.stringify(value));

/**
 * Creates the 402 of one route; the most common answer is encoded once.
 * @throws OperatorError where the description makes a header that clients cannot read.
 */
export function createPaymentRequired(
  offer: PaidOffer,
  rail: Rail,
  site: PaymentRequiredSite,
): PaymentRequired {
  const amount = baseUnits(offer.priceUsd);
  const requirements: PaymentRequirements = {
    scheme: "exact",
    network: rail.network.id,
    amount: String(amount),
    asset: rail.asset,
    payTo: rail.payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: rail.network.domain,
  };
  const stated: Stated = {
    requirements,
    resource: {
      url: `${site.baseUrl}${offer.path}`,
      description: offer.description,
      mimeType: offer.mimeType,
      serviceName: site.serviceName,
    },
    extensions: {
      bazaar: discoveryExtension(offer),
      [PAYMENT_IDENTIFIER]: paymentIdentifierExtension,
    },
  };
  const header = createHeader(stated);
  const body = createBody(offer, site, stated);
  const { length } = header(REASON.required);
  if (length + 256 > MAX_HEADER_BYTES) {
    throw new OperatorError(
      `the challenge of ${offer.path} has ${length} bytes: shorten its examples`,
    );
  }
  const headersFor = createUnpaidHeaders(header);
  return {
    amount,
    ...stated,
    header,
    body,
    bare: (problem, search = "") => {
      const more = problem === undefined ? undefined : { message: REFUSABLE, problem };
      return new Response(body(REASON.required, more), {
        status: 402,
        headers: headersFor(search),
      });
    },
  };
}

type Stated = Pick<PaymentRequired, "requirements" | "resource" | "extensions">;

/**
 * Makes `PaymentRequired.header`. What follows the address is encoded once; what precedes it is padded with spaces,
 * which JSON allows there, to whole groups of base64.
 */
function createHeader({ resource, requirements, extensions }: Stated): PaymentRequired["header"] {
  const { url, ...rest } = resource;
  const tail = JSON.stringify({ resource: rest, accepts: [requirements], extensions });
  const encodedTail = base64(`,${tail.slice(`{"resource":{`.length)}`);
  const encoded = (reason: string, search: string): string => {
    const head = `{"x402Version":2,"error":${JSON.stringify(reason)},"resource":{"url":` +
      JSON.stringify(`${url}${search}`);
    const bytes = Buffer.byteLength(head);
    return `${base64(head + " ".repeat((3 - bytes % 3) % 3))}${encodedTail}`;
  };
  const unpaid = encoded(REASON.required, "");
  const header: PaymentRequired["header"] = (reason, search = "") => {
    if (search === "") return reason === REASON.required ? unpaid : encoded(reason, "");
    const long = search.length > MAX_HEADER_BYTES ? null : encoded(reason, search);
    return long === null || long.length > MAX_HEADER_BYTES ? header(reason) : long;
  };
  return header;
}

/** Makes `PaymentRequired.body`. The header's schemas are left out: they are most of its bytes. */
function createBody(
  { mimeType, priceUsd }: PaidOffer,
  site: PaymentRequiredSite,
  { requirements, resource }: Stated,
): PaymentRequired["body"] {
  const common = {
    charged: false,
    ...(site.mode === "test" ? { paymentMode: site.mode } : {}),
    howToPay: `${PAY_BY_X402}${site.mpp ? PAY_BY_MPP : ""}.`,
    docs: `${site.baseUrl}/docs`,
    resource,
    accepts: [{ ...requirements, price: `$${priceUsd}`, mimeType }],
    terms: `${site.baseUrl}/terms.txt`,
  };
  const encoded: PaymentRequired["body"] = (reason, more = {}) =>
    JSON.stringify({
      x402Version: 2,
      error: reason,
      message: meaningOf(reason),
      ...more,
      ...common,
    });
  const unpaid = encoded(REASON.required);
  return (reason, more) =>
    reason === REASON.required && more === undefined ? unpaid : encoded(reason, more);
}

/** Makes the headers of the answer to a call without a payment, by its query string, and keeps the latest. */
function createUnpaidHeaders(header: PaymentRequired["header"]): (search: string) => Headers {
  // Parsed Headers are copied, which spares validating 6 KB again: 40 µs under Deno.
  const parsed = (search: string): Headers =>
    new Headers({ ...ANSWER_HEADERS, [PAYMENT_REQUIRED_HEADER]: header(REASON.required, search) });
  const bare = parsed("");
  const searched = createRecentMap<Headers>(SEARCHES);
  return (search) => {
    if (search === "") return bare;
    const known = searched.get(search);
    if (known !== undefined) return known;
    const made = parsed(search);
    if (search.length <= SEARCH_MAX) searched.set(search, made);
    return made;
  };
}
