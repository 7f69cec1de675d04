import { assertEquals, assertNotEquals } from "@std/assert";
import { textKey } from "../../mining/text_key.ts";

const BODY = "I bought three of these kettles and every one of them started to leak at the seam. " +
  "Is there a kettle that simply does not leak after half a year of daily use in a small kitchen?";

Deno.test("a cross-post shares the key of the text it repeats", () => {
  const key = textKey("My kettle leaks again", BODY);
  assertEquals(textKey("My kettle leaks again", BODY), key);
  assertEquals(textKey("My kettle leaks again (x-post from r/kitchen)", BODY), key);
  assertEquals(textKey("MY KETTLE LEAKS, again!", `${BODY}\n\nhttps://example.com/photo`), key);
});

Deno.test("two people who say a similar thing keep keys of their own", () => {
  const other = BODY.replace("three of these kettles", "my second travel kettle last spring")
    .replace("simply does not leak", "keeps its seams tight");
  assertNotEquals(textKey("Kettle trouble", other), textKey("My kettle leaks again", BODY));
  assertNotEquals(textKey("a", ""), textKey("b", ""));
});

Deno.test("texts without words have a key too", () => {
  assertEquals(textKey("", ""), textKey("!!!", "…"));
});
