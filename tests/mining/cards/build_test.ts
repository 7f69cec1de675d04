import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ShownStatement } from "../../../db/corpus/want_counts.ts";
import { buildCard, type CardDraft, type ShownWant } from "../../../mining/cards/build.ts";
import { Counts } from "../../../mining/opportunities/counts.ts";

const DAY = new Date("2026-11-01T00:00:00Z");

const counts = (rows: readonly (readonly [string, string, number])[]): Counts =>
  new Counts(rows.map(([type, value, authors]) => ({ wantId: "w", type, value, authors })));

/** A post that states the want this surely, and these other things plainly. */
function statement(
  n: number,
  {
    sure = 0.9,
    shown = 800,
    also = [["problem", "leaks water"], [
      "spec",
      "1.7 l",
    ]] as readonly (readonly [string, string])[],
    before = `${n}\n`,
    quote = `I want a quiet kettle, says ${n}.`,
  } = {},
): ShownStatement {
  return {
    wantId: "w",
    postId: `p${n}`,
    shown,
    text: before + quote,
    quote,
    start: before.length,
    permalink: `https://example.test/${n}`,
    community: "Kitchen",
    upvotes: n,
    createdAt: DAY,
    facts: [["attribute", "quiet"] as const, ...also].map(([type, value], i) => ({
      type,
      value,
      start: before.length + quote.indexOf("quiet"),
      end: before.length + quote.indexOf("quiet") + 5,
      certainty: i === 0 ? sure : 0.9,
    })),
  };
}

/** Ten want a quiet kettle; four of them are failed by leaks, four want 1.7 l, three want it fast, three own a tefal. */
const ROWS = [
  ["pattern", "unmet_need", 10],
  ["attribute", "quiet", 10],
  ["attribute", "fast", 3],
  ["spec", "1.7 l", 4],
  ["problem", "leaks water", 4],
  ["owned", "tefal", 3],
  ["owned", "1.7l kettle", 3],
  ["product", "kettle", 10],
] as const;

const MARKET = [
  ["pattern", "unmet_need", 60],
  ["attribute", "quiet", 10],
  ["attribute", "fast", 6],
  ["spec", "1.7 l", 9],
] as const;

const want = (shown: readonly ShownStatement[], own = counts(ROWS)): ShownWant => ({
  kind: "kettle",
  value: "quiet",
  authors: 10,
  own,
  market: counts(MARKET),
  anything: counts([["pattern", "unmet_need", 60]]),
  products: new Set(),
  size: { wantId: "w", firstSeen: DAY, lastSeen: DAY, days7: 0, days28: 0, authorsKnown: true },
  shown,
  showings: [],
});

Deno.test("a card's words tell what at least two of the posts shown state; its facts count all", () => {
  const card = buildCard(
    want([
      statement(1, { also: [["problem", "leaks water"], ["spec", "1.7 l"], ["owned", "tefal"]] }),
      statement(2, { also: [["problem", "leaks water"], ["attribute", "fast"]] }),
      statement(3),
      statement(4),
    ]),
    DAY,
  );
  assert(card !== null);
  assertStringIncludes(card.summary, "“leaks water” (4+ people)");
  assert(!/fast|tefal/i.test(`${card.summary} ${card.productAngle}`), card.summary);
  assertEquals(card.facts.alsoWanted.map(({ value }) => value), ["1.7 l", "fast"]);
  assertEquals(card.facts.brands.owned, [{ name: "tefal", authors: 3 }]);
});

Deno.test("a post that states the want with little certainty is counted, and not shown", () => {
  const sure = [1, 2, 3, 4].map((n) => statement(n));
  const card = buildCard(want([...sure, statement(5, { sure: 0.45, shown: 999 })]), DAY);
  assertEquals(card?.evidenceIds.includes("p5"), false);
  assertEquals(card?.signalCount, 10);
});

Deno.test("two things that the words tell teach as much as a gap, and one does not", () => {
  const own = counts([
    ["pattern", "unmet_need", 10],
    ["attribute", "quiet", 10],
    ["attribute", "fast", 4],
    ["spec", "1.7 l", 4],
    ["product", "kettle", 10],
  ]);
  const market = counts([
    ["pattern", "unmet_need", 60],
    ["attribute", "quiet", 10],
    ["attribute", "fast", 18],
    ["spec", "1.7 l", 18],
  ]);
  const saying = (also: readonly (readonly [string, string])[]): ShownStatement[] =>
    [1, 2, 3, 4].map((n) => statement(n, { also }));
  const card = (also: readonly (readonly [string, string])[]): CardDraft | null =>
    buildCard({ ...want(saying(also), own), market }, DAY);
  assert(card([["spec", "1.7 l"], ["attribute", "fast"]]) !== null);
  assertEquals(card([["spec", "1.7 l"]]), null);
});

Deno.test("a want of which the reader is unsure in most posts is no card", () => {
  const sure = [1, 2, 3, 4].map((n) => statement(n, { sure: 0.6 }));
  const unsure = [5, 6, 7, 8, 9].map((n) => statement(n, { sure: 0.35 }));
  assert(buildCard(want([...sure, ...unsure.slice(0, 2)]), DAY) !== null);
  assertEquals(buildCard(want([...sure, ...unsure]), DAY), null);
});

Deno.test("a want that few of those who seem to state it show is no card", () => {
  const shown = [1, 2, 3, 4].map((n) => statement(n));
  const others = Array.from({ length: 13 }, (_, i) => statement(5 + i, { shown: 300 }));
  assert(buildCard(want([...shown, ...others.slice(1)]), DAY) !== null);
  assertEquals(buildCard(want([...shown, ...others]), DAY), null);
});

Deno.test("the surest posts are shown before those whose sentence is a little plainer", () => {
  const plain = [1, 2, 3, 4, 5, 6].map((n) => statement(n, { sure: 0.72, shown: 850 }));
  const sure = [7, 8, 9, 10].map((n) => statement(n, { sure: 0.92, shown: 800 }));
  const card = buildCard(want([...plain, ...sure]), DAY);
  assertEquals(card?.evidenceIds.slice(0, 4).sort(), ["p10", "p7", "p8", "p9"]);
});

Deno.test("a want that fewer than four posts show surely is no card", () => {
  const three = [1, 2, 3].map((n) => statement(n));
  assertEquals(buildCard(want([...three, statement(4, { sure: 0.45 })]), DAY), null);
  assert(buildCard(want([...three, statement(4)]), DAY) !== null);
});

Deno.test("a name that says no more than the kind or its size is no product that they own", () => {
  const card = buildCard(want([1, 2, 3, 4].map((n) => statement(n))), DAY);
  assertEquals(card?.facts.brands.owned.map(({ name }) => name), ["tefal"]);
});

Deno.test("answers to a community's form are counted, and not shown", () => {
  const plain = [1, 2, 3, 4].map((n) => statement(n));
  const answers = [
    statement(5, { quote: "**Preferred noise level** - quiet, please" }),
    statement(6, { quote: "Preferred noise level - a quiet kettle" }),
    statement(7, { before: "7\n>What must it be?\n\n", quote: "It must be quiet." }),
    statement(8, { before: "8\n**What must it be?**\n", quote: "A quiet kettle." }),
  ];
  assertEquals(
    buildCard(want([...plain, ...answers]), DAY)?.evidenceIds.toSorted(),
    ["p1", "p2", "p3", "p4"],
  );
  // A label of one's own is none of a form.
  const own = statement(5, { quote: "My dream: a quiet kettle" });
  assertEquals(buildCard(want([...plain, own]), DAY)?.evidenceIds.includes("p5"), true);
});

Deno.test("a post that would take one thing or another does not show the want of one", () => {
  const card = buildCard(
    want([
      ...[1, 2, 3, 4].map((n) => statement(n)),
      statement(5, { quote: "A fast or quiet kettle" }),
      statement(6, { quote: "A quiet or fast kettle" }),
    ]),
    DAY,
  );
  assertEquals(card?.evidenceIds.length, 4);
});

Deno.test("a quote asks: one that names the product and the want, and asks for nothing, is not shown", () => {
  const card = buildCard(
    want([...[1, 2, 3, 4].map((n) => statement(n)), statement(5, { shown: 540 })]),
    DAY,
  );
  assertEquals(card?.evidenceIds.includes("p5"), false);
});

Deno.test("what a form's passage says is nobody's own words, and is neither told nor counted", () => {
  const form = "List what is critical (e.g. 1.7 l, a whistle): none";
  const card = buildCard(
    want([1, 2, 3, 4].map((n) => {
      const one = statement(n, { before: `${form}\n${n}\n` });
      const at = one.text.indexOf("1.7 l");
      const facts = one.facts.map((fact) =>
        fact.value === "1.7 l" ? { ...fact, start: at, end: at + 5 } : fact
      );
      return { ...one, facts };
    })),
    DAY,
  );
  assertEquals(card?.facts.alsoWanted.map(({ value }) => value), ["fast"]);
});

Deno.test("the product's own name is none of its properties", () => {
  const lamp = (n: number): ShownStatement => {
    const one = statement(n, { quote: `A quiet water kettle light, says ${n}.` });
    const at = one.text.indexOf("light");
    return {
      ...one,
      facts: one.facts.map((fact) =>
        fact.value === "1.7 l"
          ? { ...fact, type: "attribute", value: "fast", start: at, end: at + 5 }
          : fact
      ),
    };
  };
  const shown = [1, 2, 3, 4].map(lamp);
  const also = (own: Counts): readonly string[] | undefined =>
    buildCard(want(shown, own), DAY)?.facts.alsoWanted.map(({ value }) => value);
  assertEquals(also(counts(ROWS)), ["1.7 l", "fast"]);
  assertEquals(also(counts([...ROWS, ["product", "tea light", 9]])), ["1.7 l"]);
});

Deno.test("a product that is weighed has a name", () => {
  const weighing = (words: string): ShownStatement[] =>
    [1, 2, 3, 4].map((n) => {
      const one = statement(n, { quote: `A quiet kettle like ${words}, says ${n}.` });
      const at = one.text.indexOf(words);
      const rival = {
        type: "owned",
        value: "tefal",
        start: at,
        end: at + words.length,
        certainty: 0.9,
      };
      return { ...one, facts: [...one.facts, rival] };
    });
  const owned = (words: string): readonly string[] | undefined =>
    buildCard(want(weighing(words)), DAY)?.facts.brands.owned.map(({ name }) => name);
  assertEquals(owned("a Glimmo"), ["tefal"]);
  assertEquals(owned("a stove"), []);
});

Deno.test("a rival is no product of another kind", () => {
  const own = counts([...ROWS, ["considered", "rival", 3]]);
  const weighing = (words: string): readonly string[] | undefined =>
    buildCard(
      want(
        [1, 2, 3, 4].map((n) => {
          const one = statement(n, { quote: `A quiet kettle or ${words}, says ${n}.` });
          const s = one.text.indexOf(words);
          const rival = {
            type: "considered",
            value: "rival",
            start: s,
            end: s + words.length,
            certainty: 0.9,
          };
          return { ...one, facts: [...one.facts, rival] };
        }),
        own,
      ),
      DAY,
    )?.facts.brands.considered.map(({ name }) => name);
  assertEquals(weighing("the Glimmo B2"), ["rival"]);
  assertEquals(weighing("the Glimmo kettle"), ["rival"]);
  assertEquals(weighing("the Glimmo graphics card"), []);
});

Deno.test("a kind that is a shelf of many products has no card", () => {
  const shown = [1, 2, 3, 4].map((n) => statement(n));
  assert(buildCard(want(shown), DAY) !== null);
  assertEquals(buildCard({ ...want(shown), kind: "kitchen equipment" }, DAY), null);
});

Deno.test("what all of a kind are is no want of it", () => {
  const shown = [1, 2, 3, 4].map((n) => statement(n));
  assert(buildCard({ ...want(shown), kind: "laptop" }, DAY) !== null);
  const portable = counts(
    ROWS.map(([type, value, n]) => [type, value === "quiet" ? "portable" : value, n] as const),
  );
  const said = shown.map((one) => ({
    ...one,
    facts: one.facts.map((fact) => fact.value === "quiet" ? { ...fact, value: "portable" } : fact),
  }));
  const asked = { ...want(said, portable), value: "portable" };
  assert(buildCard({ ...asked, kind: "kettle" }, DAY) !== null);
  assertEquals(buildCard({ ...asked, kind: "laptop" }, DAY), null);
});

Deno.test("a part is no want where its authors list other products beside it", () => {
  const shown = [1, 2, 3, 4].map((n) => statement(n));
  const listing = (others: number): ShownWant => ({
    ...want(
      shown,
      counts([
        ["pattern", "unmet_need", 10],
        ["spec", "quiet", 10],
        ["spec", "cup", others],
        ["spec", "1.7 l", 9],
        ["product", "kettle", 10],
      ]),
    ),
    products: new Set(["cup", "quiet"]),
  });
  assert(buildCard(listing(5), DAY) !== null);
  assertEquals(buildCard(listing(6), DAY), null);
});

Deno.test("a part that the kind's name names is told of no card", () => {
  const own = counts([...ROWS, ["spec", "ket", 6], ["spec", "jet", 6]]);
  const also = [["spec", "1.7 l"], ["spec", "ket"], ["spec", "jet"]] as const;
  const card = buildCard(want([1, 2, 3, 4].map((n) => statement(n, { also })), own), DAY);
  assertEquals(card?.facts.alsoWanted.map(({ value }) => value), ["jet", "1.7 l", "fast"]);
});

Deno.test("a complaint is a want where most of those who state it ask for something", () => {
  const complaint = (frustrated: number): ShownWant =>
    want(
      [1, 2, 3, 4].map((n) => statement(n)),
      counts([
        ["pattern", "frustration", frustrated],
        ["pattern", "alternative_seeking", 10 - frustrated],
        ["problem", "quiet", 10],
        ["spec", "1.7 l", 4],
        ["product", "kettle", 10],
      ]),
    );
  assert(buildCard(complaint(4), DAY) !== null);
  assertEquals(buildCard(complaint(6), DAY), null);
});

Deno.test("a property before another product's name is that one's", () => {
  const card = buildCard(
    want([
      ...[1, 2, 3, 4].map((n) => statement(n)),
      statement(5, { quote: "I want a quiet blender beside the kettle." }),
      statement(6, { quote: "I want a quiet kettle, and a blender." }),
    ]),
    DAY,
  );
  assertEquals(card?.evidenceIds.toSorted(), ["p1", "p2", "p3", "p4", "p6"]);
});

Deno.test("a want that most posts state in a community's tag is no card", () => {
  const tagged = [5, 6].map((n) => statement(n, { quote: `[quiet request] A kettle for ${n}` }));
  const plain = [1, 2, 3, 4].map((n) => statement(n));
  assertEquals(buildCard(want([...plain, ...tagged]), DAY), null);
});

Deno.test("what its authors call the product is no want of it", () => {
  const called = (name: string): Counts => counts([...ROWS.slice(0, -1), ["product", name, 10]]);
  const shown = [1, 2, 3, 4].map((n) => statement(n));
  assert(buildCard(want(shown, called("quiet kettle")), DAY) !== null);
  assertEquals(buildCard(want(shown, called("qui-et")), DAY), null);
  // Nor is the noun by which some of all who ask for the kind call it.
  const some = { ...want(shown), market: counts([...MARKET, ["product", "tea quiet", 3]]) };
  assertEquals(buildCard(some, DAY), null);
  const hardly = { ...want(shown), market: counts([...MARKET, ["product", "tea quiet", 2]]) };
  assert(buildCard(hardly, DAY) !== null);
});

Deno.test("a capital that a word has from where it stands is no spelling of it", () => {
  const told = [["problem", "leaks water"], ["spec", "1.7 l"]] as const;
  const shown = [1, 2, 3, 4].map((n) =>
    statement(n, {
      also: told,
      before: `Must be: Quiet, like a mouse\nNoise: Quiet, for a small room ${n}\n`,
    })
  );
  const summaryOf = (statements: readonly ShownStatement[]) =>
    buildCard(want(statements), DAY)?.summary ?? "";
  assertStringIncludes(summaryOf(shown), "want a quiet kettle");
});
