import { assertEquals } from "@std/assert";
import { splitWords } from "../../mining/want/tokens.ts";
import { wantOf } from "./want_support.ts";

const kind = (title: string, body = "", community = "somewhere"): string | undefined =>
  wantOf(title, { body, community })?.kind;

Deno.test("a word that does something is no product", () => {
  const verbs: readonly (readonly [string, string])[] = [
    ["Rain in the hills, anything to watch for?", "watch"],
    ["Who could forge me a garden gate?", "forge"],
    ["Somebody who will ring me when the parcel comes?", "ring"],
    ["Recommend a place to bike with children", "bike"],
    ["How should I dress for a hill walk?", "dress"],
  ];
  for (const [title, wrong] of verbs) assertEquals(kind(title) === wrong, false, title);
  const nouns: readonly (readonly [string, string])[] = [
    ["Which watch for swimming?", "watch"],
    ["Looking for an alternative to watch and phone on one wrist", "watch"],
    ["Your go-to watch under 100?", "watch"],
    ["My watch died, which one next?", "watch"],
    ["Which forge for a beginner?", "forge"],
    ["Recommend a bike for me", "bike"],
    ["A dress for a winter wedding, any ideas?", "dress"],
  ];
  for (const [title, right] of nouns) assertEquals(kind(title), right, title);
});

Deno.test("a word that also names something else takes that meaning where its company says so", () => {
  assertEquals(kind("Windows or a Mac for a small shop?") === "window", false);
  assertEquals(kind("What do you grease power windows with?") === "window", false);
  assertEquals(kind("Which replacement windows keep the street out?"), "window");
  assertEquals(kind("What helps against dark rings under the eyes?") === "ring", false);
  assertEquals(kind("Where to find a servo for a laser pointer?") === "rc car", false);
  assertEquals(kind("Which servo for my rc truck?"), "rc car");
  assertEquals(kind("Broken headlamp on my old Volvo, which one fits?"), "car part");
  assertEquals(kind("Which headlamp for night hikes?"), "headlamp");
});

Deno.test("a word inside a set phrase names no product", () => {
  const none: readonly (readonly [string, string])[] = [
    ["Which oats have a long shelf life?", "bookshelf"],
    ["When will the new tent hit the shelves?", "bookshelf"],
    ["Which 1U shelf for my homelab rack?", "bookshelf"],
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
  for (const [title, wrong] of none) assertEquals(kind(title) === wrong, false, title);
  const named: readonly (readonly [string, string])[] = [
    ["Which shelf for heavy books?", "bookshelf"],
    ["Looking for shelves for my living room", "bookshelf"],
    ["An alarm that will wake a heavy sleeper?", "alarm clock"],
    ["Which clock for the kitchen wall?", "alarm clock"],
    ["Which tank for two goldfish?", "aquarium"],
    ["Recommendations for glass break alarms?", "home alarm"],
    ["Which media tank do you use?", "streaming box"],
    ["Which camera for the driveway, against burglars?", "security camera"],
    ["Best case for a Galaxy phone?", "phone case"],
    ["Which dress for a wedding? The shop had none.", "dress"],
  ];
  for (const [title, right] of named) assertEquals(kind(title), right, title);
});

Deno.test("British and American spellings want the same", () => {
  const pairs: readonly (readonly [string, string])[] = [
    ["Which moisturiser for dry skin?", "Which moisturizer for dry skin?"],
    ["A desk organiser that holds A4?", "A desk organizer that holds A4?"],
    ["Which tyres for wet roads?", "Which tires for wet roads?"],
    ["Warm pyjamas for tall people", "Warm pajamas for tall people"],
    ["Where to buy jewellery for sensitive ears?", "Where to buy jewelry for sensitive ears?"],
    ["Best whisky as a gift?", "Best whiskey as a gift?"],
  ];
  for (const [british, american] of pairs) {
    const wanted = wantOf(american);
    assertEquals(wanted === null, false, american);
    assertEquals(wantOf(british), wanted, british);
  }
  assertEquals(
    splitWords("A cruiser on a riser is wiser", "").word.join(" "),
    "a cruiser on a riser is wiser",
  );
});

Deno.test("smell and rust are needs of their own, and no deodorant is asked not to smell", () => {
  assertEquals(wantOf("Running shoes that do not stink after a week")?.need, "odor");
  assertEquals(wantOf("Looking for a garden tool that will not rust")?.need, "rust");
  assertEquals(wantOf("A deodorant, because my armpits stink")?.need, null);
  assertEquals(wantOf("Which water bottle is easy to clean?")?.need, "easy-clean");
});

Deno.test("what lights close work is asked for by that work", () => {
  assertEquals(wantOf("Which lamp for embroidery?")?.need, "close-work");
  assertEquals(wantOf("Which lamp for the hall?")?.need, null);
});
