import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cardText } from "../../mining/cards/text.ts";
import { wantPhrase } from "../../mining/cards/text_want.ts";
import { nounOf } from "../../mining/cards/text_noun.ts";
import type { FactType } from "../../mining/extract/types.ts";
import type { CardFacts } from "../../mining/opportunities/facts.ts";

const TOLD = {
  authorsKnown: true,
  firstSeen: new Date("2026-01-05T00:00:00Z"),
  lastSeen: new Date("2026-11-05T00:00:00Z"),
};

const FACTS: CardFacts = {
  product: "headphones",
  want: { type: "attribute", value: "closed-back" },
  narrowedBy: null,
  authors: 9,
  askingForProduct: 126,
  budgets: [{
    currency: "usd",
    authors: 7,
    low: 250,
    median: 300,
    high: 350,
    ceilings: 3,
    marketMedian: 200,
  }],
  wouldPayMore: 2,
  cheap: 0,
  alsoWanted: [
    { type: "attribute", value: "bass", authors: 5, lift: 2.4 },
    { type: "use", value: "office", authors: 4, lift: 3.1 },
  ],
  failures: [{ problem: "leaks sound", product: "lumeo b20", authors: 3 }],
  unmet: { authors: 4, marketShare: 0.3 },
  users: [{ value: "beginner", authors: 2 }],
  brands: { rejected: [], owned: [], considered: [{ name: "ath-m50", authors: 3 }] },
  places: [],
  covers: [],
};

Deno.test("a want is worded as a person would, by the form of its value", () => {
  const cases: readonly (readonly [string, FactType, string, string])[] = [
    ["headphones", "use", "running", "headphones for running"],
    ["keyboard", "attribute", "quiet", "a quiet keyboard"],
    ["headphones", "spec", "over-ear", "over-ear headphones"],
    ["headphones", "attribute", "isolating", "isolating headphones"],
    ["headphones", "attribute", "comfortable", "comfortable headphones"],
    ["laptop", "attribute", "long battery life", "a laptop with long battery life"],
    ["tent", "attribute", "light to carry", "a tent that is light to carry"],
    ["dog toys", "attribute", "lasts years", "dog toys that last years"],
    ["cleanser", "attribute", "no fragrance", "a cleanser without fragrance"],
    ["running shoes", "user", "wide feet", "running shoes for wide feet"],
    ["guitar", "user", "beginner", "a guitar for beginners"],
    ["desk", "user", "6'4\" tall", "a desk for people of 6'4\" tall"],
    ["keyboard", "compat", "linux", "a keyboard that works with linux"],
    ["keyboard", "attribute", "good looking", "a good looking keyboard"],
    ["keyboard", "attribute", "backlit", "a backlit keyboard"],
  ];
  for (const [product, type, value, phrase] of cases) {
    assertEquals(wantPhrase(nounOf(product, product), { type, value }), phrase);
  }
});

Deno.test("a want that another thing narrows is worded with both", () => {
  const laptop = nounOf("laptop", "laptop");
  const powerful = { type: "attribute", value: "powerful" } as const;
  const of = (type: FactType, value: string): string =>
    wantPhrase(laptop, powerful, { type, value });
  assertEquals(of("use", "cad"), "a powerful laptop for cad");
  assertEquals(of("attribute", "portable"), "a powerful portable laptop");
  assertEquals(of("spec", "17 inch"), "a powerful 17 inch laptop");
  assertEquals(of("compat", "linux"), "a powerful laptop that works with linux");
});

Deno.test("what else they ask for is told of how many, one by one, and never joined to the want", () => {
  const { productAngle, summary } = cardText(FACTS, TOLD);
  assertStringIncludes(
    productAngle,
    "at least five also ask for bass and at least four also want it for office",
  );
  assertStringIncludes(summary, "They also ask for bass (5+) and want it for office (4+).");
});

Deno.test("a problem is titled as the complaint that it is", () => {
  const { title, summary, productAngle } = cardText({
    ...FACTS,
    product: "earbuds",
    want: { type: "problem", value: "cable breaks" },
  }, TOLD);
  assertEquals(title, "Complaint about earbuds: cable breaks");
  assertStringIncludes(summary, "that ask for earbuds say “cable breaks”");
  assertStringIncludes(productAngle, "Build earbuds that answer “cable breaks”");
});

Deno.test("a card says how many want it of how many, for how much, and what fails them in what", () => {
  const { title, summary, productAngle } = cardText(FACTS, TOLD);
  assertEquals(title, "Closed-back headphones");
  assertStringIncludes(summary, "At least nine of the 126 people that ask for headphones");
  assertStringIncludes(summary, "$250 to $350");
  assertStringIncludes(summary, "the median of all who ask for one is $200");
  assertStringIncludes(summary, "“leaks sound” in the lumeo b20 (3+)");
  assertStringIncludes(summary, "from January 2026 to November 2026");
  assertStringIncludes(productAngle, "at $250 to $350");
  assertStringIncludes(productAngle, "3 of 9 report it");
  assertStringIncludes(productAngle, "ath-m50");
});

Deno.test("every number of a card's words is one of its counts", () => {
  const { summary, productAngle } = cardText(FACTS, TOLD);
  const known = new Set(JSON.stringify(FACTS).match(/\d+(?:\.\d+)?/g));
  for (const number of `${summary} ${productAngle}`.match(/\d[\d,.]*\d|\d/g) ?? []) {
    assert(known.has(number.replaceAll(",", "")) || number === "2026", number);
  }
});

Deno.test("where nobody names a sum, nothing is said of money", () => {
  const { summary, productAngle } = cardText(
    { ...FACTS, budgets: [], wouldPayMore: 0 },
    { ...TOLD, authorsKnown: false },
  );
  assert(!/\$|sum|median/.test(`${summary} ${productAngle}`));
  assertStringIncludes(summary, "posts that ask for");
});
