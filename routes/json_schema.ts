/** JSON Schemas of zod schemas: whole for documents, slim where every byte counts. */
import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a schema says of shape; the rest (words, bounds, formats) is let go. */
const KEPT = ["type", "enum", "const"] as const;

interface Slimming {
  /** Levels of objects and lists that are written out; what lies deeper has its type alone. */
  readonly depth: number;
  /** Whether it says which fields must be there. */
  readonly required: boolean;
}

function slim(schema: unknown, how: Slimming): JsonSchema {
  if (typeof schema !== "object" || schema === null) return {};
  const given: Readonly<Record<string, unknown>> = { ...schema };
  const names = how.required && how.depth > 0 ? [...KEPT, "required"] : KEPT;
  const kept = names.filter((key) => given[key] !== undefined).map((key) => [key, given[key]]);
  const { properties, items, anyOf } = given;
  const inner = { ...how, depth: how.depth - 1 };
  return {
    ...Object.fromEntries(kept),
    ...(properties === undefined || how.depth === 0 ? {} : {
      properties: slimEach(properties, inner),
    }),
    ...(items === undefined || how.depth === 0 ? {} : { items: slim(items, inner) }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((one) => slim(one, how)) } : {}),
  };
}

function slimEach(properties: unknown, how: Slimming): Record<string, JsonSchema> {
  if (typeof properties !== "object" || properties === null) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, own]) => [name, slim(own, how)]),
  );
}

/** Without the patterns that repeat what a `format` says: zod's for times are 300 characters each. */
export function terse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(terse);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema);
  const hasFormat = entries.some(([key, value]) => key === "format" && typeof value === "string");
  const kept = entries.filter(([key, value]) =>
    !(hasFormat && key === "pattern" && typeof value === "string")
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

/** Levels of an answer whose fields are named: those of the answer, and of its objects and lists. */
const OUTPUT_DEPTH = 3;

/**
 * Types, names and enumerations alone: for challenges, which travel in a header. An answer's deeper levels,
 * and which of its fields are always there, are left to the OpenAPI document.
 */
export function slimSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const isInput = io === "input";
  const depth = isInput ? Infinity : OUTPUT_DEPTH;
  return slim(fullSchema(schema, io), { depth, required: isInput });
}
