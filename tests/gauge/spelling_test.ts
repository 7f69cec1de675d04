import { assertEquals } from "@std/assert";
import { compounds, meantWord, withoutMistake } from "../../gauge/words/spelling.ts";

Deno.test("a slip of the keyboard is read as the word that was meant", () => {
  assertEquals(["keybord", "headphnes", "cordles"].map(meantWord), [
    "keyboard",
    "headphones",
    "cordless",
  ]);
});

Deno.test("a word that is made of a known one is none", () => {
  for (const word of ["sleepy", "grippy", "greenish", "noiseless", "unscented"]) {
    assertEquals(meantWord(word), word);
  }
});

Deno.test("an ending that sounds alike is a mistake where its stem is another word's", () => {
  const read = (word: string, stem: string) => withoutMistake(word, [stem]);
  assertEquals(read("reciever", "reciev"), "receiver");
  assertEquals(read("projecter", "project"), "projector");
  assertEquals(read("retractible", "retract"), "retractable");
  // Words that are stems themselves are heard or not as they are.
  for (const word of ["altar", "hangar", "poler", "currant", "stickier", "juicier", "projector"]) {
    assertEquals(read(word, word), word);
  }
});

Deno.test("a short word lacks one letter of a product's name, or is meant as it is", () => {
  assertEquals(["kyak", "tetn", "zogs", "bdel"].map(meantWord), ["kayak", "tent", "zogs", "bdel"]);
});

Deno.test("of names that a slip is as near to, an ordinary word is meant", () => {
  assertEquals(meantWord("vaccum"), "vacuum");
  assertEquals(meantWord("trimer"), "trimmer");
});

Deno.test("a word that is made of another one is meant as it is written", () => {
  for (const word of ["noiseless", "crushproof", "unscented", "lintfree", "ultrathin", "bathers"]) {
    assertEquals(meantWord(word), word);
  }
});

Deno.test("a rare word is not meant where one that everybody uses is as near", () => {
  assertEquals(["collage", "burgler"].map(meantWord), ["college", "burglar"]);
});

Deno.test("a verb with its particle is no compound", () => {
  const words = (text: string) => compounds(text.split(" "));
  assertEquals(words("you plug in at night"), ["you", "plug", "in", "at", "night"]);
  assertEquals(words("an air plug in"), ["an", "air", "plugin"]);
});

Deno.test("how often is no compound, and part of a name is one", () => {
  const words = (text: string) => compounds(text.split(" "));
  assertEquals(words("use every day in rain"), ["use", "every", "day", "in", "rain"]);
  assertEquals(words("to work every day"), ["to", "work", "every", "day"]);
  assertEquals(words("every day carry"), ["everyday", "carry"]);
});
