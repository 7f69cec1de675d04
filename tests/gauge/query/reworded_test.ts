/** Products that a query calls otherwise than the word lists do. */
import { assertEquals } from "@std/assert";
import { findKinds } from "../../../gauge/query/kinds.ts";
import { asNamed } from "../../../gauge/query/reworded.ts";
import { compounds } from "../../../gauge/words/spelling.ts";

const named = (query: string): string => asNamed(query.split(" "), findKinds).join(" ");

const assertNamed = (cases: readonly (readonly [string, string])[]): void => {
  for (const [query, name] of cases) assertEquals(named(query), name, query);
};

Deno.test("a name whose words stand apart is put together", () =>
  assertNamed([
    ["speakers for my car", "car speakers"],
    ["board to cut on", "cutting board"],
    ["gloves that are good for gardening", "gardening gloves"],
    ["tape i can use for packing", "packing tape"],
    ["how to mount speakers for my car", "how to mount car speakers"],
    ["machine to clean brushes", "brush cleaner"],
    // What is skipped goes without saying of a desk chair.
    ["chair for sitting at a computer desk", "desk chair"],
    ["a good chair to sit on at my computer desk", "a good desk chair"],
    ["knife for camping or survival", "knife for camping or survival"],
    // It is more than the name says, or another thing.
    ["chair for cold nights at a desk", "chair for cold nights at a desk"],
    ["sleeping bag for camping", "sleeping bag for camping"],
    ["bag for trips without my laptop", "bag for trips without my laptop"],
  ]));

Deno.test("a word that says only of what sort a product is leaves its name", () =>
  assertNamed([
    ["messenger style bag", "messenger bag"],
    ["courier style shoulder bag", "courier shoulder bag"],
    ["retro style bag", "retro style bag"],
  ]));

Deno.test("who wants a first product, or is new to it, asks for one for beginners", () =>
  assertNamed([
    ["my first kayak", "my beginner kayak"],
    ["somebody new to archery", "somebody beginner to archery"],
    ["the first laptop with two screens", "the first laptop with two screens"],
    ["first aid kit", "first aid kit"],
    ["a lamp that is new to the market", "a lamp that is new to the market"],
    ["something new to wear", "something new to wear"],
    ["a new kayak", "a new kayak"],
  ]));

Deno.test("a name of queries alone may be written together", () => {
  assertEquals(compounds(["snorkelmask"]), ["snorkel", "mask"]);
  assertEquals(compounds(["snorkelmasks"]), ["snorkel", "masks"]);
  assertEquals(compounds(["zorbatmask"]), ["zorbatmask"]);
});

Deno.test("a word of a kind's name makes no compound with the word behind it", () => {
  assertEquals(compounds(["christmas", "tree", "stand"]), ["christmas", "tree", "stand"]);
  assertEquals(compounds(["tree", "stand"]), ["treestand"]);
  assertEquals(compounds(["car", "sub", "woofer"]), ["car", "subwoofer"]);
});
