/** JSON Schemas of zod schemas: whole for documents, slim where every byte counts. */
import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a schema says of shape; the rest (words, bounds, formats) is let go. */
const KEPT = ["type", "enum", "const"] as const;
/** Names inside names: below the first level only types are given, the example shows the rest. */
const NAMED_LEVELS = 1;

function slim(schema: unknown, level: number): JsonSchema {
  if (typeof schema !== "object" || schema === null) return {};
  const given: Readonly<Record<string, unknown>> = { ...schema };
  const kept = [...KEPT, ...(level === 0 ? ["required"] : [])]
    .filter((key) => given[key] !== undefined).map((key) => [key, given[key]]);
  const { properties, items, anyOf } = given;
  return {
    ...Object.fromEntries(kept),
    ...(properties === undefined || level >= NAMED_LEVELS
      ? {}
      : { properties: slimEach(properties, level + 1) }),
    ...(items === undefined ? {} : { items: slim(items, level) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((one) => slim(one, level)) } : {}),
  };
}

function slimEach(properties: unknown, level: number): Record<string, JsonSchema> {
  if (typeof properties !== "object" || properties === null) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, own]) => [name, slim(own, level)]),
  );
}

/**
 * Without what says nothing: patterns that repeat a `format` (zod's for times are 300 characters each), and the
 * bounds of every integer.
 */
export function terse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(terse);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema);
  const hasFormat = entries.some(([key, value]) => key === "format" && typeof value === "string");
  const kept = entries.filter(([key, value]) =>
    !(hasFormat && key === "pattern" && typeof value === "string") &&
    !(key === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
    !(key === "minimum" && value === Number.MIN_SAFE_INTEGER)
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, terse(value)]));
}

const DEFINITION = "#/$defs/";

/** The schema with what it refers to written out in place; ours never refer to themselves. */
function resolved(schema: unknown, definitions: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => resolved(item, definitions));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema);
  const target = entries.find(([key]) => key === "$ref")?.[1];
  const own = Object.fromEntries(
    entries.filter(([key, value]) => key !== "$ref" && !(key === "id" && typeof value === "string"))
      .map(([key, value]) => [key, resolved(value, definitions)]),
  );
  if (typeof target !== "string") return own;
  const found = resolved(definitions.get(target.slice(DEFINITION.length)), definitions);
  return typeof found === "object" ? { ...found, ...own } : own;
}

/** The JSON Schema (2020-12) of a schema, references resolved, without its `$schema`. */
export function fullSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _version, $defs = {}, ...rest } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
  });
  const whole = terse(resolved(rest, new Map(Object.entries($defs))));
  return typeof whole === "object" && whole !== null ? { ...whole } : {};
}

/** Types, names and enumerations alone: for challenges, which travel in a header. */
export function slimSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return slim(fullSchema(schema, io), 0);
}
