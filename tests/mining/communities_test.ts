import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { OperatorError } from "../../core/errors.ts";
import { CATEGORY_SLUGS } from "../../mining/categories.ts";
import { builtInRegistry, parseRegistry, uniformPrior } from "../../mining/communities/registry.ts";
import type { CategoryPrior } from "../../mining/types.ts";

const sum = (prior: CategoryPrior) => Object.values(prior).reduce((a, b) => a + b, 0);
const strongest = (prior: CategoryPrior) =>
  Object.entries(prior).reduce((best, next) => next[1] > best[1] ? next : best)[0];

Deno.test("the built-in registry holds 82 communities over all 24 categories", () => {
  const registry = builtInRegistry();
  assertEquals(registry.communities.length, 82);
  assertEquals(registry.categories.map((category) => category.slug), [...CATEGORY_SLUGS]);
  const led = new Set(registry.communities.map((community) => strongest(community.prior)));
  assertEquals(CATEGORY_SLUGS.filter((slug) => !led.has(slug)), []);
});

Deno.test("every prior covers every category, is positive and sums to 1", () => {
  const registry = builtInRegistry();
  for (const { name, prior } of registry.communities) {
    assertEquals(Object.keys(prior), [...CATEGORY_SLUGS], name);
    assert(Object.values(prior).every((share) => share > 0), name);
    assertAlmostEquals(sum(prior), 1, 1e-9);
  }
  assertAlmostEquals(sum(uniformPrior(registry)), 1, 1e-9);
});

Deno.test("a community leans by its weights and leaves a uniform share to all others", () => {
  const registry = parseRegistry("community Coffee kitchen=3 appliances=1\n", "mine.txt");
  const prior = registry.find("Coffee")?.prior ?? {};
  const floor = 0.1 / CATEGORY_SLUGS.length;
  assertAlmostEquals(prior["kitchen"] ?? 0, 0.675 + floor, 1e-9);
  assertAlmostEquals(prior["appliances"] ?? 0, 0.225 + floor, 1e-9);
  assertAlmostEquals(prior["audio"] ?? 0, floor, 1e-9);
});

Deno.test("communities are found whatever the case of their letters", () => {
  const registry = builtInRegistry();
  assertEquals(registry.find("buyitforlife")?.name, "BuyItForLife");
  assertEquals(registry.find("nowhere_at_all"), undefined);
  assert(registry.isCategory("pets"));
  assert(!registry.isCategory("Pets") && !registry.isCategory("constructor"));
});

Deno.test("comments, blank lines, CRLF and a byte order mark are read over", () => {
  const text =
    "\uFEFF# mine\r\n\r\ncommunity knives kitchen=1 # sharp\r\n  community EDC bags=0.5\r\n";
  const registry = parseRegistry(text, "mine.txt");
  assertEquals(registry.communities.map((community) => community.name), ["knives", "EDC"]);
});

Deno.test("category lines replace the built-in categories, wherever they stand", () => {
  const registry = parseRegistry(
    "community tea brewing=2 cups=1\ncategory brewing Brewing at home\ncategory cups Cups\n",
    "mine.txt",
  );
  assertEquals(registry.categories, [
    { slug: "brewing", title: "Brewing at home" },
    { slug: "cups", title: "Cups" },
  ]);
  assertEquals(Object.keys(uniformPrior(registry)), ["brewing", "cups"]);
  assert(!registry.isCategory("kitchen"));
});

const WRONG: readonly [what: string, text: string, line: number, rule: string][] = [
  ["an unknown category", "community knives kitchen=1 cutlery=2", 1, 'unknown category "cutlery"'],
  [
    "a built-in category where the file has its own",
    "category cups Cups\ncommunity tea kitchen=1",
    2,
    'unknown category "kitchen"',
  ],
  ["a duplicate community", "community EDC bags=1\n# x\ncommunity edc bags=1", 3, "given twice"],
  ["a name that is too short", "community x bags=1", 1, "2 to 21"],
  ["a name that is too long", `community ${"a".repeat(22)} bags=1`, 1, "2 to 21"],
  ["a name with a prefix", "community r/EDC bags=1", 1, "2 to 21"],
  ["a community without a name", "community", 1, "2 to 21"],
  ["a community without weights", "community EDC", 1, "at least one slug=weight"],
  ["a weight of zero", "\n\ncommunity EDC bags=0", 3, "above 0"],
  ["a negative weight", "community EDC bags=-1", 1, "above 0"],
  ["a weight that is no number", "community EDC bags=much", 1, "above 0"],
  ["a weight that is infinite", "community EDC bags=Infinity", 1, "above 0"],
  ["an empty weight", "community EDC bags=", 1, "above 0"],
  ["a field without a weight", "community EDC bags", 1, "expected slug=weight"],
  ["a field with two weights", "community EDC bags=1=2", 1, "expected slug=weight"],
  ["a category given twice in one line", "community EDC bags=1 bags=2", 1, "given twice"],
  [
    "an unknown keyword",
    "community EDC bags=1\nsubreddit knives kitchen=1",
    2,
    'found "subreddit"',
  ],
  ["a bad slug", "category Cups Cups\ncommunity tea Cups=1", 1, "a category's slug"],
  ["a category without a title", "category cups\ncommunity tea cups=1", 1, "needs a title"],
  ["a duplicate category", "category cups Cups\ncategory cups Mugs", 2, "given twice"],
  ["an empty file", "", 1, "names no community"],
  ["a file of comments", "# nothing\r\n# here\r\n", 1, "names no community"],
  ["a file of categories alone", "category cups Cups\n", 1, "names no community"],
];

for (const [what, text, line, rule] of WRONG) {
  Deno.test(`${what} is refused with its line and the rule`, () => {
    const error = assertThrows(() => parseRegistry(text, "mine.txt"), OperatorError);
    assert(error.message.startsWith(`mine.txt:${line}: `), error.message);
    assert(error.message.includes(rule), error.message);
  });
}

Deno.test("an error never repeats control characters or long lines of the file", () => {
  const text = `community EDC \u001b[31m${"x".repeat(500)}=1`;
  const error = assertThrows(() => parseRegistry(text, "mine.txt"), OperatorError);
  assert(!error.message.includes("\u001b") && error.message.length < 120, error.message);
});
