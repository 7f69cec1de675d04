import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceError } from "../../core/errors.ts";
import { gauge, gaugeLive } from "../../routes/data/gauge.ts";
import { answerOf, type Asked } from "./paid_support.ts";
import { sixtyCards } from "../support/cards.ts";

const JSON_TYPE = "application/json";
const ask = (asked: Asked) => answerOf(gauge, sixtyCards(), asked);
const queryOf = async (asked: Asked) => (await ask(asked)).body["query"];

/** Text of which each character is one byte: a JSON body but for its encoding. */
const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const refusalOf = (asked: Asked) => assertRejects(() => ask(asked), ServiceError);
const codeOf = async (asked: Asked): Promise<string> => (await refusalOf(asked)).code;

/** What each code names as at fault; a body that cannot be read has no field to name. */
const PARAM_OF: Readonly<Record<string, string>> = {
  invalid_query: "query",
  invalid_category: "category",
  unsupported_media_type: "Content-Type",
};

Deno.test("the body's query comes first, the address's is the fallback", async () => {
  const body = JSON.stringify({ query: "from the body" });
  assertEquals(await queryOf({ body, type: JSON_TYPE, query: "query=other" }), "from the body");
  assertEquals(await queryOf({ query: "query=from+the+address" }), "from the address");
  assertEquals(await queryOf({ body: "{}", type: JSON_TYPE, query: "query=kettle" }), "kettle");
  assertEquals(await queryOf({ type: JSON_TYPE, query: "query=kettle" }), "kettle");
  assertEquals(await queryOf({ type: "text/plain", query: "query=kettle" }), "kettle");
});

Deno.test("a JSON body is read with any spelling of its type, or none", async () => {
  const body = JSON.stringify({ query: "kettle" });
  for (const type of [JSON_TYPE, "application/json; charset=utf-8", "application/ld+json"]) {
    assertEquals(await queryOf({ body, type }), "kettle");
  }
  assertEquals(await queryOf({ body }), "kettle");
  assertEquals(await queryOf({ body: `\uFEFF${body}`, type: JSON_TYPE }), "kettle");
});

const WRONG: readonly [what: string, asked: Asked, code: string][] = [
  ["malformed JSON", { body: "{query:1}", type: JSON_TYPE }, "invalid_body"],
  ["an array", { body: '["kettle"]', type: JSON_TYPE }, "invalid_body"],
  ["a string", { body: '"kettle"', type: JSON_TYPE }, "invalid_body"],
  ["null", { body: "null", type: JSON_TYPE }, "invalid_body"],
  ["two values", { body: "{}{}", type: JSON_TYPE }, "invalid_body"],
  [
    "invalid UTF-8",
    { body: bytesOf('{"query":"caf\xe9 table"}'), type: JSON_TYPE },
    "invalid_body",
  ],
  [
    "a form",
    { body: "query=kettle", type: "application/x-www-form-urlencoded" },
    "unsupported_media_type",
  ],
  ["plain text", { body: '{"query":"kettle"}', type: "text/plain" }, "unsupported_media_type"],
  [
    "a type that only begins like JSON",
    { body: "{}", type: "application/jsonp" },
    "unsupported_media_type",
  ],
  ["a query that is a number", { body: '{"query":7}', type: JSON_TYPE }, "invalid_query"],
  ["a query that is null", { body: '{"query":null}', type: JSON_TYPE }, "invalid_query"],
  ["a query that is a list", { body: '{"query":["kettle"]}', type: JSON_TYPE }, "invalid_query"],
  ["a query that is too short", { body: '{"query":"ab"}', type: JSON_TYPE }, "invalid_query"],
  ["a query of spaces", { body: '{"query":"      "}', type: JSON_TYPE }, "invalid_query"],
  ["an empty query in the address", { query: "query=" }, "invalid_query"],
  ["a query given twice", { query: "query=kettle&query=pot" }, "invalid_query"],
  [
    "an unknown category",
    { body: '{"query":"kettle","category":"x"}', type: JSON_TYPE },
    "invalid_category",
  ],
  [
    "a category that is a number",
    { body: '{"query":"kettle","category":1}', type: JSON_TYPE },
    "invalid_category",
  ],
  ["a wrongly cased category", { query: "query=kettle&category=Audio" }, "invalid_category"],
  ["a wrong category without a query", { query: "category=Audio" }, "invalid_category"],
];

for (const [what, asked, code] of WRONG) {
  Deno.test(`${what} is ${code}`, async () => {
    const error = await refusalOf(asked);
    assertEquals([error.code, error.param], [code, PARAM_OF[code]]);
  });
}

Deno.test("nothing at all, and a body without a query, lack their input", async () => {
  assertEquals(await codeOf({}), "invalid_query");
  assertEquals(await codeOf({ body: "{}", type: JSON_TYPE }), "invalid_query");
});

Deno.test("a category of null is none", async () => {
  const body = '{"query":"kettle","category":null}';
  assertEquals(await queryOf({ body, type: JSON_TYPE }), "kettle");
});

Deno.test("a cold verdict is an answer, and is charged for", async () => {
  for (const route of [gauge, gaugeLive]) {
    const { body, charge } = await answerOf(route, sixtyCards(), { query: "query=kettle" });
    assertEquals([body["demandTemperature"], charge], ["cold", true]);
    assert(!("evidenceIds" in body));
  }
});
