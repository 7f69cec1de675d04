import { assert, assertEquals, assertThrows } from "@std/assert";
import { ServiceError } from "../../../core/errors.ts";
import { parseInput } from "../../../gauge/input.ts";
import { findKinds } from "../../../gauge/query/kinds.ts";
import { questionKey } from "../../../gauge/query/said/mod.ts";

const CATEGORIES = ["audio", "kitchen"];

function refused(query: unknown, category?: unknown): ServiceError {
  return assertThrows(() => parseInput({ query, category }, CATEGORIES), ServiceError);
}

Deno.test("a query is trimmed and its line breaks and tabs become spaces", () => {
  assertEquals(parseInput({ query: "  garlic\tpress\n" }, CATEGORIES), {
    query: "garlic press",
    category: null,
  });
});

Deno.test("lengths count code points after trimming: 3 and 200 pass, 2 and 201 do not", () => {
  for (const query of ["abc", " abc ", "x".repeat(200), "👢".repeat(199) + "a"]) {
    parseInput({ query }, CATEGORIES);
  }
  for (const query of ["", "ab", "  ab  ", "👢a", "x".repeat(201), "👢".repeat(200) + "a"]) {
    assertEquals(refused(query).code, "invalid_query");
    assertEquals(refused(query).param, "query");
  }
});

Deno.test("what says nothing or cannot be stored is refused", () => {
  const bad = [
    "     ",
    "?!...,;",
    "🎧🎧🎧🎧",
    "gar\u0000lic press",
    "kettle\u001b[31m",
    "kettle\u0007",
    "kettle \ud800 lid",
    new URLSearchParams("query=kettle%E2%28lid").get("query"),
    "\u200b\u200b\u200b\u200b",
    "\u202e\u202e\u202e",
    undefined,
    null,
    12345,
    ["kettle"],
    { query: "kettle" },
  ];
  for (const query of bad) assertEquals(refused(query).code, "invalid_query");
});

Deno.test("other scripts, right-to-left text, emoji beside words and query syntax are plain text", () => {
  const fine = [
    "سماعات لاسلكية",
    "אוזניות אלחוטיות",
    "ワイヤレスイヤホン",
    "🎧 headphones",
    "'; drop table signals; --",
    "kettle & !lid | (pot:*) <-> x",
    "%_\\ kettle",
  ];
  for (const query of fine) assertEquals(parseInput({ query }, CATEGORIES).query, query);
});

Deno.test("marks that only steer how text is shown are taken out", () => {
  const queryOf = (query: string): string => parseInput({ query }, CATEGORIES).query;
  assertEquals(queryOf("ket\u202etle\u200b lid\ufeff"), "kettle lid");
  // Fillers of other scripts, and what follows most emoji that telephones write.
  assertEquals(queryOf("ket\u3164tle\u115f lid \u2328\ufe0f"), "kettle lid \u2328");
});

Deno.test("full-width signs are the usual ones", () => {
  const query = "kettle\u3000under \uff04\uff15\uff10 or \uffe140";
  assertEquals(parseInput({ query }, CATEGORIES).query, "kettle under $50 or £40");
});

Deno.test("a category must be one of the list, spelled exactly; absent and null mean none", () => {
  assertEquals(parseInput({ query: "kettle", category: "audio" }, CATEGORIES).category, "audio");
  assertEquals(parseInput({ query: "kettle", category: null }, CATEGORIES).category, null);
  for (const category of ["Audio", "", "shoes", 3, ["audio"], {}]) {
    const error = refused("kettle", category);
    assertEquals(error.code, "invalid_category");
    assertEquals(error.categories, CATEGORIES);
  }
});

const keyOf = (query: string, category: string | null = null): string =>
  questionKey({ query, category }, findKinds);

Deno.test("case, spaces, compatibility forms and marks that say nothing make no other question", () => {
  const key = keyOf("wi fi router");
  for (
    const same of [
      "Wi-Fi  Router",
      "WI/FI... router!",
      "ｗｉ－ｆｉ　ｒｏｕｔｅｒ",
      "(wi_fi) router",
    ]
  ) {
    assertEquals(keyOf(same), key, same);
  }
  assertEquals(keyOf("Chef’s knife"), keyOf("chefs knife"));
  assertEquals(keyOf("Is anyone looking for a kettle right now?"), keyOf("a kettle"));
  assertEquals(keyOf("12 Inch kettle, $1,000"), keyOf("12 inch KETTLE, $1000"));
});

Deno.test("queries that are read differently are different questions, whatever marks tell them apart", () => {
  const different = [
    ["headphones $100", "headphones 100"],
    ['27" monitor', "27 monitor"],
    ["tent under $400", "tent under €400"],
    ["tent under ₹400", "tent"],
    ["tent $400 or $500", "tent $400 or $600"],
    ["tents, tarps or bivies", "tents tarps or bivies"],
    ["kettle|audio", "kettle"],
    // The reader of posts may tell by marks what is asked for.
    ["my candles drip. a lip balm would be better", "my candles drip a lip balm would be better"],
    ["torch with double-A batteries", "torch that can double as a batteries"],
  ] as const;
  for (const [one, other] of different) assert(keyOf(one) !== keyOf(other), one);
  assert(keyOf("kettle", "audio") !== keyOf("kettle"));
  assert(keyOf("kettle|audio") !== keyOf("kettle", "audio"));
});
