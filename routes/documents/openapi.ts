/** GET /openapi.json: the description that clients and directories are made from. */
import { z } from "zod";
import { openApiDocument } from "../openapi/document.ts";
import { DOCUMENT_ROUTES } from "../pipeline/route_table.ts";
import { documentRoute, type Form, jsonForm } from "./document.ts";

/** The description as a document. */
export const OPENAPI: Form = {
  ...jsonForm(({ routes, settings }, catalogue) => openApiDocument(routes, settings, catalogue)),
  hasExamples: true,
};

/** What is sure of every description. */
export const described = z.looseObject({ openapi: z.string() });

export const openapi = documentRoute(DOCUMENT_ROUTES.openapi, {
  summary: "Read this description",
  description: "The OpenAPI 3.1 description of every route.",
  answer: described,
  example: () => undefined,
}, OPENAPI);
