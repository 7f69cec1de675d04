/** Values that were parsed from JSON. */

export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value that was parsed from JSON is an object, and neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
