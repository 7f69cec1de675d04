/** JSON from outside: texts that may be none, and values that were parsed. */

import type { z } from "zod";

export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value that was parsed from JSON is an object, and neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a schema gives, for reading alone: of objects the fields that it names, others that are kept left out. */
export type Parsed<S extends z.ZodType> = Named<z.infer<S>>;

type Named<T> = T extends readonly (infer E)[] ? readonly Named<E>[]
  : T extends object ? { readonly [K in keyof T as string extends K ? never : K]: Named<T[K]> }
  : T;

/** What a text holds as JSON; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
