import { assertEquals } from "@std/assert";
import { brandSuits } from "../../mining/want/brands.ts";
import type { Pattern } from "../../mining/types.ts";
import { wantOf } from "./want_support.ts";

const brands = (title: string, body = "", pattern: Pattern = "recommendation_request") =>
  wantOf(title, { body, pattern })?.brands.toSorted();

Deno.test("a brand that the post rejects is none of its brands", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["I do not like Asus or Dell.", []],
    ["No Dell (the hinge gave out), thanks.", []],
    ["No Dell, Asus or Acer.", []],
    ["No Dell, Asus is fine.", ["Asus"]],
    ["Anything but an Acer.", []],
    ["I would never buy another Acer, my sister has a Dell.", ["Dell"]],
    ["Please, never again MSI.", []],
    ["Dell, never again.", []],
    ["She uses an Acer at the moment and hates it.", []],
    ["She uses an Acer with an AMD inside and hates it.", []],
    ["Any reason not to buy a Dell?", ["Dell"]],
    ["Should I avoid Dell?", ["Dell"]],
    ["I avoid Dell.", []],
    ["I'd take a Dell instead of an Asus.", ["Dell"]],
    ["Other than Dell I am open to all.", []],
    ["Why not Dell or Asus?", ["Asus", "Dell"]],
    ["Dell or Asus, and not too heavy.", ["Asus", "Dell"]],
    ["I have no preference between Dell and Asus.", ["Asus", "Dell"]],
    ["I want no noise. Dell looks good.", ["Dell"]],
    ["It does not have to be a Dell.", ["Dell"]],
  ];
  for (const [body, expected] of cases) {
    assertEquals(brands("Which laptop should I get?", body), expected, body);
  }
});

Deno.test("a brand complained of stays where the post is a complaint", () => {
  const body = "I hate my Dell.";
  assertEquals(brands("My laptop died again", body, "frustration"), ["Dell"]);
  assertEquals(brands("My laptop died again", body, "repeat_failure"), ["Dell"]);
  assertEquals(brands("Which laptop next?", body, "replacement_hunt"), []);
});

Deno.test("a brand counts beside kinds of the categories it is known for", () => {
  const suits = (name: string, kind: string, category: string) =>
    brandSuits(name, { name: kind, category });
  assertEquals(suits("Google", "phone", "phones-wearables"), true);
  assertEquals(suits("Google", "bookshelf", "home-furnishings"), false);
  assertEquals(suits("Sennheiser", "earphones", "audio"), true);
  // Whose car or phone it is for, not who makes it.
  assertEquals(suits("Mazda", "car battery", "automotive"), false);
  assertEquals(suits("Mazda", "car", "automotive"), true);
  assertEquals(suits("Galaxy", "phone case", "phones-wearables"), false);
  assertEquals(suits("Nobody Knows It", "phone", "phones-wearables"), false);
});
