import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type CardFacts, cardText } from "../../mining/cards/text.ts";
import { lexicon } from "../../mining/want/lexicon.ts";
import { needIds } from "../../mining/want/needs.ts";
import { type Pattern, PATTERNS } from "../../mining/types.ts";

function facts(kind: string, need: string | null, more: Partial<CardFacts> = {}): CardFacts {
  return {
    kind,
    product: kind,
    need,
    category: "audio",
    patterns: counts({ recommendation_request: 4 }),
    brands: [],
    signalCount: 4,
    distinctAuthors: 4,
    wtpShare: 0,
    firstSeen: new Date("2020-01-01T00:00:00Z"),
    lastSeen: new Date("2020-02-01T00:00:00Z"),
    ...more,
  };
}

function counts(some: Partial<Record<Pattern, number>>): Record<Pattern, number> {
  const none = Object.fromEntries(PATTERNS.map((name) => [name, 0])) as Record<Pattern, number>;
  return { ...none, ...some };
}

function title(kind: string, need: string | null, more: Partial<CardFacts> = {}): string {
  return cardText(facts(kind, need, more)).title;
}

Deno.test("a title says the product and the want, as a person would", () => {
  const cases: readonly (readonly [string, string | null, string])[] = [
    ["headphones", "cable-breaks", "Headphones whose cable does not break"],
    ["running shoes", "wide-feet", "Running shoes for wide feet"],
    ["kettle", "plastic-free", "A kettle with no plastic inside"],
    ["electric shaver", "sensitive", "An electric shaver for sensitive skin"],
    ["umbrella", "durability", "An umbrella that lasts"],
    ["jeans", "durability", "Jeans that last"],
    ["sunscreen", "oily-skin", "Sunscreen for oily or acne-prone skin"],
    ["mechanical keyboard", "quiet", "A quiet mechanical keyboard"],
    ["sunscreen", "with-makeup", "Sunscreen that works with makeup"],
    ["backpack", "laptop-carry", "A backpack that carries a laptop safely"],
    ["gaming headset", null, "Which gaming headset to buy"],
    ["hdmi switch", "budget", "An affordable HDMI switch"],
    ["tv", "looks", "A TV that looks good"],
  ];
  for (const [kind, need, expected] of cases) assertEquals(title(kind, need), expected);
});

Deno.test("a band of prices stands in the title", () => {
  assertEquals(title("laptop", "price-to-300"), "A laptop for under $300");
  assertEquals(title("gaming pc", "price-to-700"), "A gaming PC for $500 to $700");
  assertEquals(title("tv", "price-to-more"), "A TV for more than $10,000");
});

Deno.test("a title does not say twice what the product's name says", () => {
  assertEquals(
    title("keyboard", "wireless", { product: "wireless keyboard" }),
    "A wireless keyboard",
  );
  assertEquals(
    title("flashlight", "keychain", { product: "keychain light" }),
    "A flashlight for a keychain",
  );
});

Deno.test("a type of a kind is called by its own name", () => {
  assertEquals(title("backpack", "type-messenger-bag"), "Which messenger bag to buy");
  assertEquals(title("jeans", "type-raw-denim-jeans"), "Which raw denim jeans to buy");
});

Deno.test("counts over the newest signals of many say so", () => {
  const { summary } = cardText(facts("tent", null, {
    patterns: counts({ recommendation_request: 400 }),
    signalCount: 1200,
    distinctAuthors: 1100,
  }));
  assertEquals(
    summary,
    "1,100 people want the right tent in 1,200 posts. Of the newest 400, 400 ask what to buy.",
  );
});

Deno.test("the pattern shapes the title where no need does", () => {
  const of = (pattern: Pattern) => title("boots", null, { patterns: counts({ [pattern]: 3 }) });
  assertEquals(of("repeat_failure"), "Boots that do not keep failing");
  assertEquals(of("replacement_hunt"), "A replacement for worn-out boots");
  assertEquals(
    title("kettle", null, { patterns: counts({ repeat_failure: 3 }) }),
    "A kettle that does not keep failing",
  );
  const rival = { name: "Bose", count: 3 };
  assertEquals(
    title("headphones", null, {
      patterns: counts({ alternative_seeking: 4 }),
      brands: [rival],
    }),
    "An alternative to Bose headphones",
  );
});

Deno.test("every kind with every need gives a title without a slip of grammar", () => {
  // Every kind meets every eleventh need, another eleventh each time: all pairings of their forms.
  const needs = [null, ...needIds()];
  let turn = 0;
  for (const { name, plural, mass } of lexicon().kinds.values()) {
    turn += 1;
    for (const need of needs.filter((_, index) => index % 11 === turn % 11)) {
      const text = title(name, need);
      assert(/^[A-Z0-9i]/.test(text), text);
      assert(!/[{}|^_~]|undefined|null| {2}| $/.test(text), text);
      assert(!/\b(\w{4,}) \1\b/i.test(text), text);
      assert(!/\b[Aa] [aeio]/.test(text.replace(/\b[Aa] (?:one|eu)/g, "")), text);
      assert(!/\b[Aa]n [bcdgjkpqtvwyz]/.test(text), text);
      if (plural || mass) assert(!/^An? /.test(text) || need === null, text);
      const rest = text.slice(name.length) + " ";
      if (plural) assert(!/^ that (?:is|lasts|fits|looks|works|stays|does) /.test(rest), text);
      assert(text.length <= 120, text);
    }
  }
});

Deno.test("the summary counts people, what they do, brands and money, with right numbers", () => {
  const { summary } = cardText(facts("kettle", "durability", {
    patterns: counts({ repeat_failure: 5, recommendation_request: 1 }),
    brands: [{ name: "Bodum", count: 3 }, { name: "Oxo", count: 1 }],
    signalCount: 6,
    distinctAuthors: 5,
    wtpShare: 1 / 6,
  }));
  assertEquals(
    summary,
    "Five people want a kettle that lasts in six posts. " +
      "Five report the same thing failing again and again and one asks what to buy. " +
      "The brand named most often: Bodum (3); one of six names a sum of money.",
  );
});

Deno.test("one signal is one person, in the singular", () => {
  const { summary } = cardText(facts("tent", null, {
    patterns: counts({ unmet_need: 1 }),
    signalCount: 1,
    distinctAuthors: 1,
  }));
  assertEquals(summary, "One person wants the right tent. One cannot find what is needed.");
});

Deno.test("the angle rests on what the posts report", () => {
  const failing = cardText(facts("kettle", "durability", { patterns: counts({ frustration: 4 }) }));
  assertStringIncludes(failing.productAngle, "warranty");
  const paying = cardText(facts("kettle", "durability", { wtpShare: 0.6 }));
  assertStringIncludes(paying.productAngle, "price");
});

Deno.test("the same facts make the same words", () => {
  const given = facts("laptop", "quiet", { brands: [{ name: "Dell", count: 2 }] });
  assertEquals(cardText(given), cardText(given));
});
