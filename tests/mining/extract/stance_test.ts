import { assertEquals } from "@std/assert";
import { DENIED, LINE, stanceOf } from "../../../mining/extract/stance.ts";
import { tokenize } from "../../../mining/extract/tokens.ts";

/** How the word is denied in a post of these words. */
function deniedIn(body: string, word: string): number {
  const tokens = tokenize({ title: "A post", body });
  return stanceOf(tokens).denied[tokens.word.indexOf(word)]! & 3;
}

Deno.test("what a clause says is not needed is told from what it asks to be without", () => {
  const said: readonly [string, string, number][] = [
    ["I don't need a mouse with it.", "mouse", DENIED.unneeded],
    ["Mouse not needed.", "mouse", DENIED.after],
    ["Long battery isn't a priority for me.", "battery", DENIED.after],
    ["An iPod dock is not really needed.", "dock", DENIED.after],
    ["A fan would be unnecessary.", "fan", DENIED.after],
    ["I do not want lights on it.", "lights", DENIED.before],
    ["No 17 inch ones.", "inch", DENIED.before],
    ["It must have a fan.", "fan", DENIED.none],
  ];
  for (const [body, word, denied] of said) assertEquals(deniedIn(body, word), denied, body);
});

Deno.test("a denial ends with its clause", () => {
  assertEquals(deniedIn("I don't need a mouse, a keyboard would be great.", "keyboard"), 0);
  assertEquals(deniedIn("It need not be cheap but quiet.", "quiet"), DENIED.none);
  assertEquals(deniedIn("The sound is no priority because I want a small one.", "small"), 0);
});

Deno.test("a denial runs over the short parts of a list", () => {
  const body = "Please no buckles, metal clasps, straps or velcro, I want laces.";
  for (const word of ["buckles", "clasps", "straps", "velcro"]) {
    assertEquals(deniedIn(body, word), DENIED.before, word);
  }
  assertEquals(deniedIn(body, "laces"), DENIED.none);
});

Deno.test("lines of parts lists and lists of choices are told from sentences", () => {
  const body = [
    "CPU | Intel i5-3570K 3.4GHz | $199.99",
    "Sapphire RX480 8GB",
    "Case: $40 used",
    "Gaming/CAD/video/photos?",
    "I would like something that lasts.",
  ].join("\n");
  const tokens = tokenize({ title: "A build", body });
  assertEquals([...stanceOf(tokens).lines], [
    LINE.plain,
    LINE.table,
    LINE.models,
    LINE.price,
    LINE.choices,
    LINE.plain,
  ]);
});
