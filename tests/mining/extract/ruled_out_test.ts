/** What a post rules out of what it speaks of. */
import { assert, assertEquals } from "@std/assert";
import { Lexemes } from "../../../mining/classify/lexemes.ts";
import { ruledOutOf } from "../../../mining/extract/mod.ts";
import { groundsOf, readRuledOut } from "../../../mining/extract/ruled_out.ts";
import { learnLexemes } from "../../../tasks/train/facts/lexemes.ts";

const ruledOut = (body: string, word: string): boolean =>
  !ruledOutOf({ title: "Which laptop should I buy", body }).said.includes(word);

Deno.test("what an author denies to want is ruled out", () => {
  for (
    const body of [
      "Just for school: no gaming, no video calls.",
      "I don't care about gaming or watching films on it.",
      "It's not for gaming.",
      "I won't be gaming on it.",
      "Gaming isn't a priority.",
      "I do not need it for gaming.",
      "I have no interest in gaming.",
    ]
  ) assert(ruledOut(body, "aming"), body);
});

Deno.test("who is no fan of something rules that out, and no fan", () => {
  for (const body of ["I'm not a big fan of leather.", "I am not a fan of leather"]) {
    assert(ruledOut(body, "leather"), body);
    assert(!ruledOut(body, "fan"), body);
  }
  assert(ruledOut("I don't want a fan in it.", "fan"));
});

Deno.test("what is complained of, sought in vain or asked of the product is wanted", () => {
  for (
    const body of [
      "I can't find a good gaming laptop.",
      "My old one is not gaming material.",
      "I'm not sure which gaming laptop to get.",
      "I don't want to spend much on a gaming laptop.",
      "There are no gaming laptops with a matte screen.",
      "Looking for one that doesn't lag when gaming.",
      "Gaming on the train.",
    ]
  ) assert(!ruledOut(body, "aming"), body);
});

Deno.test("a label that is answered with a denial states nothing, one that is answered with a measure does", () => {
  for (const answer of ["none", "No.", "n/a", "not really"]) {
    assert(ruledOut(`Size: any\nGaming at high settings: ${answer}`, "Gaming"), answer);
  }
  assert(ruledOut("Low noise vs High performance: performance", "noise"));
  assert(!ruledOut("Weight of the thing: under 4 pounds", "Weight"));
  assert(!ruledOut("Gaming: yes, some", "Gaming"));
});

Deno.test("of what a form offers the answer alone is said", () => {
  const form = "LAPTOP QUESTIONNAIRE\n* OS preference (Windows/Mac/Linux): Windows 8";
  assert(ruledOut(form, "Linux"));
  assert(!ruledOut(form, "Windows 8"));
});

Deno.test("what is left keeps its place, with the words that are said elsewhere, too", () => {
  const post = { title: "A quiet laptop", body: "No gaming.\nMy brother is into gaming." };
  const { said, words, saidWords } = ruledOutOf(post);
  assertEquals(said, "A quiet laptop\nNo       .\nMy brother is into gaming.");
  assert(words.has("gaming") && saidWords.has("gaming"));
});

Deno.test("lines that a post quotes are not its author's, and rule nothing out", () => {
  for (const mark of [">", "&gt;", "  > "]) {
    const body = `${mark}Any preference, such as a window?\n\nIt should be black.`;
    const { said, words, unsaidWords } = ruledOutOf({ title: "A pc for games", body });
    assert(!said.includes("window") && said.includes("It should be black."), mark);
    assertEquals(said.length, "A pc for games\n".length + body.length);
    assert(unsaidWords.has("window") && !words.has("window"), mark);
  }
  // A line separator, which occurs in real posts, begins no line.
  const { said, saidWords } = ruledOutOf({ title: "A pc", body: "Black.\u2028> A window" });
  assert(said.includes("window") && saidWords.has("window"));
});

Deno.test("what a form offers as examples behind its label is not its author's", () => {
  const form = "Extras you need: (e.g. card slot, matte cover, spare battery, second lamp, etc.)";
  const post = (answer: string) => ({
    title: "A laptop for school",
    body: `${form}\n${answer}`,
    community: "laptops",
  });
  const read = (answer: string, posts: readonly ReturnType<typeof post>[]) =>
    readRuledOut(post(answer), groundsOf(post(answer), new Lexemes(learnLexemes(posts))));
  const posts = ["None.", "A lamp.", "I need two.", "All of it.", "No idea."].map(post);
  const { said, words, unsaidWords, saidWords } = read("Only a card slot.", posts);
  assert(!said.includes("matte") && said.endsWith("Only a card slot."));
  assert(unsaidWords.has("matte") && !words.has("matte") && !saidWords.has("matte"));
  // Four posts are no form.
  assert(read("Only a card slot.", posts.slice(1)).said.includes("matte cover"));
});

Deno.test("a form's label that is answered with a denial is ruled out, another one only not said", () => {
  const of = (answer: string) =>
    ruledOutOf({ title: "A laptop", body: `Gaming vs work: ${answer}` });
  assert(of("none").words.has("gaming"));
  const { words, unsaidWords } = of("work");
  assert(unsaidWords.has("gaming") && !words.has("gaming"));
});
