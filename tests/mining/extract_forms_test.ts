import { assertEquals } from "@std/assert";
import { formLabels, labelHash, labelOf } from "../../mining/extract/forms.ts";
import { learnForms } from "../../tasks/train/facts/forms.ts";

const filled = (n: number, community: string) => ({
  title: `Which one, asks number ${n}?`,
  body: `**Favourite colour (any of ours):** number ${n}\nMy own words ${n}.\nThanks in advance!`,
  community,
});

Deno.test("lines that many posts of one community share are a form's labels, sayings of all are not", () => {
  const posts = Array.from({ length: 12 }, (_, n) => filled(n, n < 9 ? "painters" : `other${n}`));
  const hash = (words: string): string => (labelHash(words) >>> 0).toString(16).padStart(8, "0");
  const text = learnForms(posts.slice(0, 9));
  assertEquals(text.includes(hash("favourite colour any of ours")), true);
  assertEquals(text.includes(hash("my own words 1")), false);
  const everywhere = Array.from({ length: 12 }, (_, n) => filled(n, `community${n}`));
  assertEquals(learnForms(everywhere).includes(hash("thanks in advance")), false);
  // Too few posts of a community say it.
  assertEquals(learnForms(posts.slice(0, 3)).includes(hash("favourite colour any of ours")), false);
});

Deno.test("a label ends at its colon, and the answer is the author's own", () => {
  assertEquals(labelOf("**Favourite colour (any):** red"), {
    end: 24,
    key: "favourite colour any",
  });
  assertEquals(labelOf("no mark at all").end, "no mark at all".length);
  assertEquals(formLabels("A title: with a colon\nand words of my own"), []);
  assertEquals(formLabels(""), []);
});
