/** Component schemas of the OpenAPI document: zod's, by their ids, and those no route declares. */
import { z } from "zod";
import { ERROR_CODES } from "../../core/errors.ts";
import { OTHER_REASONS, reasonsMet } from "../../payment/mod.ts";
import { type JsonSchema, terse } from "../pipeline/json_schema.ts";
import { paymentMode } from "../data/schemas.ts";

/** The body of every error. */
export const errorBody = z.object({
  error: z.object({
    code: z.enum(ERROR_CODES).describe("A closed set; new codes come with a new version"),
    message: z.string().describe("For people; not meant to be parsed"),
    param: z.string().optional().describe(
      "The parameter, header or field at fault, or that would change the answer; none with " +
        "invalid_body, since no field of it could be read",
    ),
    retryable: z.boolean().describe("Whether the same call may succeed later"),
    retryAfterSeconds: z.int().min(1).optional().describe("The Retry-After header, again"),
    requestId: z.string().describe("The X-Request-Id header, again"),
  }),
  charged: z.boolean().nullable().describe(
    "False: no failed call is charged. Null while a settlement's outcome is not known; true with " +
      "answer_removed alone, for an answer that was paid for before, by the transaction of the receipt",
  ),
  categories: z.array(z.string()).optional().describe(
    "The valid categories, with invalid_category; those with cards, with corpus_warming of one without",
  ),
}).meta({ id: "Error" });

/** What a 402 says in the words of MPP. */
const problemDetails = {
  type: z.url().optional().describe("Problem details (RFC 9457), where a credential of MPP failed"),
  title: z.string().optional(),
  status: z.literal(402).optional(),
  detail: z.string().optional(),
};

/**
 * The body of a 402: the challenge of x402 version 2 without the schemas that its header has, and the reason
 * of a refusal in the words of both protocols.
 */
export const challengeSchema = (hasMpp: boolean) =>
  z.object({
    x402Version: z.literal(2),
    error: z.string().describe(
      [
        "payment_required, or why a payment was refused.",
        ...reasonsMet(hasMpp).map(([word, means]) => `\`${word}\`: ${means}`),
        OTHER_REASONS,
      ].join(" "),
    ),
    message: z.string().describe("What that means, in words"),
    param: z.string().optional().describe(
      "The field of the payment that is wrong; absent where it is none alone",
    ),
    problem: z.object({
      status: z.int().describe("What a paid call with this input would be answered with"),
      code: z.enum(ERROR_CODES),
      message: z.string(),
      param: z.string().optional(),
      categories: z.array(z.string()).optional(),
    }).optional().describe("Why a paid call with this input would be refused: do not pay for it"),
    ...(hasMpp ? problemDetails : {}),
    charged: z.literal(false),
    paymentMode,
    howToPay: z.string().describe("One line on what to do"),
    docs: z.url().describe("Where to read on"),
    resource: z.looseObject({ url: z.string() }),
    accepts: z.array(
      z.object({
        scheme: z.literal("exact"),
        network: z.string().describe("CAIP-2 network"),
        amount: z.string().regex(/^\d+$/).describe("Price in the token's base units (6 decimals)"),
        price: z.string().describe("Price in US dollars"),
        asset: z.string().describe("Address of the USDC token contract"),
        payTo: z.string().describe("Settlement address"),
        maxTimeoutSeconds: z.int(),
        mimeType: z.literal("application/json"),
        extra: z.looseObject({ name: z.string(), version: z.string() }),
      }),
    ).min(1),
    terms: z.url().describe("Terms of service"),
  });

const REF = "#/components/schemas/";

function refsIn(value: unknown, found: Set<string>): Set<string> {
  if (Array.isArray(value)) value.forEach((item) => refsIn(item, found));
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (key === "$ref" && typeof inner === "string") found.add(inner.slice(REF.length));
      else refsIn(inner, found);
    }
  }
  return found;
}

/** Schemas as a document refers to them. */
export interface Components {
  /** Whether calls can be paid by MPP: what belongs to it alone is left out where not. */
  readonly hasMpp: boolean;
  /** A schema with an id, or with one given here, becomes a reference, any other is written out. */
  use(schema: z.ZodType, id?: string): JsonSchema;
  /** The schemas that were referred to, and those they refer to. */
  readonly used: () => Record<string, JsonSchema>;
}

/** All schemas with an id, as JSON Schemas that refer to each other among the components. */
export function createComponents(hasMpp: boolean): Components {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    target: "draft-2020-12",
    uri: (id) => `${REF}${id}`,
  });
  const own = new Map<string, JsonSchema>();
  const named = new Set<string>();
  const bare = (id: string): JsonSchema => {
    const { $schema: _version, $id: _id, id: _name, ...rest } = {
      ...(own.get(id) ?? schemas[id]),
    };
    return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, terse(value)]));
  };
  return {
    hasMpp,
    use: (schema, given) => {
      const id = given ?? z.globalRegistry.get(schema)?.id;
      if (id === undefined || id === given) {
        const { $schema: _version, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12" });
        if (id === undefined) return rest;
        own.set(id, rest);
      }
      named.add(id);
      return { $ref: `${REF}${id}` };
    },
    used: () => {
      const all = new Map<string, JsonSchema>();
      const queue = [...named];
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        if (all.has(id)) continue;
        const schema = bare(id);
        all.set(id, schema);
        queue.push(...refsIn(schema, new Set()));
      }
      return Object.fromEntries([...all].sort(([a], [b]) => a < b ? -1 : 1));
    },
  };
}
