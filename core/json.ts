/** JSON from outside: texts that may be none, and values that were parsed. */

export type JsonObject = { readonly [key: string]: unknown };

/** Whether a value that was parsed from JSON is an object, and neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a text holds as JSON; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
