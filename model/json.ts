/** Answers as models write them: with a schema, or without one and with words around it. */
import { z } from "zod";

/** A whole number, or one that was written as text. */
export const looseInteger = z.union([
  z.number().int(),
  z.string().regex(/^\d{1,3}$/).transform(Number),
]);

/** The JSON values that a text holds: all of it, a fenced block, or from the first brace to the last. */
function* readings(text: string): Generator<unknown> {
  const block = /```(?:json)?([\s\S]*?)```/.exec(text)?.[1];
  const braces = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  for (const candidate of [text, block, braces]) {
    if (candidate === undefined || candidate === "") continue;
    try {
      yield JSON.parse(candidate);
    } catch {
      // The next reading may do.
    }
  }
}

/** The first reading of `text` that has the shape of `schema`; a string says what is wrong with the last. */
export function readJson<T extends object>(text: string, schema: z.ZodType<T>): T | string {
  let problem = "it holds no JSON object";
  for (const value of readings(text)) {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    problem = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`;
  }
  return problem;
}
