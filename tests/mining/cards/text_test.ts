import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { article } from "../../../mining/lexicon/grammar.ts";
import { cardText } from "../../../mining/cards/text.ts";
import { askedAlso, wantPhrase } from "../../../mining/cards/text_want.ts";
import { capital, nounOf, spelledAsIn, withThe } from "../../../mining/cards/text_noun.ts";
import type { WantType } from "../../../mining/extract/types.ts";
import type { CardFacts } from "../../../mining/opportunities/facts.ts";

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
  const cases: readonly (readonly [string, WantType, string, string])[] = [
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
    ["gaming chair", "user", "tall", "a gaming chair for tall people"],
    ["jeans", "user", "tall woman", "jeans for tall women"],
    ["office chair", "user", "short person", "an office chair for short people"],
    ["bike", "user", "small child", "a bike for small children"],
    ["sound bar", "user", "hearing impaired", "a sound bar for hearing impaired people"],
    ["knee brace", "attribute", "not slide down", "a knee brace that does not slide down"],
    ["leggings", "attribute", "not slide down", "leggings that do not slide down"],
    ["litter box", "attribute", "doesnt smell", "a litter box that doesn't smell"],
    ["pruning shear", "user", "small hands", "pruning shears for small hands"],
    ["keyboard", "compat", "linux", "a keyboard that works with Linux"],
    ["keyboard", "attribute", "good looking", "a good looking keyboard"],
    ["keyboard", "attribute", "backlit", "a backlit keyboard"],
    ["earphones", "attribute", "durable cable", "earphones with a durable cable"],
    ["laptop", "spec", "usb port", "a laptop with a USB port"],
    ["laptop", "spec", "two usb ports", "a laptop with two USB ports"],
    ["desk", "spec", "two monitors", "a desk for two monitors"],
    ["couch", "use", "small apartment", "a couch for a small apartment"],
    ["desk", "use", "office", "a desk for an office"],
    ["headphones", "attribute", "good sound quality", "headphones with good sound quality"],
    ["speakers", "use", "movies", "speakers for movies"],
    ["backpack", "use", "carrying a camera", "a backpack for carrying a camera"],
    ["bag", "use", "under the seat", "a bag for under the seat"],
    ["camera", "use", "travel or desk", "a camera for travel or desk"],
    ["notebook", "spec", "a5", "a notebook with A5"],
    ["server", "attribute", "low power", "a low power server"],
  ];
  for (const [product, type, value, phrase] of cases) {
    assertEquals(wantPhrase(nounOf(product, product), { type, value }), phrase);
  }
});

Deno.test("a want that another thing narrows is worded with both", () => {
  const laptop = nounOf("laptop", "laptop");
  const powerful = { type: "attribute", value: "powerful" } as const;
  const of = (type: WantType, value: string): string =>
    wantPhrase(laptop, powerful, { type, value });
  assertEquals(of("use", "cad"), "a powerful laptop for cad");
  assertEquals(of("attribute", "portable"), "a powerful portable laptop");
  assertEquals(of("spec", "17 inch"), "a powerful 17 inch laptop");
  assertEquals(of("compat", "linux"), "a powerful laptop that works with Linux");
});

Deno.test("what else they ask for is told of how many, one by one, and never joined to the want", () => {
  const { productAngle, summary } = cardText(FACTS, TOLD);
  assertStringIncludes(
    productAngle,
    "at least five also ask for bass and at least four also want them for an office",
  );
  assertStringIncludes(summary, "They also ask for bass (5+) and want them for an office (4+).");
});

Deno.test("what else they ask for is worded by the form of its value", () => {
  const cases: readonly (readonly [string, WantType, string, string])[] = [
    ["notebook", "attribute", "lies flat", "ask that it lies flat"],
    ["dumbbells", "attribute", "stays quiet", "ask that they stay quiet"],
    ["phone", "use", "fits pocket", "ask that it fits pocket"],
    ["tripod", "compat", "fits carry-on", "ask that it fits carry-on"],
    ["smartwatch", "compat", "android", "want it to work with Android"],
    ["dog harness", "attribute", "reflective", "want it reflective"],
    ["pill organizer", "attribute", "easy to open", "want it easy to open"],
    ["running shoes", "attribute", "not orthopaedic", "want them not orthopaedic"],
    ["sound bar", "attribute", "no subwoofer", "ask for no subwoofer"],
    ["tent", "spec", "4 person", "ask for 4 person"],
    ["fan", "spec", "remote", "ask for a remote"],
    ["fan", "use", "bedroom", "want it for a bedroom"],
    ["keyboard", "compat", "pc", "want it to work with PC"],
  ];
  for (const [product, type, value, phrase] of cases) {
    const { lead, words } = askedAlso(nounOf(product, product), { type, value });
    assertEquals(`${lead} ${words}`, phrase);
  }
});

Deno.test("values are spelled as most posts write them in the middle of a sentence", () => {
  const spell = spelledAsIn([
    "I run FreeNAS on it",
    "a box for FreeNAS with raid 5",
    "FREENAS ON A BUDGET BOX",
    "It has a Small fan",
    "the small one does RAID",
    "Quiet box",
  ], ["freenas", "raid 5", "small", "quiet"]);
  assertEquals(
    spell("a quiet, small NAS for freenas with raid 5"),
    "a quiet, small NAS for FreeNAS with raid 5",
  );
});

Deno.test("the article goes by the sound of a number and of a prefix", () => {
  const an = ["11 inch pan", "18v drill", "1800 watt kettle", "18,000 btu unit", "8 foot ladder"];
  for (const one of [...an, "80 mm fan", "uninsulated jacket"]) assertEquals(article(one), "an");
  const a = ["180 degree hinge", "110 volt kettle", "12 inch pan", "universal remote", "unit"];
  for (const one of a) assertEquals(article(one), "a", one);
});

Deno.test("makers and models are named as they are spelled, the article before models alone", () => {
  const cases = [
    ["levis", "Levi's"],
    ["fellow", "Fellow"],
    ["herman miller", "Herman Miller"],
    ["lumeo b20", "the Lumeo B20"],
    ["sony wh-1000xm5", "the Sony WH-1000XM5"],
    ["macbook air", "the MacBook Air"],
    ["pellixo go", "the Pellixo Go"],
    ["carbon steel", "carbon steel"],
  ];
  for (const [name = "", phrase] of cases) assertEquals(withThe(name), phrase);
});

Deno.test("a problem is titled as the complaint that it is", () => {
  const { title, summary, productAngle } = cardText({
    ...FACTS,
    product: "earbuds",
    want: { type: "problem", value: "cable breaks" },
  }, TOLD);
  assertEquals(title, "Complaint about earbuds: cable breaks");
  assertStringIncludes(summary, "that ask for earbuds say something like “cable breaks”");
  assertStringIncludes(productAngle, "Build earbuds that answer “cable breaks”");
});

Deno.test("a card says how many want it of how many, for how much, and what fails them in what", () => {
  const { title, summary, productAngle } = cardText(FACTS, TOLD);
  assertEquals(title, "Closed-back headphones");
  assertStringIncludes(summary, "At least nine of the 126 people that ask for headphones");
  assertStringIncludes(
    summary,
    "Half of the seven sums that they name lie between $250 and $350; the median is $300",
  );
  assertStringIncludes(summary, "Who it is for: beginners (2+).");
  assertStringIncludes(summary, "the median of all who ask for one is $200");
  assertStringIncludes(summary, "“leaks sound” in the Lumeo B20 (3+ people)");
  assertStringIncludes(summary, "from January 2026 to November 2026");
  assertStringIncludes(productAngle, "Price them at $300 to $350");
  assertStringIncludes(productAngle, "3 of 9 report it");
  assertStringIncludes(productAngle, "Compare them with the ATH-M50");
});

Deno.test("a price is the part of the middle half that is unlike the market's", () => {
  const angle = (budget: Partial<CardFacts["budgets"][number]>): string =>
    cardText({ ...FACTS, budgets: FACTS.budgets.map((one) => ({ ...one, ...budget })) }, TOLD)
      .productAngle;
  assertStringIncludes(angle({ marketMedian: 500 }), "Price them at $250 to $300: at least half");
  assertStringIncludes(angle({ low: 300, marketMedian: 500 }), "Price them at about $300: ");
});

Deno.test("where all who ask for the kind state the want, it says so", () => {
  const { summary } = cardText({ ...FACTS, askingForProduct: 9 }, TOLD);
  assertStringIncludes(summary, "All nine people that ask for headphones want closed-back");
});

Deno.test("every number of a card's words is one of its counts", () => {
  const { summary, productAngle } = cardText(FACTS, TOLD);
  const known = new Set(JSON.stringify(FACTS).match(/\d+(?:\.\d+)?/g));
  for (const number of `${summary} ${productAngle}`.match(/\d[\d,.]*\d|\d/g) ?? []) {
    assert(known.has(number.replaceAll(",", "")) || number === "2026", number);
  }
});

Deno.test("an angle says what the counts say beyond the title, and is short where that is nothing", () => {
  const { productAngle } = cardText(FACTS, TOLD);
  assert(!/closed-back/i.test(productAngle), productAngle);
  assertStringIncludes(productAngle, "report it in the Lumeo B20");
  assertStringIncludes(productAngle, "each at least twice as often as all who ask for headphones");
  assertStringIncludes(
    productAngle,
    "at least half of the seven sums are $300 or more, where the median of all who ask for headphones is $200",
  );
  const usual = {
    ...FACTS,
    budgets: FACTS.budgets.map((budget) => ({ ...budget, marketMedian: 290 })),
    alsoWanted: [{ type: "attribute", value: "bass", authors: 2, lift: 1.1 }] as const,
    failures: [],
    users: [],
    brands: { rejected: [], owned: [], considered: [] },
  };
  assertEquals(cardText(usual, TOLD).productAngle, "Build closed-back headphones at about $300.");
  assertEquals(
    cardText({ ...usual, budgets: [] }, TOLD).productAngle,
    "Build closed-back headphones.",
  );
});

Deno.test("where nobody names a sum, nothing is said of money", () => {
  const { summary, productAngle } = cardText(
    { ...FACTS, budgets: [], wouldPayMore: 0 },
    { ...TOLD, authorsKnown: false },
  );
  assert(!/\$|sum|median/.test(`${summary} ${productAngle}`));
  assertStringIncludes(summary, "posts that ask for");
});

Deno.test("a title begins with a capital, but for words that have a capital of their own", () => {
  assertEquals(["keyboard", "iPad stand", "eBook reader", "ESXi server"].map(capital), [
    "Keyboard",
    "iPad stand",
    "eBook reader",
    "ESXi server",
  ]);
});
