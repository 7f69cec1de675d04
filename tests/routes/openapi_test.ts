import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { ERROR_CODES, type ErrorCode, ERRORS } from "../../core/errors.ts";
import { PAID_ROUTES } from "../../routes/all.ts";
import { categories } from "../../routes/data/categories.ts";
import { sample } from "../../routes/data/sample.ts";
import { createSampleVerdicts, sampleVerdictRoute } from "../../routes/data/sample_verdict.ts";
import { fullSchema } from "../../routes/pipeline/json_schema.ts";
import { DATA_ROUTES } from "../../routes/pipeline/route_table.ts";
import { baseUnits } from "../../payment/evm/networks.ts";
import { payV1, payV2 } from "../payment/support/buyer.ts";
import { newAccount } from "../support/accounts.ts";
import { testEmbedded } from "../support/database.ts";
import { documentOf, matcher, schemaAt, unnamedHeaders } from "./openapi_support.ts";
import { type RunningService, startService } from "./shop.ts";
import { appOf, SETTINGS } from "./support.ts";
import { BUILT_AT, card, catalogueOf, sixtyCards } from "../support/cards.ts";

Deno.test("every data route is described, with its price, its payment and no other security", async () => {
  const { paths, openapi } = await documentOf(appOf());
  assertEquals(openapi, "3.1.0");
  const charge = { method: "evm", intent: "charge", currency: SETTINGS.mppCurrency };
  for (const { path, method, price, operationId } of Object.values(DATA_ROUTES)) {
    const operation = paths[path]?.[method.toLowerCase()];
    assertEquals(operation?.operationId, operationId, path);
    assertEquals(operation?.security, []);
    assertEquals(
      operation?.["x-payment-info"],
      price === null ? undefined : {
        price: { mode: "fixed", currency: "USD", amount: price },
        protocols: [{ x402: {} }, { mpp: charge }],
        offers: [{ ...charge, amount: String(baseUnits(price)) }],
      },
    );
    assertEquals("402" in (operation?.responses ?? {}), price !== null, path);
    const body = operation?.requestBody;
    if (body) assertStringIncludes(String(body["description"]), "may be a parameter of the URL");
  }
});

Deno.test("operation ids are unique, and every operation has a summary and a 4xx", async () => {
  const { paths } = await documentOf(appOf());
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  assertEquals(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  for (const { summary, responses, operationId } of operations) {
    assert(
      summary !== "" && Object.keys(responses).some((status) => /^4/.test(status)),
      operationId,
    );
  }
});

Deno.test("every operation says what a call with a malformed Host is answered with", async () => {
  const { paths, components } = await documentOf(appOf());
  for (const { responses, operationId } of Object.values(paths).flatMap(Object.values)) {
    const { $ref: at = "" } = z.looseObject({ $ref: z.string().optional() })
      .parse(responses["400"] ?? {});
    const [shared] = Object.entries(components.responses).filter(([name]) => at.endsWith(name));
    const text = JSON.stringify(shared ?? responses["400"]);
    assertStringIncludes(text ?? "", "`invalid_parameter`", operationId);
  }
});

Deno.test("the pages that answer JSON to who asks for it are described as JSON, too", async () => {
  const call = appOf();
  const document = await documentOf(call);
  const matches = matcher(document);
  for (const path of ["/", "/docs"]) {
    const body = await (await call(path, { headers: { Accept: "application/json" } })).json();
    const at = schemaAt(document, path, "GET", 200);
    assertEquals([at !== undefined, matches(at ?? "", body)], [true, null], path);
  }
});

Deno.test("every field of every answer of data has its words, in OpenAPI and in llms-full.txt", async () => {
  const call = appOf();
  const guide = await (await call("/llms-full.txt")).text();
  const sampleVerdict = sampleVerdictRoute(
    createSampleVerdicts({ verdicts: null, settings: SETTINGS }),
  );
  for (const { doc, row } of [categories, sample, sampleVerdict, ...PAID_ROUTES]) {
    const bare: string[] = [];
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      if (Array.isArray(schema)) return schema.forEach((one) => visit(one, path));
      for (const [key, own] of Object.entries(schema)) {
        if (key !== "properties") {
          visit(own, path);
          continue;
        }
        for (const [name, field] of Object.entries<{ readonly description?: string }>(own)) {
          const words = field.description ?? "";
          if (words === "") bare.push(`${path}.${name}`);
          assertStringIncludes(guide, words);
          visit(field, `${path}.${name}`);
        }
      }
    };
    visit(fullSchema(doc.answer, "output"), row.operationId);
    assertEquals(bare, []);
  }
});

Deno.test("the error codes are the closed set, and their examples match", async () => {
  const document = await documentOf(appOf());
  const codes = z.object({
    properties: z.object({
      error: z.object({ properties: z.object({ code: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }).parse(document.components.schemas["Error"]).properties.error.properties.code.enum;
  assertEquals(codes, [...ERROR_CODES]);
  const matches = matcher(document);
  for (const [code, example] of Object.entries(document.components.examples)) {
    assertEquals(matches("/components/schemas/Error", example["value"]), null, code);
  }
});

Deno.test("the example of an error of input names what is at fault, where anything can be", async () => {
  const { components } = await documentOf(appOf());
  const value = z.object({ error: z.object({ param: z.string().optional() }) });
  const unnamed = Object.entries(components.examples).flatMap(([code, example]) => {
    const isInput = [400, 415].includes(ERRORS[code as ErrorCode].status);
    return isInput && value.parse(example["value"]).error.param === undefined ? [code] : [];
  });
  assertEquals(unnamed, ["invalid_body"]);
});

Deno.test("examples are of a real card where there is one, and match their schemas", async () => {
  for (const catalogue of [sixtyCards(), catalogueOf([])]) {
    const document = await documentOf(appOf({ catalogue }));
    const matches = matcher(document);
    for (const { path, method } of Object.values(DATA_ROUTES)) {
      const content =
        z.object({ content: z.object({ "application/json": z.object({ example: z.unknown() }) }) })
          .parse(document.paths[path]?.[method.toLowerCase()]?.responses["200"])
          .content["application/json"];
      assertEquals(
        matches(schemaAt(document, path, method, 200) ?? "", content.example),
        null,
        path,
      );
    }
    const text = JSON.stringify(document.paths["/v1/opportunity"]);
    assertEquals(text.includes(card(0).slug), catalogue.cards.length > 0);
  }
});

Deno.test("categories are the registry's own", async () => {
  const { paths } = await documentOf(appOf());
  const [category] = z.array(
    z.object({ name: z.string(), schema: z.object({ enum: z.array(z.string()) }) }),
  )
    .parse(paths["/v1/opportunities"]?.["get"]?.parameters?.slice(0, 1));
  assertEquals(category?.schema.enum.length, 24);
});

Deno.test("whatever says to come back later names the header that says when", async () => {
  const { paths, components } = await documentOf(appOf());
  const error = z.looseObject({
    value: z.object({ error: z.looseObject({ retryable: z.boolean() }) }),
  });
  const later = Object.entries(components.examples)
    .filter(([, example]) => error.parse(example).value.error.retryable)
    .map(([code]) => `#/components/examples/${code}`);
  const responses = [
    ...Object.values(paths).flatMap(Object.values).map(({ responses }) => responses),
    components.responses,
  ].flatMap(Object.values);
  const waiting = responses.filter((response) =>
    later.some((ref) => JSON.stringify(response).includes(`"${ref}"`))
  );
  assert(waiting.length > 0);
  for (const response of waiting) {
    const text = JSON.stringify(response);
    assert(text.includes("#/components/headers/Retry-After"), text);
  }
});

Deno.test("the category of an example is one that the registry has, before there is a card too", async () => {
  const entry = { opportunityCount: 0, topScore: 0, lastUpdated: BUILT_AT, newestPost: null };
  const catalogue = catalogueOf([], {
    categories: [{ slug: "gadgets", title: "Gadgets", ...entry }],
  });
  const { paths } = await documentOf(appOf({ catalogue }));
  const parameters = z.array(z.looseObject({ name: z.string(), example: z.unknown().optional() }))
    .parse(
      paths["/v1/opportunities"]?.["get"]?.parameters,
    );
  assertEquals(parameters.find(({ name }) => name === "category")?.example, "gadgets");
});

async function checkAnswers(service: RunningService): Promise<void> {
  const document = await documentOf(service.call);
  const matches = matcher(document);
  const check = async (method: string, path: string, query: string, response: Response) => {
    const body = await response.json();
    const why = matches(schemaAt(document, path, method, response.status) ?? "", body);
    const what = `${response.status} ${method} ${path}${query}`;
    assertEquals(why, null, what);
    assertEquals(unnamedHeaders(document, path, method, response), [], what);
  };
  for (
    const path of [
      "/v1/categories",
      "/v1/sample/opportunity",
      "/health",
      "/discovery",
      "/terms.json",
    ]
  ) {
    await check("GET", path, "", await service.call(path));
  }
  for (const { row: { path, method, price }, doc } of PAID_ROUTES) {
    const given = doc.inputExample(sixtyCards());
    const query = new URLSearchParams(Object.entries(given).map(([k, v]) => [k, String(v)]));
    for (const ask of [service.call, service.pay]) {
      const response = await ask(`${path}?${query}`, { method });
      assertEquals(response.status, ask === service.pay ? 200 : 402);
      await check(method, path, `?${query}`, response);
    }
    const terms = { payTo: `0x${"0".repeat(40)}`, amount: baseUnits(price) };
    const account = newAccount();
    const older = await service.call(`${path}?${query}`, {
      method,
      headers: await payV1(account, terms),
    });
    assertEquals([older.status, older.headers.has("X-PAYMENT-RESPONSE")], [200, true]);
    await check(method, path, " of version 1", older);
    const extensions = { "payment-identifier": { info: { id: "short" } } };
    const unnamed = await service.call(`${path}?${query}`, {
      method,
      headers: await payV2(account, terms, { extensions }),
    });
    assertEquals(unnamed.status, 400);
    await check(method, path, " with a malformed identifier", unnamed);
  }
  const wrong = [
    "/v1/opportunities?category=x",
    "/v1/opportunity?id=a&slug=b",
    "/v1/brief?category=",
  ];
  for (const target of wrong) {
    const [path = "", query = ""] = target.split("?");
    await check("GET", path, `?${query}`, await service.call(target));
  }
  const missing = await service.pay("/v1/opportunity?slug=nothing");
  await check("GET", "/v1/opportunity", "?slug=nothing", missing);
}

Deno.test({
  name: "what the routes answer over HTTP is what the document says",
  fn: async () => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    await checkAnswers(service);
  },
});
