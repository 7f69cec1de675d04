import { assert, assertEquals, assertExists } from "@std/assert";
import { quotable } from "../../mining/classify/mod.ts";
import type { Pattern } from "../../mining/types.ts";
import { bandOf, bandPhrase, plannedSum } from "../../mining/want/price.ts";
import { readWant } from "../../mining/want/mod.ts";
import { showingQuote } from "../../mining/want/quote.ts";

function read(title: string, body: string, pattern: Pattern = "recommendation_request") {
  const text = { title, body, community: "somewhere" };
  const demand = {
    pattern,
    also: null,
    intensity: 1,
    wtp: 1,
    confidence: 0.8,
    quote: title,
  } as const;
  const reading = readWant(text, demand, {});
  assertExists(reading);
  const quoted = showingQuote(quotable(text, demand), reading.places);
  assertExists(quoted);
  return { ...reading, ...quoted };
}

Deno.test("the quote names the product as what is wanted", () => {
  const { quote, shown } = read(
    "Please help me decide",
    "Any advice is welcome! I am looking for a kettle for my kitchen. I have about forty bucks.",
  );
  assertEquals(quote, "I am looking for a kettle for my kitchen.");
  assert(shown > 0.9, String(shown));
});

Deno.test("the quote of a specific want states the need", () => {
  const { want, quote, shown } = read(
    "Which kettle should I get?",
    "I need a kettle. My last one leaks every morning, so I want a kettle that does not leak. Thanks!",
  );
  assertEquals(want.need, "leaks");
  assert(quote.includes("leak"), quote);
  assert(shown > 0.8, String(shown));
});

Deno.test("a quote that shows neither product nor need is known to show little", () => {
  const { shown } = read("What would you do?", "It happened again. The kettle sits on a shelf.");
  assert(shown < 0.6, String(shown));
});

Deno.test("a kind with a rival as strong is less sure than one alone", () => {
  const alone = read("Looking for a good tent", "A tent for two, what tent do you like?");
  const rival = read("Tent, stove", "I own a tent and a stove and like them.");
  assert(alone.sureness > 0.85, String(alone.sureness));
  assert(rival.sureness < 0.7, String(rival.sureness));
});

Deno.test("what a post waives is not its need", () => {
  const need = (title: string) => read(title, "").want.need;
  assertEquals(need("Best laptop for gaming?"), "gaming");
  assertEquals(need("Best laptop, no gaming"), null);
  assertEquals(need("Which laptop? I don't care about portability"), null);
  assertEquals(need("Speakers with no hum?"), "noise-hum");
});

Deno.test("a planned sum is one that is to be spent, not one that was paid", () => {
  const sum = (title: string, body = "") => plannedSum("laptop", title, body)?.amount;
  assertEquals(sum("Laptop under $1,200?"), 1200);
  assertEquals(sum("Laptop, 400 - 600 euro"), 600);
  assertEquals(sum("Laptop for $1.5k"), 1500);
  assertEquals(sum("Laptop?", "My budget is about £500, give or take."), 500);
  assertEquals(sum("Laptop?", "I paid $900 for the last one."), undefined);
  assertEquals(sum("Laptop?", "It weighs 900 grams."), undefined);
  assertEquals(sum("Laptop for $20"), undefined);
  assertEquals(plannedSum("kettle", "Kettle for $200", ""), null);
});

Deno.test("every sum falls into a band that names it", () => {
  const said = (amount: number) => bandPhrase(bandOf({ amount, inTitle: true, start: 0, end: 0 }));
  assertEquals(said(300), "for under $300");
  assertEquals(said(301), "for $300 to $500");
  assertEquals(said(9_999), "for $5,000 to $10,000");
  assertEquals(said(15_000), "for more than $10,000");
  assertEquals(bandPhrase("durability"), undefined);
});

Deno.test("a laptop wanted for a sum is a want of its own, and its quote shows the sum", () => {
  const { want, quote } = read("Which laptop?", "Hi all. I want a laptop for under $650. Thanks.");
  assertEquals(want.need, "price-to-700");
  assertEquals(quote, "I want a laptop for under $650.");
});
