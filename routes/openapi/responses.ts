/** The responses of one operation: every status it can have, and what each means. */
import { type ErrorCode, ERRORS, isRetryable, ServiceError } from "../../core/errors.ts";
import { silentLog } from "../../core/log.ts";
import { renderError } from "../pipeline/errors.ts";
import type { JsonSchema } from "../pipeline/json_schema.ts";
import type { RouteDoc } from "../pipeline/route.ts";
import { isProbe, type Row } from "../pipeline/route_table.ts";
import { challengeSchema, type Components, errorBody } from "./schemas.ts";

const ON_PAID: readonly ErrorCode[] = [
  "payment_conflict",
  "answer_removed",
  "settlement_pending",
  "compute_timeout",
];
const ON_BODIES: readonly ErrorCode[] = [
  "invalid_body",
  "body_too_large",
  "unsupported_media_type",
];

/** The status whose answer is not an error body: its `error` belongs to the challenge. */
export const PAYMENT_REQUIRED: ErrorCode = "payment_required";

/** Every code that an operation can answer with. */
export function codesOf(row: Row, doc: RouteDoc): ErrorCode[] {
  const codes: readonly ErrorCode[] = [
    ...doc.errors,
    ...(row.method === "POST" ? ON_BODIES : []),
    ...(row.price === null ? [] : ON_PAID),
    ...(row.limit === null ? [] : ["rate_limited" as const]),
    ...(isProbe(row) ? [] : ["overloaded" as const]),
    // The Host header is read before any route is.
    "invalid_parameter",
    "internal",
  ];
  return [...new Set(codes)];
}

const header = (description: string): JsonSchema => ({ description, schema: { type: "string" } });

/** The headers that answers carry, by name. */
const HEADERS = {
  "X-Request-Id": header("Names this request in our logs"),
  "RateLimit-Limit": header("Calls a minute"),
  "RateLimit-Remaining": header("Calls left"),
  "RateLimit-Reset": header("Seconds until a call is free again"),
  "Retry-After": header("Seconds to wait"),
  "ETag": header("Send it back as If-None-Match"),
  "PAYMENT-REQUIRED": header("The challenge: base64 of JSON"),
  "PAYMENT-RESPONSE": header(
    "The receipt: base64 of JSON, present when charged, or when a settlement was refused",
  ),
  "X-PAYMENT-RESPONSE": header("The receipt for clients of version 1, whose payment came so"),
  "WWW-Authenticate": header("The challenge of MPP: the authentication scheme Payment"),
  "Payment-Receipt": header("The receipt of MPP: base64url of JSON, present when charged"),
} as const;

type HeaderName = keyof typeof HEADERS;

/** Every answer has these: no route of the document is without a limit. */
const ON_ALL: readonly HeaderName[] = [
  "X-Request-Id",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
];
const RECEIPTS: readonly HeaderName[] = [
  "PAYMENT-RESPONSE",
  "X-PAYMENT-RESPONSE",
  "Payment-Receipt",
];

const OF_MPP: readonly string[] = ["WWW-Authenticate", "Payment-Receipt"];

const isUsed = (name: string, { hasMpp }: Pick<Components, "hasMpp">): boolean =>
  hasMpp || !OF_MPP.includes(name);

/** The headers that answers refer to. */
export const sharedHeaders = (components: Components): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(HEADERS).filter(([name]) => isUsed(name, components)));

function headersOf(components: Components, ...names: readonly HeaderName[]): JsonSchema {
  const all = [...ON_ALL, ...names].filter((name) => isUsed(name, components));
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** What the examples name as at fault. A body that cannot be read has no field to name. */
const FAULTY: Partial<Readonly<Record<ErrorCode, string>>> = {
  invalid_category: "category",
  invalid_identifier: "id",
  invalid_parameter: "limit",
  invalid_query: "query",
  opportunity_not_found: "slug",
  unsupported_media_type: "Content-Type",
};

/** An example of every error that these routes have, by its code. */
export function errorExamples(
  routes: readonly Described[],
  categories: readonly string[],
): Record<string, JsonSchema> {
  const codes = new Set(routes.flatMap(({ row, doc }) => codesOf(row, doc)));
  const context = { requestId: "3c0f4a1e-7d5b-4f0e-9f0a-2b1c8d6e5f4a", log: silentLog };
  const examples = [...codes].map((code) => {
    const param = FAULTY[code];
    const details = {
      ...(param === undefined ? {} : { param }),
      ...(code === "invalid_category" ? { categories } : {}),
    };
    const error = new ServiceError(code, `For example: ${ERRORS[code].means}.`, details);
    return [code, { summary: ERRORS[code].means, value: renderError(context, error).body }];
  });
  return Object.fromEntries(examples);
}

function errorResponse(codes: readonly ErrorCode[], components: Components): JsonSchema {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  const headers = headersOf(
    components,
    ...(codes.some(isRetryable) ? ["Retry-After" as const] : []),
    ...(codes.includes("answer_removed") ? RECEIPTS : []),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].means}.`).join(" "),
    headers,
    content: {
      "application/json": {
        schema: components.use(errorBody),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function okResponse(
  row: Row,
  doc: RouteDoc,
  example: unknown,
  components: Components,
): JsonSchema {
  const media = doc.media ?? ["application/json"];
  const schema = components.use(doc.answer);
  const headers = headersOf(
    components,
    ...(doc.tagged ? ["ETag" as const] : []),
    ...(row.price === null ? [] : RECEIPTS),
  );
  const content = media.map((type) => [
    type,
    { schema, ...(example === undefined ? {} : { example }) },
  ]);
  return {
    description: doc.summary,
    headers,
    content: {
      ...Object.fromEntries(content),
      ...(doc.json ? { "application/json": { schema: components.use(doc.json) } } : {}),
    },
  };
}

type Described = { readonly row: Row; readonly doc: RouteDoc };

/** The errors of an operation by their statuses. */
const errorsOf = ({ row, doc }: Described): Map<number, ErrorCode[]> =>
  Map.groupBy(codesOf(row, doc), (code) => ERRORS[code].status);

/** What a response is called whose error has one of these codes: many operations have the same. */
const nameOf = (codes: readonly ErrorCode[]): string => codes.join(".");

const NOT_MODIFIED = "not_modified";

/** The 402 of every paid operation. */
function challengeResponse(components: Components): JsonSchema {
  const { hasMpp } = components;
  const challenge = { schema: components.use(challengeSchema(hasMpp), "PaymentChallenge") };
  return {
    description: "No payment came with the call, or it was refused. The body is the challenge.",
    headers: headersOf(components, "PAYMENT-REQUIRED", "WWW-Authenticate", ...RECEIPTS),
    content: {
      "application/json": challenge,
      ...(hasMpp ? { "application/problem+json": challenge } : {}),
    },
  };
}

/** The responses that operations refer to. */
export function sharedResponses(
  routes: readonly Described[],
  components: Components,
): Record<string, JsonSchema> {
  const errors = routes.flatMap((route) => [...errorsOf(route).values()]);
  return {
    [NOT_MODIFIED]: {
      description: "Nothing changed since the tag that was sent",
      headers: headersOf(components, "ETag"),
    },
    [PAYMENT_REQUIRED]: challengeResponse(components),
    ...Object.fromEntries(errors.map((codes) => [nameOf(codes), errorResponse(codes, components)])),
  };
}

/** The `responses` of an operation. */
export function responsesOf(
  row: Row,
  doc: RouteDoc,
  example: unknown,
  components: Components,
): Record<string, JsonSchema> {
  const responses: Record<string, JsonSchema> = {
    "200": okResponse(row, doc, example, components),
  };
  if (doc.tagged) responses["304"] = { $ref: `#/components/responses/${NOT_MODIFIED}` };
  if (row.price !== null) {
    responses["402"] = { $ref: `#/components/responses/${PAYMENT_REQUIRED}` };
  }
  for (const [status, codes] of errorsOf({ row, doc })) {
    responses[String(status)] = { $ref: `#/components/responses/${nameOf(codes)}` };
  }
  if (doc.unavailable) responses["503"] = sameBody(doc, doc.unavailable, components);
  return responses;
}

function sameBody(doc: RouteDoc, description: string, components: Components): JsonSchema {
  return {
    description,
    headers: headersOf(components, "Retry-After"),
    content: { "application/json": { schema: components.use(doc.answer) } },
  };
}
