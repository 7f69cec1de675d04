import { assertEquals } from "@std/assert";
import { createRecentMap, createRecentSet, remembered } from "../../core/recent.ts";

Deno.test("a recent map keeps the newest, and twice as many at most", () => {
  const map = createRecentMap<number>(3);
  for (let i = 0; i < 100; i++) map.set(`k${i}`, i);
  assertEquals(["k97", "k98", "k99"].map(map.get), [97, 98, 99]);
  const known = Array.from({ length: 100 }, (_, i) => map.has(`k${i}`)).filter((is) => is);
  assertEquals(known.length <= 6, true);
});

Deno.test("to get an entry keeps it, to look whether it is there does not", () => {
  const left = (use: (map: ReturnType<typeof createRecentMap<number>>) => unknown): boolean => {
    const map = createRecentMap<number>(2);
    map.set("a", 1);
    for (let i = 0; i < 10; i++) {
      map.set(`other ${i}`, i);
      use(map);
    }
    return map.has("a");
  };
  assertEquals(left((map) => map.get("a")), true);
  assertEquals(left((map) => map.has("a")), false);
});

Deno.test("a deleted entry is gone, however long it was there", () => {
  const map = createRecentMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("c", 3);
  map.delete("a");
  map.delete("c");
  assertEquals(["a", "b", "c"].map(map.get), [undefined, 2, undefined]);
});

Deno.test("a recent set knows what was added of late", () => {
  const set = createRecentSet(2);
  set.add("a");
  assertEquals([set.has("a"), set.has("b")], [true, false]);
  for (const value of ["c", "d", "e", "f"]) set.add(value);
  assertEquals([set.has("a"), set.has("f")], [false, true]);
});

Deno.test("what is remembered is bounded, and asked for again once it is forgotten", () => {
  const made: string[] = [];
  const length = remembered(2, (text) => made.push(text) && text.length);
  assertEquals(["a", "bb", "a", "ccc", "a"].map(length), [1, 2, 1, 3, 1]);
  assertEquals(made, ["a", "bb", "ccc"]);
  ["d", "e", "f", "g"].forEach(length);
  length("a");
  assertEquals(made.filter((text) => text === "a").length, 2);
});
