import { assert, assertEquals, assertFalse } from "@std/assert";
import { classify } from "../../../mining/classify/mod.ts";
import { pickQuote } from "../../../mining/classify/quote.ts";
import { containsPersonal, splitBody, splitTitle } from "../../../mining/classify/sentences.ts";
import { hashWord } from "../../../mining/classify/hash.ts";
import { tokenizeCues } from "../../../mining/classify/tokens.ts";

const ASK = "Looking for a good backpack for school, any recommendations?";

Deno.test("sentences stand where they say they stand", () => {
  const body =
    "  First one here.  Then (another)! e.g. this one?\n\n* a point of the list\nLast, v2.5 of it";
  const sentences = splitBody(body, 1000, 40);
  for (const { text, start, end } of sentences) assertEquals(body.slice(start, end), text);
  assertEquals(sentences.map((s) => s.text), [
    "First one here.",
    "Then (another)!",
    "e.g. this one?",
    "a point of the list",
    "Last, v2.5 of it",
  ]);
});

Deno.test("no cut leaves half of a character, which no database takes", () => {
  const long = `Looking for a ${"very ".repeat(60)}`;
  for (const at of [296, 297, 298, 299, 300]) {
    const title = `${long.slice(0, at)}😀 thanks!`;
    for (const { text } of splitTitle(title, 300)) {
      assert(text.isWellFormed(), `title cut at ${at}`);
    }
    const quote = classify({ title, body: "", community: "backpacks" })?.quote ?? "";
    assert(quote.isWellFormed(), `quote of a title cut at ${at}`);
    const body = "a".repeat(3_700 + at) + "😀 which backpack?";
    for (const { text } of splitBody(body, 1_000, 40)) assert(text.isWellFormed(), `body ${at}`);
  }
});

Deno.test("quoted lines, code, bare links and signatures are not the author's words", () => {
  const body = [
    "> someone else said this",
    "&gt; and this",
    "    indented code here",
    "```",
    "fenced code here",
    "```",
    "https://example.com/a-page",
    "[a link](https://example.com/b)",
    "---",
    "My own words.",
    "Sent from my phone",
    "nothing after it",
  ].join("\n");
  assertEquals(splitBody(body, 1000, 40).map((s) => s.text), ["My own words."]);
});

Deno.test("the quote is the sentence that asks, not the first line", () => {
  const body =
    "Hello everyone. I moved last month. Can anyone recommend a good desk lamp under $50? Thanks.";
  const demand = classify({ title: "A question about light", body, community: "" });
  assertEquals(demand?.quote, "Can anyone recommend a good desk lamp under $50?");
});

Deno.test("personal data is recognised", () => {
  for (
    const text of [
      "write to jane.doe@example.com",
      "call me at (555) 123-4567",
      "my number is 555-123-4567",
      "ring +44 20 7946 0958 any time",
      "text 555-1234 please",
      "thanks u/some_name",
      "as /u/some-name said",
      "ask @some_handle about it",
    ]
  ) assert(containsPersonal(text), text);
});

Deno.test("prices, sizes and ratios are not personal data", () => {
  for (
    const text of [
      "between $800-1000",
      "a 1920x1080 screen @ 60Hz or @120hz",
      "10/10 and/or 24/7",
      "model 4070 from 2012, 500 lumens",
      "i7 @ 3.4 GHz",
      "about 150 to 200 dollars",
    ]
  ) assertFalse(containsPersonal(text), text);
});

Deno.test("a sentence with personal data is never quoted", () => {
  const body =
    `${ASK} Mail me at jane.doe@example.com if you can recommend the best backpack to buy.`;
  const demand = classify({ title: "School backpack recommendations", body, community: "" });
  assert(demand !== null);
  assertFalse(containsPersonal(demand.quote), demand.quote);
});

Deno.test("where every sentence holds personal data there is no signal", () => {
  const title = "Looking for a good backpack, any recommendations? Mail jane.doe@example.com";
  const only = title.replace("? ", ", ");
  assertEquals(classify({ title: only, body: "", community: "" }), null);
});

Deno.test("a long sentence is cut at a word's end, and stays a part of the text", () => {
  const long = "Looking for a backpack " + "with many pockets and straps ".repeat(30);
  const quote = pickQuote(splitTitle(long, 2000), [5]);
  assert(quote !== null && quote.length <= 300 && quote.length > 150, String(quote?.length));
  assert(long.includes(quote));
  assertEquals(long[quote.length], " ");
});

Deno.test("a cut never parts a surrogate pair", () => {
  const text = "x" + "😀".repeat(400);
  const quote = pickQuote([{ text, start: 0, end: text.length }], [1]);
  assert(quote !== null && text.startsWith(quote));
  assert(quote.isWellFormed());
});

Deno.test("a row of a table is not quoted while a sentence is to be had", () => {
  const body = `Type | Item | looking to buy the best\n${ASK}`;
  const demand = classify({ title: "School bag", body, community: "" });
  assertEquals(demand?.quote, ASK);
});

Deno.test("what a site leaves of a removed text is not the author's", () => {
  assertEquals(splitBody("[removed]", 1000, 40), []);
  assertEquals(splitBody("[deleted]\n", 1000, 40), []);
});

Deno.test("escaped characters are no words", () => {
  const { hashes, count } = tokenizeCues("rock &amp; roll, a&#x200B;b, AT&T; 5 &lt; 6");
  const words = ["rock", "roll", "a", "b", "at", "t", "<number>", "<number>"];
  assertEquals([...hashes.subarray(0, count)], words.map(hashWord));
});
