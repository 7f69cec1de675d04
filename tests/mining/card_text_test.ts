import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type CardFacts, cardText } from "../../mining/cards/text.ts";
import { lexicon } from "../../mining/want/lexicon.ts";
import { fits, needById, needs, saysNeed } from "../../mining/want/needs.ts";
import { type Pattern, PATTERNS } from "../../mining/types.ts";

function facts(kind: string, need: string | null, more: Partial<CardFacts> = {}): CardFacts {
  return {
    kind,
    product: kind,
    need,
    category: "audio",
    patterns: counts({ recommendation_request: 4 }),
    spoken: [],
    brands: [],
    signalCount: 4,
    distinctAuthors: 4,
    authorsKnown: true,
    paying: 0,
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
});

Deno.test("a title leaves no brand: some of those who weigh alternatives want the one they name", () => {
  const more = {
    patterns: counts({ alternative_seeking: 4 }),
    brands: [{ name: "Bose", count: 4 }],
  };
  assertEquals(title("headphones", null, more), "Which headphones to choose");
});

Deno.test("nouns in -us, spellings of their own and nouns without an article read right", () => {
  const letDown = { category: "computers", patterns: counts({ frustration: 3 }) };
  assertEquals(title("stylus", null, letDown), "A stylus that works as it should");
  assertEquals(
    title("docking station", "overheating", { product: "usb-c dock" }),
    "A USB-C dock that does not overheat",
  );
  assertEquals(
    title("birth control", null, { patterns: counts({ repeat_failure: 3 }) }),
    "Birth control that does not keep failing",
  );
  assertEquals(title("remote control", "elderly"), "A remote control for elderly people");
  assertEquals(title("measuring tape", "left-handed"), "A measuring tape for left-handers");
  assertEquals(title("bracelet", "durability"), "A bracelet that lasts");
  assertEquals(title("jewelry", "durability"), "Jewelry that lasts");
  assertEquals(title("toilet", "quiet"), "A quiet toilet");
  assertEquals(title("dog food", "budget"), "Affordable dog food");
});

Deno.test("no need gives a card the title of the card without a need", () => {
  for (const { name, category } of lexicon().kinds.values()) {
    const general = title(name, null);
    for (const need of needs().byId.keys()) {
      const known = needById(need);
      // What names the need already is never asked for without it.
      if (known === undefined || !fits(known, category, name) || saysNeed(name, known)) continue;
      assert(title(name, need) !== general, `${name}/${need}: ${general}`);
    }
  }
});

Deno.test("every kind with every need gives a title without a slip of grammar", () => {
  // Every kind meets every eleventh need, another eleventh each time: all pairings of their forms.
  const asked = [null, ...needs().byId.keys()];
  let turn = 0;
  for (const { name, plural, mass, member } of lexicon().kinds.values()) {
    turn += 1;
    for (const need of asked.filter((_, index) => index % 11 === turn % 11)) {
      const text = title(name, need);
      assert(/^[A-Z0-9i]/.test(text), text);
      assert(!/[{}|^_~]|undefined|null| {2}| $/.test(text), text);
      assert(!/\b(\w{4,}) \1\b/i.test(text), text);
      assert(!/\b[Aa] [aeio]/.test(text.replace(/\b[Aa] (?:one|eu)/g, "")), text);
      assert(!/\b[Aa]n [bcdgjkpqtvwyz]/.test(text), text);
      if (plural || (mass && !member)) assert(!/^An? /.test(text) || need === null, text);
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
    signalCount: 7,
    distinctAuthors: 6,
    paying: 1,
  }));
  assertEquals(
    summary,
    "Six people want a kettle that lasts in seven posts. " +
      "Five report the same thing failing again and again and one asks what to buy. " +
      "The brand named most often: Bodum (3); one of six names a sum or would pay more.",
  );
});

Deno.test("a card tells what else its posts ask for, where enough of them do", () => {
  const asking = (kind: string, need: string | null, ...spoken: [string, number][]) =>
    cardText(facts(kind, need, {
      patterns: counts({ recommendation_request: 40 }),
      signalCount: 40,
      distinctAuthors: 40,
      spoken: spoken.map(([name, count]) => ({ name, count })),
    }));
  const laptop = asking("laptop", null, ["battery-life", 9], ["quiet", 2], ["gaming", 1]);
  assertStringIncludes(
    laptop.summary,
    "Also asked for: one with a battery that lasts (9) and a quiet one (2).",
  );
  assertStringIncludes(
    laptop.productAngle,
    "Offer one with a battery that lasts first: nine of these posts ask for that.",
  );
  assert(!asking("laptop", null, ["quiet", 3]).productAngle.includes("Offer"));
  const shoes = asking("running shoes", "wide-feet", ["durability", 9], ["running", 8]);
  assertStringIncludes(shoes.summary, "Also asked for: ones that last (9).");
  assert(!shoes.productAngle.includes("Offer"));
  assertStringIncludes(
    asking("sunscreen", null, ["sensitive", 5]).summary,
    "Also asked for: sunscreen for sensitive skin (5).",
  );
  assert(!asking("laptop", "price-to-300", ["budget", 9]).summary.includes("Also"));
  assertStringIncludes(
    asking("laptop battery", null, ["battery-life", 5]).summary,
    "Also asked for: one that lasts (5).",
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

Deno.test("where no author is known the words count posts, not people", () => {
  const unknown = { authorsKnown: false, signalCount: 149, distinctAuthors: 149 };
  const { summary } = cardText(facts("laptop", "gaming", {
    ...unknown,
    patterns: counts({ recommendation_request: 100, unmet_need: 30, frustration: 19 }),
  }));
  assertEquals(
    summary,
    "Wanted in 149 posts: a laptop for gaming. 100 ask what to buy, 30 say that it cannot be found " +
      "and 19 complain of a bad one.",
  );
  for (const pattern of PATTERNS) {
    const text = cardText(facts("laptop", "gaming", {
      ...unknown,
      patterns: counts({ [pattern]: 149 }),
    }));
    assert(!/people|person|they/.test(text.summary), text.summary);
  }
});

Deno.test("money is counted over the signals that the card counts", () => {
  const { summary } = cardText(facts("tent", null, {
    patterns: counts({ recommendation_request: 400 }),
    signalCount: 1200,
    distinctAuthors: 1100,
    paying: 90,
  }));
  assertStringIncludes(summary, "90 of the newest 400 name a sum or would pay more.");
});

Deno.test("the angle speaks of failures only where most signals report them", () => {
  const angle = (some: Partial<Record<Pattern, number>>, more: Partial<CardFacts> = {}) =>
    cardText(facts("kettle", "durability", { patterns: counts(some), ...more })).productAngle;
  assertStringIncludes(angle({ repeat_failure: 3, recommendation_request: 2 }), "failures");
  const others = PATTERNS.filter((pattern) => pattern !== "repeat_failure");
  for (const pattern of others) {
    for (const some of [{ [pattern]: 4 }, { [pattern]: 2, repeat_failure: 2 }]) {
      assert(!/fail|warranty|spare/.test(angle(some)), angle(some));
    }
  }
  assertStringIncludes(angle({ frustration: 3, unmet_need: 1 }), "complaints");
  assert(!angle({ frustration: 2, unmet_need: 2 }).includes("complaints"));
  assertStringIncludes(angle({ recommendation_request: 4 }, { paying: 2 }), "price");
  assert(!angle({ recommendation_request: 4 }, { paying: 1 }).includes("price"));
});

Deno.test("a rival is known for this very kind, and named by three posts at least", () => {
  const angle = (kind: string, brands: CardFacts["brands"]) =>
    cardText(facts(kind, null, { brands })).productAngle;
  const dell = { name: "Dell", count: 3 };
  assertStringIncludes(angle("laptop", [{ name: "Intel", count: 9 }, dell]), "from Dell");
  assert(!angle("laptop", [{ ...dell, count: 2 }]).includes("differs"));
  assert(!angle("bookshelf", [{ name: "Google", count: 5 }]).includes("differs"));
  assert(!angle("car battery", [{ name: "Mazda", count: 5 }]).includes("differs"));
});

Deno.test("the same facts make the same words", () => {
  const given = facts("laptop", "quiet", { brands: [{ name: "Dell", count: 2 }] });
  assertEquals(cardText(given), cardText(given));
});
