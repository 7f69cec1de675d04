/** The fields of answers as lines of text, from the schemas that OpenAPI has. */
import type { z } from "zod";
import { fullSchema } from "../pipeline/json_schema.ts";

type Node = Readonly<Record<string, unknown>>;

const nodeOf = (value: unknown): Node =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** What a schema is of: lists and values that may be null are described by what they hold. */
function heldBy(schema: Node): { readonly node: Node; readonly mark: string } {
  if (schema["items"] !== undefined) {
    const { node, mark } = heldBy(nodeOf(schema["items"]));
    return { node, mark: `[]${mark}` };
  }
  const { anyOf } = schema;
  return Array.isArray(anyOf) ? heldBy(nodeOf(anyOf[0])) : { node: schema, mark: "" };
}

function linesOf(schema: Node, before: string): string[] {
  return Object.entries(nodeOf(schema["properties"])).flatMap(([name, own]) => {
    const field = nodeOf(own);
    const { node, mark } = heldBy(field);
    const words = field["description"] ?? node["description"];
    const path = `${before}${name}${mark}`;
    const line = typeof words === "string" ? [`- \`${path}\`: ${words}.`] : [];
    return [...line, ...linesOf(node, `${path}.`)];
  });
}

/** A line a field, nested ones by their whole path: "- `facts.want.value`: What is stated.". */
export const fieldLines = (answer: z.ZodType): string[] =>
  linesOf(fullSchema(answer, "output"), "");
