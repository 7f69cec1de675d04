import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { priceOf } from "../../../mining/extract/price.ts";
import aliasText from "../../../mining/extract/aliases.txt" with { type: "text" };
import type { FactType } from "../../../mining/extract/types.ts";
import { measureBefore, measures, valueOf } from "../../../mining/extract/values.ts";
import { isPraise } from "../../../mining/opportunities/praise.ts";

const at = (community: string, text = "", before = "", after = "") => ({
  community,
  text,
  before,
  after,
});

Deno.test("no cut leaves half of a character in a value", () => {
  for (let letters = 40; letters < 48; letters++) {
    const value = valueOf("problem", `comfortableness ${"a".repeat(letters)}😀 x`);
    assert(value.isWellFormed(), `${letters} letters`);
  }
});

Deno.test("one parser reads every way of stating a price", () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ["under $50", "<=50 usd"],
    ["less than 1,500 dollars", "<=1500 usd"],
    ["$30 or less", "<=30 usd"],
    ["sub 100 bucks", "<=100 usd"],
    ["up to 1.5k", "<=1500 usd"],
    ["max 80€", "<=80 eur"],
    ["around £300", "~300 gbp"],
    ["~$250", "~250 usd"],
    ["$200ish", "~200 usd"],
    ["$100-200", "100-200 usd"],
    ["between 100 and 200 pounds", "100-200 gbp"],
    ["1-2k", "1000-2000 usd"],
    ["$200 - $600", "200-600 usd"],
    ["budget of 500", "<=500 usd"],
    ["at least $40", ">=40 usd"],
    ["300 CAD", "~300 cad"],
    ["money is no object", "any"],
    ["price is not an issue", "any"],
    ["willing to pay more", "more"],
    ["happy to invest", "more"],
    ["cheap", "cheap"],
    ["won't break the bank", "cheap"],
    ["not too expensive", "cheap"],
    ["purple", null],
  ];
  for (const [span, value] of cases) assertEquals(priceOf(span), value, span);
});

Deno.test("a bare sum is in the money of its place", () => {
  assertEquals(priceOf("under 500", at("unitedkingdom")), "<=500 gbp");
  assertEquals(priceOf("under $500", at("", "I live in Toronto")), "<=500 cad");
  assertEquals(priceOf("under $500", at("", "I live in Germany")), "<=500 usd");
  assertEquals(priceOf("under 500€", at("", "I live in Canada")), "<=500 eur");
});

Deno.test("a currency that is named counts for more than a dollar sign or a place", () => {
  assertEquals(priceOf("$100-150 CDN"), "100-150 cad");
  assertEquals(priceOf("$150 AU"), "~150 aud");
  assertEquals(priceOf("$140 US", at("", "I live in Canada")), "~140 usd");
  assertEquals(priceOf("under $140", at("", "", "", " AUD please")), "<=140 aud");
  assertEquals(priceOf("under $140", at("", "", "", " and usable")), "<=140 usd");
});

Deno.test("what stands before a sum counts", () => {
  assertEquals(priceOf("$50", at("", "", "it must cost less than ")), "<=50 usd");
});

Deno.test("measures have one form", () => {
  assertEquals(measures('13"-14"'), "13-14 inch");
  assertEquals(measures("13 to 14 inches"), "13-14 inch");
  assertEquals(measures("16gb of ram"), "16 gb of ram");
  assertEquals(measures("2.5 lbs"), "2.5 lb");
});

Deno.test("the measure right before a thing is found, and no other number", () => {
  const measured = (before: string, thing: string): string => {
    const text = before + thing;
    return text.slice(measureBefore(text, before.length));
  };
  for (
    const [before, thing, whole] of [
      ['at least a 15" ', "screen", '15" screen'],
      ["A 13-14 inch ", "screen", "13-14 inch screen"],
      ["some 256gb-", "drive", "256gb-drive"],
      ["a 10,000 mAh ", "battery", "10,000 mAh battery"],
      ["a 1000 - 2000 milliliters ", "bottle", "1000 - 2000 milliliters bottle"],
      ["a 15“ ", "screen", "15“ screen"],
      ['13" or 15" ', "screen", '15" screen'],
      ["Laptop, 13 inch\n", "screen", "screen"],
      ["top 3 in ", "comfort", "comfort"],
      ['"iPhone 5" ', "case", "case"],
      ["usb-3 port ", "hub", "hub"],
      ["costs $15 ", "screen", "screen"],
      ["I have 2 ", "screens", "screens"],
      ["for 3 big ", "screens", "screens"],
      ["", "screen", "screen"],
    ] as const
  ) assertEquals(measured(before, thing), whole);
});

Deno.test("words that say the same have the same value", () => {
  for (const span of ["lightweight", "Light weight", "lightweight", "**ultralight**"]) {
    assertEquals(valueOf("attribute", span), "lightweight", span);
  }
  for (const span of ["for gaming", "gaming", "play games", "Games"]) {
    assertEquals(valueOf("use", span), "gaming", span);
  }
  assertEquals(valueOf("considered", "the Sennheiser HD 558"), "sennheiser hd 558");
  assertEquals(valueOf("spec", '13"-14"'), "13-14 inch");
  assertEquals(valueOf("place", "the United States"), "us");
});

Deno.test("a span that says more than its value has the value that it says", () => {
  assertEquals(valueOf("attribute", "a really quiet keyboard"), "quiet");
  assertEquals(valueOf("attribute", "not backlit keyboard"), "not backlit keyboard");
  assertEquals(valueOf("attribute", "not quiet keyboard"), "loud");
});

Deno.test('"high performance" is praise, and no power', () => {
  assert(isPraise(valueOf("attribute", "high performance")));
  assert(!isPraise(valueOf("attribute", "more powerful")));
});

Deno.test("a value is canonical again: a second time changes nothing", () => {
  for (
    const span of ["really quiet", "for my long commute to work", "breaks after 3 months", "M50s"]
  ) {
    for (const type of ["attribute", "use", "problem", "owned"] as const) {
      const value = valueOf(type, span);
      assertEquals(valueOf(type, value), value);
      assertEquals(valueOf(type, span, undefined, value), value);
    }
  }
});

Deno.test("who buys their first thing of a kind is a beginner, whatever the thing", () => {
  const before = at("keyboards", "", "Looking to get my first ");
  assertEquals(valueOf("user", "mechanical keyboard", before), "beginner");
  assertEquals(valueOf("attribute", "backlit keyboard", before), "backlit");
});

Deno.test("a word that only looks like another's form, or shares words with it, keeps its own value", () => {
  assertEquals(valueOf("attribute", "rugged"), "sturdy");
  assertNotEquals(valueOf("spec", "in-ear"), valueOf("spec", "over-ear"));
  assertNotEquals(valueOf("problem", "too short"), valueOf("problem", "cable too short"));
  assertNotEquals(valueOf("problem", "overpowering bass"), valueOf("problem", "not enough bass"));
  assertNotEquals(valueOf("compat", "Windows 7"), valueOf("compat", "Windows 8"));
  assertNotEquals(valueOf("user", "I am"), valueOf("user", "pretty"));
});

Deno.test("every wording of the reviewed file has the value of its line", () => {
  let types: readonly string[] = [];
  for (const line of aliasText.trimEnd().split("\n")) {
    if (line.startsWith("#")) continue;
    if (line.startsWith("[")) {
      types = line.slice(1, -1).split(" ");
      continue;
    }
    const [value = "", variants = ""] = line.split(" = ");
    for (const wording of [value, ...variants === "" ? [] : variants.split(", ")]) {
      for (const type of types) {
        assertEquals(valueOf(type as FactType, "", undefined, wording), value, `${type}: ${line}`);
      }
    }
  }
});

Deno.test("a wording of one telling word is found as it stands, also within a span", () => {
  assertEquals(valueOf("attribute", "really good looking"), "good looking");
  assertNotEquals(valueOf("attribute", "good"), "good looking");
  assertEquals(valueOf("attribute", "use it one-handed"), "one-handed");
  assertEquals(valueOf("spec", "in-ear"), "in-ear");
  assertEquals(valueOf("problem", "out of stock everywhere"), "out of stock");
  assertNotEquals(valueOf("problem", "stock"), "out of stock");
});
