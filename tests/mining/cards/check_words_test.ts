import { assert, assertEquals, assertMatch } from "@std/assert";
import { checkWords } from "../../../mining/cards/check_words.ts";
import type { CardText } from "../../../mining/cards/text.ts";
import {
  type CardWords,
  readWords,
  standingWords,
  worded,
} from "../../../mining/cards/model_words.ts";
import type { CardFacts } from "../../../mining/opportunities/facts.ts";

const FACTS: CardFacts = {
  product: "headphones",
  want: { type: "attribute", value: "no sound leakage" },
  narrowedBy: null,
  authors: 20,
  askingForProduct: 113,
  budgets: [{
    currency: "usd",
    authors: 12,
    low: 150,
    median: 200,
    high: 300,
    ceilings: 7,
    marketMedian: 180,
  }],
  wouldPayMore: 3,
  cheap: 0,
  alsoWanted: [
    { type: "use", value: "office", authors: 13, lift: 2.4 },
    { type: "spec", value: "closed-back", authors: 5, lift: 1.9 },
    { type: "attribute", value: "light to carry", authors: 4, lift: 1.1 },
  ],
  failures: [
    { problem: "cable breaks", product: "audio-technica ath-m50", authors: 6 },
    { problem: "uncomfortable", product: null, authors: 2 },
  ],
  unmet: { authors: 9, marketShare: 0.31 },
  users: [{ value: "beginner", authors: 3 }],
  brands: {
    rejected: [{ name: "beats", authors: 2 }],
    owned: [{ name: "audio-technica ath-m50", authors: 5 }],
    considered: [{ name: "beyerdynamic dt 770", authors: 4 }],
  },
  places: [],
  covers: [],
};

const GOOD: CardText = {
  title: "Headphones that leak no sound, for the office",
  summary:
    "20 of the 113 people who ask for headphones want no sound leakage. Twelve name a budget in dollars; the middle half reaches 150 to 300, the median is 200, against 180 for the kind. Six say that the cable breaks on the ATH-M50. Thirteen want them for the office, and five ask for a closed-back pair. Four weigh the Beyerdynamic DT 770 and two reject Beats.",
  productAngle:
    "Build a closed-back pair for the office at 150 to 300 dollars whose cable does not break, and set it against the ATH-M50, which five own.",
};

Deno.test("what is asked for more often than by others may be led by saying so", () => {
  const led: CardText = {
    ...GOOD,
    summary:
      "20 of the 113 people who ask for headphones want no sound leakage. More often than others, they ask for a closed-back pair (5); four want them light to carry.",
  };
  assertEquals(checkWords(led, FACTS), led);
});

Deno.test("words that say what is counted stand", () => {
  assertEquals(checkWords(GOOD, FACTS), GOOD);
  const more: CardText = {
    ...GOOD,
    summary:
      "More than half of the 20 want them for the office; 25% ask for closed-back ones. Nine are failed by what there is or do without. Two find theirs uncomfortable, three are beginners. Three would pay more. Six say that the cable breaks, more than name any other problem; five ask for closed-back ones, more often than others.",
    productAngle: "Make a comfortable closed-back pair for the office, at about $200.",
  };
  assertEquals(checkWords(more, FACTS), more);
});

Deno.test("a number in the want's own name may stand beside anything that is counted", () => {
  const facts: CardFacts = { ...FACTS, want: { type: "spec", value: "2-person" }, product: "tent" };
  const angle = "Build a closed-back 2-person tent for the office, at the median of $200.";
  const words = {
    title: "2-person tent",
    summary: "20 of the 113 people who ask for a tent want a 2-person one.",
    productAngle: angle,
  };
  assertEquals(checkWords(words, facts), words);
});

Deno.test("a currency may be called by its country's name where sums in it are counted", () => {
  const summary =
    "Twelve name a budget in US dollars, the middle half from $150 to $300 with a median of $200.";
  const [budget] = FACTS.budgets;
  assert(budget !== undefined);
  assertEquals(checkWords({ ...GOOD, summary }, FACTS), { ...GOOD, summary });
  const pounds = { ...FACTS, budgets: [{ ...budget, currency: "gbp" }] };
  assertMatch(String(checkWords({ ...GOOD, summary }, pounds)), /US/);
});

Deno.test("half of the sums may be told to lie between the quartiles, and half of nothing else", () => {
  const summary =
    "Half of the twelve sums that they name lie between $150 and $300; the median is $200.";
  assertEquals(checkWords({ ...GOOD, summary }, FACTS), { ...GOOD, summary });
  for (const wrong of [summary.replace("$150", "$160"), summary.replace("sums", "people")]) {
    assertMatch(String(checkWords({ ...GOOD, summary: wrong }, FACTS)), /^summary/);
  }
});

const REFUSED: readonly [string, Partial<CardText>, RegExp][] = [
  ["a number", { summary: `${GOOD.summary} Eight own one.` }, /number 8/],
  ["a sum", { productAngle: "Build a closed-back pair for the office at 99 dollars." }, /99/],
  ["a thing to build that few ask for", {
    productAngle: "Build a closed-back pair for the office and for beginners.",
  }, /only 3 of 20 state "beginner"/],
  ["another currency", { productAngle: "Build a closed-back pair at 150 to 300 euros." }, /eur/],
  ["a number of another thing", {
    summary: "Thirteen ask for a closed-back pair, and five want them for the office.",
  }, /13/],
  ["one number of several things", {
    summary: "Five each ask for a closed-back pair and for one that is light to carry.",
  }, /number/],
  ["a share", { summary: "Most of them ask for a closed-back pair that leaks no sound." }, /Most/],
  ["a percentage", { summary: "60 percent of them ask for a closed-back pair." }, /60/],
  ["a wrong median", { summary: "12 name a budget; the median is 300 dollars, no less." }, /300/],
  [
    "a year",
    { summary: "20 of the 113 people have asked for this since 2012, and still do." },
    /2012/,
  ],
  [
    "a brand",
    { productAngle: "Set a closed-back pair against the Sony line for the office." },
    /Sony/,
  ],
  ["a property", { productAngle: "Build a waterproof pair that leaks no sound." }, /waterproof/],
  [
    "praise",
    { productAngle: "Build the finest pair that leaks no sound for the office." },
    /finest/,
  ],
  ["advice", { productAngle: "You should build a closed-back pair for the office." }, /reader/],
  [
    "a claim of all",
    { summary: "Everyone of them wants headphones that leak no sound." },
    /Everyone/i,
  ],
  ["a crowd", { summary: "Hundreds of people want headphones that leak no sound." }, /Hundreds/],
  [
    "a link",
    { summary: "They want headphones that leak no sound, see https://evil.example now." },
    /link/,
  ],
  ["a title of something else", { title: "Headphones for the office" }, /want/],
  ["a title without the product", { title: "Leak no sound in the office" }, /product/],
  ["a title of what few state", { title: "Closed-back headphones that leak no sound" }, /Closed/],
  ["an endless summary", { summary: "They want no sound leakage. ".repeat(40) }, /characters/],
  ["nothing", { productAngle: "" }, /characters/],
];

Deno.test("words that say more than what is counted are refused, and why is told", () => {
  for (const [what, over, why] of REFUSED) {
    const result = checkWords({ ...GOOD, ...over }, FACTS);
    assert(typeof result === "string", `${what}: ${JSON.stringify(over)} was let pass`);
    assertMatch(result, why, what);
  }
});

/** As the database gives it back: the same, with its fields in another order. */
function stored<T>(value: T): T {
  const turned = (one: unknown): unknown =>
    Array.isArray(one)
      ? one.map(turned)
      : typeof one === "object" && one !== null
      ? Object.fromEntries(Object.entries(one).reverse().map(([k, v]) => [k, turned(v)]))
      : one;
  return turned(value) as T;
}

Deno.test("words stand as long as today's counts bear them out", () => {
  const words: CardWords = { facts: FACTS, text: GOOD, drafted: GOOD };
  assertEquals(standingWords(null, FACTS), null);
  assert(standingWords(stored(words), FACTS) !== null);
  // Something else is counted more often: nothing that the words say.
  const other = { ...FACTS, wouldPayMore: 4 };
  assertEquals(standingWords(stored(words), other)?.facts, other);
  assertEquals(standingWords(stored(words), { ...FACTS, authors: 21 }), null);
  const fewer = { ...FACTS, failures: [] };
  assertEquals(standingWords(stored(words), fewer), null);
  // What an earlier version let pass of the same counts does not stand.
  const text = { ...GOOD, title: "The best headphones that you can buy" };
  assertEquals(standingWords(stored({ ...words, text }), FACTS), null);
});

Deno.test("refused words stand until there is something else to write from", () => {
  const refused: CardWords = { facts: FACTS, text: null, drafted: GOOD };
  assert(standingWords(stored(refused), FACTS) !== null);
  assertEquals(standingWords(stored(refused), { ...FACTS, cheap: 2 }), null);
  assertEquals(worded(GOOD, refused), GOOD);
});

Deno.test("words of a version that knew no pairs are those of a card of one want", () => {
  const { narrowedBy: _, ...facts } = FACTS;
  const read = readWords(stored({ facts, text: null, drafted: GOOD, later: 1 }));
  assertEquals(read?.facts, FACTS);
  assert(standingWords(read, FACTS) !== null);
  assert(read !== null && "later" in read, "fields that only another version knows are kept");
});
