import { assertEquals } from "@std/assert";
import { meantWord } from "../../gauge/words/spelling.ts";

Deno.test("a slip of the keyboard is read as the word that was meant", () => {
  assertEquals(["keybord", "headphnes", "cordles"].map(meantWord), [
    "keyboard",
    "headphones",
    "cordless",
  ]);
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
