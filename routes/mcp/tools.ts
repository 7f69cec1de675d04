/** The data routes as MCP tools: their descriptions, and calls that pass through the routes themselves. */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { ERROR_CODES, isRetryable } from "../../core/errors.ts";
import type { ErrorBody } from "../pipeline/errors.ts";
import { fullSchema, type JsonSchema } from "../pipeline/json_schema.ts";
import { inputSchema } from "../openapi/document.ts";
import {
  challengeObject,
  credentialHeader,
  encodeHeader,
  receiptObject,
} from "../../payment/mod.ts";
import type { Documented } from "../pipeline/route.ts";

type ObjectSchema = {
  readonly type: "object";
  readonly properties: Record<string, object>;
  readonly required?: string[];
  readonly [keyword: string]: unknown;
};

/** A tool as MCP lists it. */
export interface Tool {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Readonly<Record<string, string | boolean>>;
}

/** What a tool answers. */
export interface ToolResult {
  readonly [key: string]: unknown;
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** Where x402 over MCP keeps a payment and its receipt. */
export const PAYMENT_KEY = "x402/payment";
const RECEIPT_KEY = "x402/payment-response";
/** Where MPP keeps its challenges, a credential and its receipt. */
const REQUIRED_KEY = "org.paymentauth/payment-required";
export const CREDENTIAL_KEY = "org.paymentauth/credential";
const MPP_RECEIPT_KEY = "org.paymentauth/receipt";

/** What came along to pay with: undefined for nothing. */
export interface ToolPayment {
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
 * Clients check every structured result against the output schema, challenges too: a paid tool's
 * schema asks for the answer's fields or for those of a challenge.
 */
function outputSchema({ row, doc }: Documented): ObjectSchema {
  const { additionalProperties: _closed, ...schema } = fullSchema(doc.answer, "output");
  const whole = objectSchema(schema);
  if (row.price === null) return whole;
  const { required = [], ...open } = whole;
  return { ...open, anyOf: [{ required }, { required: ["x402Version", "accepts"] }] };
}

/** A route as a tool. */
export function toolOf(
  route: Documented,
  categories: readonly string[],
  hasMpp: boolean,
): Tool {
  const { row, doc } = route;
  const input = "input" in doc ? inputSchema(doc.input, categories) : { type: "object" };
  const cost = row.price === null
    ? "Free."
    : `Costs $${row.price} a call, paid by x402: the first call without a payment answers with the ` +
      `challenge; send the signed payment in _meta["${PAYMENT_KEY}"].` +
      (hasMpp ? ` By MPP: the credential in _meta["${CREDENTIAL_KEY}"].` : "");
  return {
    name: row.operationId,
    title: doc.summary,
    description: `${doc.description} ${cost}`,
    inputSchema: objectSchema(input),
    outputSchema: outputSchema(route),
    annotations: {
      title: doc.summary,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: row.price === null,
      openWorldHint: true,
    },
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
  if (payment.mpp !== undefined) headers.set("Authorization", credentialHeader(payment.mpp));
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
  message: z.string(),
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

/** The error that a paid call would end in, in the place of a challenge: nobody should sign for it. */
function refusalOf(
  { code, message, param, categories }: NonNullable<z.infer<typeof challengeBody>["problem"]>,
  response: Response,
): ToolResult {
  const body: ErrorBody = {
    error: {
      code,
      message,
      ...(param === undefined ? {} : { param }),
      retryable: isRetryable(code),
      requestId: response.headers.get("X-Request-Id") ?? "",
    },
    charged: false,
    ...(categories === undefined ? {} : { categories }),
  };
  return { isError: true, content: [{ type: "text", text: JSON.stringify(body) }] };
}

/** The tool's result that the route's answer stands for. */
export async function resultOf(response: Response): Promise<ToolResult> {
  const text = await response.text();
  const receipt = decoded(response.headers.get("PAYMENT-RESPONSE"));
  const mppReceipt = receiptObject(response.headers);
  const asked = challengeObject(response.headers);
  const own = {
    ...(receipt ? { [RECEIPT_KEY]: receipt } : {}),
    ...(mppReceipt ? { [MPP_RECEIPT_KEY]: mppReceipt } : {}),
  };
  const meta = Object.keys(own).length > 0 ? { _meta: own } : {};
  const required = decoded(response.headers.get("PAYMENT-REQUIRED"));
  if (response.status === 402 && required) {
    const { message, problem, paymentMode, docs, terms, ...details } = challengeBody.parse(
      JSON.parse(text),
    );
    if (problem !== undefined) return { ...meta, ...refusalOf(problem, response) };
    const challenge = {
      ...required,
      message,
      ...(paymentMode === undefined ? {} : { paymentMode }),
      docs,
      terms,
    };
    const refused = details.type === undefined ? {} : { problem: details };
    const byMpp = asked === null
      ? {}
      : { [REQUIRED_KEY]: { httpStatus: 402, challenges: [asked], ...refused } };
    return {
      _meta: { ...own, ...byMpp },
      isError: true,
      structuredContent: challenge,
      content: [{ type: "text", text: JSON.stringify(challenge) }],
    };
  }
  const content: ToolResult["content"] = [{ type: "text", text }];
  if (response.status !== 200) return { ...meta, isError: true, content };
  const structuredContent: Record<string, unknown> = JSON.parse(text);
  return { ...meta, structuredContent, content };
}
