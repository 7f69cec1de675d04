/** The OpenAPI 3.1 document, made of the routes' own declarations. */
import type { z } from "zod";
import { categorySlugs } from "../../mining/cards/queries.ts";
import { baseUnits } from "../../payment/mod.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { AppSettings } from "../pipeline/deps.ts";
import { type CodeSample, codeSamples } from "./code_samples.ts";
import { exampleFrom, shortened } from "../pipeline/example.ts";
import { fullSchema, type JsonSchema } from "../pipeline/json_schema.ts";
import { type Documented, guidanceOf, offeredRoutes, type RouteDoc } from "../pipeline/route.ts";
import { isData } from "../pipeline/route_table.ts";
import { SERVICE_NAME, SERVICE_SUMMARY } from "../pipeline/words.ts";
import { errorExamples, responsesOf, sharedHeaders, sharedResponses } from "./responses.ts";
import { createComponents } from "./schemas.ts";

/** The document: plain JSON. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, JsonSchema>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly examples: Readonly<Record<string, JsonSchema>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly [];
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly "x-payment-info"?: JsonSchema;
  readonly "x-codeSamples"?: readonly CodeSample[];
}

const TAGS = [
  { name: "data", description: "Demand intelligence: free routes and paid ones." },
  { name: "service", description: "Health, and the documents that describe the service." },
];

/** How a payment comes with a call; without it the answer is the challenge. */
const PAYMENT_PARAMETER = {
  name: "PAYMENT-SIGNATURE",
  in: "header",
  required: false,
  description: "The signed x402 payment: base64 of JSON. X-PAYMENT is taken as well",
  schema: { type: "string", maxLength: 10924 },
};

/** Callers send a whole body, which the schema holds them to; what is in the address instead is taken as well. */
const BODY = "What is required here may be a parameter of the URL instead";

/** Where a buyer may write to; the documentation where nobody said. */
export function contactOf(
  { contact, baseUrl }: Pick<AppSettings, "contact" | "baseUrl">,
): { url: string } | { email: string } {
  if (contact?.includes("@") === true && !URL.canParse(contact)) return { email: contact };
  return { url: contact ?? `${baseUrl}/docs` };
}

/** A route's input schema, with the categories that exist now as an enumeration. */
export function inputSchema(input: z.ZodObject, categories: readonly string[]): JsonSchema {
  const schema = fullSchema(input, "input");
  const { properties } = schema;
  const own: Record<string, unknown> = typeof properties === "object" ? { ...properties } : {};
  const { category } = own;
  if (typeof category === "object" && category !== null) {
    const { anyOf, ...words }: Record<string, unknown> = { ...category };
    own["category"] = { ...words, enum: anyOf ? [...categories, null] : categories };
  }
  const { additionalProperties: _open, ...rest } = schema;
  return { ...rest, properties: own };
}

/** A query string cannot say null: there, leaving a parameter out does. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const values = schema["enum"];
  return Array.isArray(values)
    ? { ...schema, enum: values.filter((value) => value !== null) }
    : schema;
}

function parametersOf(
  schema: JsonSchema,
  example: Readonly<Record<string, unknown>>,
  body: boolean,
): JsonSchema[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = typeof schema["properties"] === "object" ? { ...schema["properties"] } : {};
  return Object.entries(properties).map(([name, own]: [string, unknown]) => {
    const { description, ...rest }: Record<string, unknown> = typeof own === "object"
      ? { ...own }
      : {};
    const words = typeof description === "string" ? description : name;
    return {
      name,
      in: "query",
      required: !body && required.includes(name),
      description: body ? `${words}. Read where the body does not have it` : words,
      schema: withoutNull(rest),
      ...(body || example[name] === undefined ? {} : { example: example[name] }),
    };
  });
}

/** What a call costs, for directories of each protocol: `currency` is that of MPP's charges, null where it is off. */
function paymentInfo(price: string, currency: string | null): JsonSchema {
  const fixed = { mode: "fixed", currency: "USD", amount: price };
  if (currency === null) return { price: fixed, protocols: [{ x402: {} }] };
  const charge = { method: "evm", intent: "charge", currency };
  return {
    price: fixed,
    protocols: [{ x402: {} }, { mpp: charge }],
    offers: [{ ...charge, amount: String(baseUnits(price)) }],
  };
}

/** A route's description over HTTP. */
export const descriptionOf = ({ description, httpNote }: RouteDoc): string =>
  httpNote === undefined ? description : `${description} ${httpNote}`;

/** Makes the document for the catalogue as it is: examples show a real card where there is one. */
export function openApiDocument(
  routes: readonly Documented[],
  settings: AppSettings,
  catalogue: Catalogue,
): OpenApiDocument {
  const components = createComponents(settings.mppCurrency !== null);
  const categories = categorySlugs(catalogue);
  const offered = offeredRoutes(routes, settings, catalogue);
  const guidance = guidanceOf({ routes, settings }, catalogue);
  const operation = ({ row, doc }: Documented): Operation => {
    const example = shortened(exampleFrom(doc.example, catalogue), 2);
    const shared = {
      operationId: row.operationId,
      summary: doc.summary,
      description: descriptionOf(doc),
      tags: [isData(row) ? "data" : "service"],
      security: [] as const,
      responses: responsesOf(row, doc, example, components),
      ...(isData(row)
        ? { "x-codeSamples": codeSamples({ row, doc }, settings.baseUrl, catalogue) }
        : {}),
    };
    if (!("input" in doc) || row.price === null) return shared;
    const schema = inputSchema(doc.input, categories);
    const given = doc.inputExample(catalogue);
    const hasBody = row.method === "POST";
    const parameters = parametersOf(schema, given, hasBody);
    const content = { "application/json": { schema, example: given } };
    return {
      ...shared,
      parameters: [...parameters, PAYMENT_PARAMETER],
      ...(hasBody ? { requestBody: { required: false, description: BODY, content } } : {}),
      "x-payment-info": paymentInfo(row.price, settings.mppCurrency),
    };
  };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of offered) {
    const { path, method } = route.row;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: SERVICE_NAME,
      version: settings.version,
      summary: SERVICE_SUMMARY,
      description: guidance,
      termsOfService: `${settings.baseUrl}/terms.txt`,
      contact: { name: SERVICE_NAME, ...contactOf(settings) },
      license: { name: "MIT", identifier: "MIT" },
      "x-guidance": guidance,
    },
    servers: [{ url: settings.baseUrl, description: "This service" }],
    tags: TAGS,
    paths,
    components: {
      responses: sharedResponses(offered, components),
      headers: sharedHeaders(components),
      schemas: components.used(),
      examples: errorExamples(offered, categories),
    },
  };
}
