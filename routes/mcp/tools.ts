/** The data routes as MCP tools: their descriptions, and calls that pass through the routes themselves. */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { ERROR_CODES, isRetryable } from "../../core/errors.ts";
import type { ErrorBody } from "../pipeline/errors.ts";
import { type JsonSchema, slimSchema } from "../pipeline/json_schema.ts";
import { inputSchema } from "../openapi/document.ts";
import {
  encodeHeader,
  mppChallengeObject,
  mppCredentialHeader,
  mppReceiptObject,
} from "../../payment/mod.ts";
import type { Documented } from "../pipeline/route.ts";

type ObjectSchema = {
  readonly type: "object";
  readonly properties: Record<string, object>;
  readonly required?: string[];
  readonly [keyword: string]: unknown;
};

/** A tool as MCP lists it. */
interface Tool {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Readonly<Record<string, string | boolean>>;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** Where a tool says its price: US dollars as a decimal, null for a free one. */
export const PRICE_KEY = "demand/priceUsd";

/** Puts the names of tools in place of the addresses of their routes. */
type InTools = (text: string) => string;

/** Makes the replacement of these routes. */
export function inTools(routes: readonly Documented[]): InTools {
  const names = new Map(routes.map(({ row }) => [row.path, row.operationId]));
  // The longest first: some addresses begin like others.
  const paths = [...names.keys()].sort((a, b) => b.length - a.length)
    .map((path) => path.replaceAll(".", "\\."));
  const address = new RegExp(`(?:GET |POST )?(${paths.join("|")})(?:\\?\\w+=)?(?![\\w/])`, "g");
  return (text) => text.replace(address, (_, path: string) => names.get(path) ?? path);
}

/** What a tool answers. */
interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** Where x402 over MCP keeps a payment and its receipt. */
export const PAYMENT_KEY = "x402/payment";
export const RECEIPT_KEY = "x402/payment-response";
/** Where MPP keeps its challenges, a credential and its receipt. */
const REQUIRED_KEY = "org.paymentauth/payment-required";
export const CREDENTIAL_KEY = "org.paymentauth/credential";
const MPP_RECEIPT_KEY = "org.paymentauth/receipt";

/** What came along to pay with: undefined for nothing. */
interface ToolPayment {
  readonly x402: unknown;
  readonly mpp: unknown;
}

function objectSchema(schema: JsonSchema): ObjectSchema {
  const { properties, required, type: _type, ...rest } = schema;
  const names = Array.isArray(required) ? required.map(String) : [];
  const own: Record<string, object> = {};
  for (
    const [name, value] of Object.entries({ ...(typeof properties === "object" && properties) })
  ) {
    if (typeof value === "object" && value !== null) own[name] = value;
  }
  return {
    ...rest,
    type: "object",
    properties: own,
    ...(names.length > 0 ? { required: names } : {}),
  };
}

/**
 * The names of the answer's fields and what they are: hosts give the list of tools to their model with every
 * question, and the sample tools show the rest. Nothing is required: clients check challenges against it too.
 */
function outputSchema({ doc }: Documented): ObjectSchema {
  const { required: _required, ...schema } = slimSchema(doc.answer, "output");
  return objectSchema(schema);
}

/** A route as a tool. */
export function toolOf(
  route: Documented,
  categories: readonly string[],
  named: InTools,
): Tool {
  const { row, doc } = route;
  const input = "input" in doc ? inputSchema(doc.input, categories) : { type: "object" };
  const cost = row.price === null ? "Free." : `Costs $${row.price} a call.`;
  return {
    name: row.operationId,
    title: doc.summary,
    description: `${named(doc.description)} ${cost}`,
    inputSchema: objectSchema(JSON.parse(named(JSON.stringify(input)))),
    outputSchema: outputSchema(route),
    annotations: {
      readOnlyHint: true,
      openWorldHint: true,
    },
    _meta: { [PRICE_KEY]: row.price },
  };
}

/** The HTTP request that a tool's call stands for. */
export function requestFor(
  { row }: Documented,
  baseUrl: string,
  input: Readonly<Record<string, unknown>>,
  payment: ToolPayment,
): Request {
  const headers = new Headers();
  if (payment.x402 !== undefined) headers.set("PAYMENT-SIGNATURE", encodeHeader(payment.x402));
  if (payment.mpp !== undefined) headers.set("Authorization", mppCredentialHeader(payment.mpp));
  if (row.method === "POST") {
    headers.set("Content-Type", "application/json");
    const body = JSON.stringify(input);
    return new Request(`${baseUrl}${row.path}`, { method: "POST", headers, body });
  }
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  return new Request(`${baseUrl}${row.path}?${query}`, { headers });
}

function decoded(header: string | null): Record<string, unknown> | undefined {
  if (header === null) return undefined;
  const value: unknown = JSON.parse(Buffer.from(header, "base64").toString("utf8"));
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

/** What of a challenge's body its header does not have. */
const challengeBody = z.object({
  error: z.string(),
  message: z.string(),
  param: z.string().exactOptional(),
  problem: z.object({
    status: z.number(),
    code: z.enum(ERROR_CODES),
    message: z.string(),
    param: z.string().exactOptional(),
    categories: z.array(z.string()).exactOptional(),
  }).optional(),
  paymentMode: z.string().optional(),
  docs: z.string(),
  terms: z.string(),
  type: z.string().exactOptional(),
  title: z.string().exactOptional(),
  status: z.number().exactOptional(),
  detail: z.string().exactOptional(),
});

/** The error that a paid call would end in, in place of a challenge: nobody should sign for it. */
function refusalOf(
  { code, message, param, categories }: NonNullable<z.infer<typeof challengeBody>["problem"]>,
  response: Response,
  named: InTools,
): ToolResult {
  const body: ErrorBody = {
    error: {
      code,
      message: named(message),
      ...(param === undefined ? {} : { param }),
      retryable: isRetryable(code),
      requestId: response.headers.get("X-Request-Id") ?? "",
    },
    charged: false,
    ...(categories === undefined ? {} : { categories }),
  };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(body) }] };
}

/** What a host shows that knows of no payments: the price, the way to pay it, and that nothing was taken. */
function askingPrice(
  { row }: Documented,
  { error, message, paymentMode, docs }: z.infer<typeof challengeBody>,
): string {
  const { operationId: name, price } = row;
  const link = `${docs}#${name}`;
  const test = paymentMode === "test"
    ? " In test mode any random key pays, and no money moves."
    : "";
  return error === "payment_required"
    ? `${name} costs $${price} a call, paid in USDC by x402 (a host without a wallet uses \`demand mcp\`), ` +
      `and nothing was charged: ${link}.${test}`
    : `The payment of $${price} for ${name} was not taken, and nothing was charged: ${message} ${link}`;
}

/** What a challenge says over HTTP alone: directories read it there. */
function withoutDiscovery(required: Record<string, unknown>): Record<string, unknown> {
  const { extensions, ...rest } = required;
  if (typeof extensions !== "object" || extensions === null) return rest;
  const { bazaar: _directory, ...kept }: Record<string, unknown> = { ...extensions };
  return { ...rest, extensions: kept };
}

/** The tool's result that the answer of its route stands for. */
export async function resultOf(
  route: Documented,
  response: Response,
  named: InTools,
): Promise<ToolResult> {
  const text = await response.text();
  const receipt = decoded(response.headers.get("PAYMENT-RESPONSE"));
  const mppReceipt = mppReceiptObject(response.headers);
  const asked = mppChallengeObject(response.headers);
  const own = {
    ...(receipt ? { [RECEIPT_KEY]: receipt } : {}),
    ...(mppReceipt ? { [MPP_RECEIPT_KEY]: mppReceipt } : {}),
  };
  const meta = Object.keys(own).length > 0 ? { _meta: own } : {};
  const required = decoded(response.headers.get("PAYMENT-REQUIRED"));
  if (response.status === 402 && required) {
    const body = challengeBody.parse(JSON.parse(text));
    const { error: _word, message, param, problem, paymentMode, docs, terms, ...details } = body;
    if (problem !== undefined) return { ...meta, ...refusalOf(problem, response, named) };
    const challenge = {
      price: `$${route.row.price}`,
      charged: false,
      message,
      ...(param === undefined ? {} : { param }),
      docs: `${docs}#${route.row.operationId}`,
      ...(paymentMode === undefined ? {} : { paymentMode }),
      terms,
      ...withoutDiscovery(required),
    };
    const refused = details.type === undefined ? {} : { problem: details };
    const byMpp = asked === null
      ? {}
      : { [REQUIRED_KEY]: { httpStatus: 402, challenges: [asked], ...refused } };
    return {
      _meta: { ...own, ...byMpp },
      isError: true,
      structuredContent: challenge,
      content: [{ type: "text", text: askingPrice(route, body) }],
    };
  }
  if (response.status !== 200) {
    return { ...meta, isError: true, content: [{ type: "text", text: named(text) }] };
  }
  const content: ToolResult["content"] = [{ type: "text", text }];
  const structuredContent: Record<string, unknown> = JSON.parse(text);
  return { ...meta, structuredContent, content };
}
