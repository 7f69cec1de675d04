/** Reading inputs: query strings and JSON bodies become raw values, schemas make them right. */
import { z } from "zod";
import { type ErrorCode, ServiceError, type ServiceErrorDetails } from "../../core/errors.ts";
import { fullSchema, type JsonSchema } from "./json_schema.ts";
import type { PaidRequest } from "../../payment/mod.ts";

/** Values by name as they came, before any schema saw them. */
export type Raw = Readonly<Record<string, unknown>>;

/** The code of what is wrong with each input; any other is an `invalid_parameter`. */
const CODE_OF: Readonly<Record<string, ErrorCode>> = {
  category: "invalid_category",
  id: "invalid_identifier",
  slug: "invalid_identifier",
  query: "invalid_query",
};

const NO_CATEGORY = "is not one of the categories";

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Whether a schema takes numbers: those come as text in a query string. */
function isNumeric(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional) return isNumeric(schema.unwrap());
  return schema instanceof z.ZodNumber;
}

/** @throws ServiceError for a name that the schema does not have: an answer to another question would be paid for. */
export function refuseUnknown(names: Iterable<string>, { shape }: z.ZodObject): void {
  const known = Object.keys(shape);
  for (const name of names) {
    if (known.includes(name)) continue;
    const there = known.length === 0 ? "there are none" : `there are ${known.join(", ")}`;
    const message = `"${name.slice(0, 40)}" is no parameter here: ${there}.`;
    throw new ServiceError("invalid_parameter", message, { param: name.slice(0, 40) });
  }
}

/**
 * The parameters of a query string.
 * @throws ServiceError for one that is unknown, or given more than once.
 */
export function fromQuery(
  query: URLSearchParams,
  schema: z.ZodObject,
  categories: readonly string[],
): Raw {
  refuseUnknown(query.keys(), schema);
  return named(query, schema, categories);
}

function named(query: URLSearchParams, schema: z.ZodObject, categories: readonly string[]): Raw {
  const raw: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const [value, ...more] = query.getAll(name);
    if (value === undefined) continue;
    if (more.length > 0) throw wrong(name, "is given more than once", categories);
    raw[name] = isNumeric(field) && DECIMAL.test(value) ? Number(value) : value;
  }
  return raw;
}

const JSON_MEDIA = /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i;

/**
 * The fields of a JSON body, and for those it lacks the parameters of the query string.
 * @throws ServiceError `unsupported_media_type` or `invalid_body`; as `fromQuery` does.
 */
export function fromBody(
  request: PaidRequest,
  schema: z.ZodObject,
  categories: readonly string[],
): Raw {
  const body = request.body.length === 0 ? {} : parseBody(request);
  refuseUnknown([...Object.keys(body), ...request.query.keys()], schema);
  const lacking = Object.entries(schema.shape).filter(([name]) => body[name] === undefined);
  const rest = z.object(Object.fromEntries(lacking));
  return { ...named(request.query, rest, categories), ...body };
}

function parseBody(request: PaidRequest): Record<string, unknown> {
  const type = request.header("content-type");
  if (type !== null && !JSON_MEDIA.test(type)) {
    const message = "The body must be application/json.";
    throw new ServiceError("unsupported_media_type", message, { param: "Content-Type" });
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(request.body));
  } catch {
    throw new ServiceError("invalid_body", "The body is not JSON in UTF-8.");
  }
  const fields = z.record(z.string(), z.unknown()).safeParse(value);
  if (fields.success && !Array.isArray(value)) return fields.data;
  throw new ServiceError("invalid_body", "The body must be a JSON object.");
}

/**
 * Raw values as the schema's own.
 * @throws ServiceError for the first that is wrong, else for a required one that is missing.
 */
export function checked<S extends z.ZodObject>(
  schema: S,
  raw: Raw,
  categories: readonly string[],
): z.output<S> {
  const { category } = raw;
  if (
    "category" in schema.shape && typeof category === "string" && !categories.includes(category)
  ) {
    throw wrong("category", NO_CATEGORY, categories);
  }
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const names = result.error.issues.map(({ path: [name] }) => typeof name === "string" ? name : "");
  const present = names.find((name) => raw[name] !== undefined);
  if (present !== undefined) throw wrong(present, ruleOf(schema, present), categories);
  const name = names[0] ?? "";
  throw new ServiceError(codeOf(name), `"${name}" is required.`, detailsOf(name, categories));
}

/** What an input should be, from its schema's own bounds. */
function ruleOf(schema: z.ZodObject, name: string): string {
  if (name === "category") return NO_CATEGORY;
  const { [name]: field } = fullSchema(schema, "input")["properties"] as Record<string, JsonSchema>;
  const { type, minLength, maxLength, minimum, maximum } = field ?? {};
  if (type === "string" && maxLength !== undefined) {
    return `should be text of ${minLength ?? 0} to ${maxLength} characters`;
  }
  if ((type === "number" || type === "integer") && maximum !== undefined) {
    return `should be a ${type === "integer" ? "whole " : ""}number from ${
      minimum ?? 0
    } to ${maximum}`;
  }
  return `should be a ${String(type)}`;
}

function wrong(name: string, rule: string, categories: readonly string[]): ServiceError {
  return new ServiceError(codeOf(name), `"${name}" ${rule}.`, detailsOf(name, categories));
}

const codeOf = (name: string): ErrorCode => CODE_OF[name] ?? "invalid_parameter";

function detailsOf(name: string, categories: readonly string[]): ServiceErrorDetails {
  return name === "category" ? { param: name, categories } : { param: name };
}
