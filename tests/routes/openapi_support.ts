/** Compares answers with what the OpenAPI document says of them. */
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { z } from "zod";
import type { OpenApiDocument } from "../../routes/openapi/document.ts";

/** Reads the document over HTTP. */
export async function documentOf(
  call: (path: string) => Promise<Response>,
): Promise<OpenApiDocument> {
  return z.custom<OpenApiDocument>().parse(await (await call("/openapi.json")).json());
}

/** Says what in a value does not match a schema of the document, or null. */
export type Matcher = (pointer: string, value: unknown) => string | null;

/** Makes the matcher of a document. */
export function matcher(document: OpenApiDocument): Matcher {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "doc", ...document });
  return (pointer, value) => {
    const validate = ajv.getSchema(`doc#${pointer}`) ?? ajv.compile({ $ref: `doc#${pointer}` });
    return validate(value) ? null : JSON.stringify(validate.errors?.slice(0, 3));
  };
}

const escaped = (path: string): string => path.replaceAll("~", "~0").replaceAll("/", "~1");

/** Where the response of a status stands in the document; undefined for a status it does not name. */
function responseAt(
  document: OpenApiDocument,
  path: string,
  method: string,
  status: number,
): string | undefined {
  const own = `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
  if (response === undefined) return undefined;
  const target = response["$ref"];
  return typeof target === "string" ? target.slice(1) : own;
}

/** Where the schema of an answer stands in the document; undefined for a status it does not name. */
export function schemaAt(
  document: OpenApiDocument,
  path: string,
  method: string,
  status: number,
): string | undefined {
  const at = responseAt(document, path, method, status);
  return at && `${at}/content/application~1json/schema`;
}

const named = z.looseObject({ headers: z.record(z.string(), z.unknown()).optional() });

/** The headers of payment, limits and waiting that an answer has and the document does not name. */
export function unnamedHeaders(
  document: OpenApiDocument,
  path: string,
  method: string,
  { status, headers }: Response,
): string[] {
  let at: unknown = document;
  for (const step of responseAt(document, path, method, status)?.split("/").slice(1) ?? []) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = z.record(z.string(), z.unknown()).parse(at)[key];
  }
  const known = Object.keys(named.parse(at).headers ?? {}).map((name) => name.toLowerCase());
  return [...headers.keys()].filter((name) =>
    /^(x-)?payment-|^retry-after$|^ratelimit-/.test(name) && !known.includes(name)
  );
}
