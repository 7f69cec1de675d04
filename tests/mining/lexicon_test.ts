import { assert, assertEquals, assertGreater } from "@std/assert";
import { CATEGORIES } from "../../mining/categories.ts";
import { plural } from "../../mining/lexicon/grammar.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import { findNamedKinds } from "../../mining/lexicon/mentions.ts";
import { splitWords } from "../../mining/lexicon/tokens.ts";
import { assertQuick } from "../support/time.ts";

/** The kinds that a text names, in order. */
function kindsIn(text: string): string[] {
  return findNamedKinds(splitWords(text)).map(({ kind }) => kind.name);
}

const names = (kind: string, text: string): boolean => kindsIn(text).includes(kind);

Deno.test("a kind is known in whatever words", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["Looking for in-ear headphones that stay put", "earphones"],
    ["Which IEMs under 80 dollars?", "earphones"],
    ["My third gaming headset has a dead microphone", "gaming headset"],
    ["Recommend me a robot vacuum for dog hair", "robot vacuum"],
    ["Best air fryer for two people?", "air fryer"],
    ["A USB-C dock that drives two screens", "docking station"],
    ["Is there an e-scooter that survives rain?", "e-scooter"],
    ["Weighted blanket that does not overheat me", "weighted blanket"],
    ["CPAP mask that does not leak", "cpap mask"],
    ["Need a standing desk for a tall person", "standing desk"],
    ["What litter box is high enough for a large cat?", "litter box"],
    ["espresso grinder that is quiet in the morning", "coffee grinder"],
    ["Any bras for a wide ribcage?", "bra"],
  ];
  for (const [title, kind] of cases) assert(names(kind, title), `${title}: ${kindsIn(title)}`);
});

Deno.test("what is sold on a shelf of its own is no kind of its neighbour", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["Which heat gun for shrink tubing?", "heat gun"],
    ["A machete for thick brambles?", "machete"],
    ["Which carpet for the stairs?", "carpet"],
    ["Looking for a trail camera that survives frost", "trail camera"],
    ["Which battery charger for AA cells?", "battery charger"],
    ["Which bass guitar for small hands?", "bass guitar"],
  ];
  for (const [title, kind] of cases) assertEquals(kindsIn(title)[0], kind);
});

Deno.test("the longest name wins over the word inside it", () => {
  assertEquals(kindsIn("Looking for a phone case with a grip"), ["phone case"]);
  assertEquals(kindsIn("Which car battery lasts in the cold?"), ["car battery"]);
  assertEquals(kindsIn("Best bike light for dark lanes"), ["bike light"]);
});

Deno.test("an ambiguous word takes the meaning its surroundings give it", () => {
  assert(names("kitchen knife", "Which knife should I buy, to chop onions and to cook?"));
  assert(names("outdoor knife", "Which knife should I buy for bushcraft and survival?"));
  assert(names("bike pedals", "What pedals do you like on a bicycle?"));
  assert(names("guitar pedal", "What pedals do you like for a guitar through a small amp?"));
});

Deno.test("a word that does something is no product", () => {
  const verbs: readonly (readonly [string, string])[] = [
    ["Rain in the hills, anything to watch for?", "watch"],
    ["Who could forge me a garden gate?", "forge"],
    ["Somebody who will ring me when the parcel comes?", "ring"],
    ["Recommend a place to bike with children", "bike"],
    ["How should I dress for a hill walk?", "dress"],
  ];
  for (const [title, wrong] of verbs) assert(!names(wrong, title), title);
  const nouns: readonly (readonly [string, string])[] = [
    ["Which watch for swimming?", "watch"],
    ["Looking for an alternative to watch and phone on one wrist", "watch"],
    ["Your go-to watch under 100?", "watch"],
    ["My watch died, which one next?", "watch"],
    ["Which forge for a beginner?", "forge"],
    ["Recommend a bike for me", "bike"],
    ["A dress for a winter wedding, any ideas?", "dress"],
  ];
  for (const [title, right] of nouns) assert(names(right, title), `${title}: ${kindsIn(title)}`);
});

Deno.test("a word that also names something else takes that meaning where its company says so", () => {
  assert(!names("window", "Windows or a Mac for a small shop?"));
  assert(!names("window", "What do you grease power windows with?"));
  assert(names("window", "Which replacement windows keep the street out?"));
  assert(!names("ring", "What helps against dark rings under the eyes?"));
  assert(!names("rc car", "Where to find a servo for a laser pointer?"));
  assert(names("rc car", "Which servo for my rc truck?"));
  assert(names("car part", "Broken headlamp on my old Volvo, which one fits?"));
  assert(names("headlamp", "Which headlamp for night hikes?"));
});

Deno.test("a word inside a set phrase names no product", () => {
  const none: readonly (readonly [string, string])[] = [
    ["Which oats have a long shelf life?", "shelf"],
    ["When will the new tent hit the shelves?", "shelf"],
    ["Which 1U shelf for my homelab rack?", "shelf"],
    ["Recommendations for glass break alarms?", "alarm clock"],
    ["Our burglar alarm wakes us for nothing, any advice?", "alarm clock"],
    ["Does the alarm of this app snooze on your phone?", "alarm clock"],
    ["Which clock speed do you run?", "alarm clock"],
    ["Which media tank do you use?", "aquarium"],
    ["How to clean a rusty fuel tank?", "aquarium"],
    ["Best camera app?", "camera"],
    ["Which dress shop in the old town?", "dress"],
    ["A good bike shop near the river?", "bike"],
    ["What is your price range?", "stove"],
    ["Which one should I take in any case?", "phone case"],
  ];
  for (const [title, wrong] of none) assert(!names(wrong, title), title);
  const named: readonly (readonly [string, string])[] = [
    ["Which shelf for heavy books?", "shelf"],
    ["Looking for shelves for my living room", "shelf"],
    ["An alarm that will wake a heavy sleeper?", "alarm clock"],
    ["Which clock for the kitchen wall?", "alarm clock"],
    ["Which tank for two goldfish?", "aquarium"],
    ["Recommendations for glass break alarms?", "glass break sensor"],
    ["Which media tank do you use?", "streaming box"],
    ["Which camera for the driveway, against burglars?", "security camera"],
    ["Best case for a Galaxy phone?", "phone case"],
    ["Which dress for a wedding? The shop had none.", "dress"],
  ];
  for (const [title, right] of named) assert(names(right, title), `${title}: ${kindsIn(title)}`);
});

Deno.test("a word that objects have for a name has a plural as others do", () => {
  for (const word of ["constructor", "toString", "magnetic constructor"]) {
    assertEquals(plural(word), `${word}s`);
  }
  assertEquals(plural("bookshelf"), "bookshelves");
});

Deno.test("British and American spellings are one", () => {
  const pairs: readonly (readonly [string, string])[] = [
    ["Which moisturiser for dry skin?", "Which moisturizer for dry skin?"],
    ["A desk organiser that holds A4?", "A desk organizer that holds A4?"],
    ["Which tyres for wet roads?", "Which tires for wet roads?"],
    ["Warm pyjamas for tall people", "Warm pajamas for tall people"],
    ["Where to buy jewellery for sensitive ears?", "Where to buy jewelry for sensitive ears?"],
  ];
  for (const [british, american] of pairs) {
    assertGreater(kindsIn(american).length, 0, american);
    assertEquals(kindsIn(british), kindsIn(american), british);
  }
  assertEquals(
    splitWords("A cruiser on a riser is wiser").word.join(" "),
    "a cruiser on a riser is wiser",
  );
});

Deno.test("hostile text is read in bounded time", async () => {
  const texts = [
    "a".repeat(200_000),
    "best ".repeat(40_000),
    "](".repeat(50_000),
    "http://".repeat(30_000),
    "'’".repeat(50_000),
    "\u2028\u0000\ud800 headphones \ud83d",
    "__proto__ constructor toString hasOwnProperty",
  ];
  for (const text of texts) {
    await assertQuick(2_000, () => kindsIn(text), text.slice(0, 20));
  }
});

Deno.test("the word lists name only kinds and categories that exist", () => {
  assertEquals(lexicon().unknown, []);
  assertGreater(lexicon().kinds.size, 600);
  for (const kind of lexicon().kinds.values()) assert(kind.category in CATEGORIES, kind.name);
  const covered = new Set([...lexicon().kinds.values()].map((kind) => kind.category));
  assertEquals(covered.size, Object.keys(CATEGORIES).length);
});
