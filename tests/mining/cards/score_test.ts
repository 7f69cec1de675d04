import { assert, assertAlmostEquals, assertEquals, assertGreater } from "@std/assert";
import { budgetsOf, sumsOf } from "../../../mining/opportunities/counts.ts";
import {
  components,
  compositeScore,
  type ScoredEvidence,
  WEIGHTS,
} from "../../../mining/cards/score.ts";

const AS_OF = new Date("2026-11-20T00:00:00Z");

const BASE: ScoredEvidence = {
  months: [{ value: "2026-11|9", authors: 8 }, { value: "2026-08|8", authors: 4 }],
  authors: 12,
  listed: null,
  unmet: 5,
  unmetShare: 0.35,
  failed: 2,
  intensity: 1.2,
  marketIntensity: 1.1,
  budgets: { currency: "usd", authors: 6, low: 80, median: 100, high: 140, ceilings: 2 },
  marketMedian: 90,
  asking: 60,
  naming: 6,
  marketNaming: 0.4,
  payingMore: 1,
  cheap: 1,
};

const of = (change: Partial<ScoredEvidence>) => components({ ...BASE, ...change }, AS_OF);

Deno.test("the weights of a score sum to one, and bounds hold for any counts", () => {
  const { frequency, intensity, wtp } = WEIGHTS;
  assertAlmostEquals(frequency + intensity + wtp, 1);
  const extremes: Partial<ScoredEvidence>[] = [
    { months: [], authors: 0, unmet: 0, naming: 0, budgets: null, payingMore: 0 },
    { months: [{ value: "2026-11|10", authors: 1e6 }], authors: 1e6, unmet: 1e6, payingMore: 1e6 },
    { marketMedian: 0 },
    { marketMedian: null, budgets: null },
    { cheap: 1e6 },
  ];
  for (const change of extremes) {
    const parts = of(change);
    for (const part of Object.values(parts)) assert(part >= 0.05 && part <= 1, `${part}`);
    const score = compositeScore(parts);
    assert(score >= 5 && score <= 100);
  }
});

Deno.test("more authors raise the frequency and age lowers it", () => {
  const more = of({ months: [...BASE.months, { value: "2026-10|9", authors: 3 }] });
  assertGreater(more.frequency, of({}).frequency);
  const older = components(BASE, new Date("2027-11-20T00:00:00Z"));
  assertGreater(of({}).frequency, older.frequency);
});

Deno.test("what shops list is less unmet than what they do not", () => {
  assertGreater(of({}).intensity, of({ listed: "part" }).intensity);
  assertGreater(of({ listed: "part" }).intensity, of({ listed: "measure" }).intensity);
  assertEquals(of({}).wtp, of({ listed: "measure" }).wtp);
});

Deno.test("more unmet authors than the kind's share raise the intensity", () => {
  let before = 0;
  for (const unmet of [0, 3, 6, 9, 12]) {
    const { intensity } = of({ unmet });
    assert(intensity > before);
    before = intensity;
  }
  // The same share says less where all who want the kind are failed as often.
  assertGreater(
    of({ unmet: 6, unmetShare: 0.2 }).intensity,
    of({ unmet: 6, unmetShare: 0.6 }).intensity,
  );
});

Deno.test("a larger share of those who ask for the kind raises the intensity", () => {
  assertGreater(of({ asking: 30 }).intensity, of({}).intensity);
  assertGreater(of({}).intensity, of({ asking: 600 }).intensity);
});

Deno.test("that more name a sum than of the kind raises the willingness to pay", () => {
  assertGreater(of({ marketNaming: 0.2 }).wtp, of({}).wtp);
  assertGreater(of({}).wtp, of({ marketNaming: 0.8 }).wtp);
});

Deno.test("more authors who are failed by the same thing raise the intensity", () => {
  assertGreater(of({ failed: 4 }).intensity, of({ failed: 2 }).intensity);
  assertGreater(of({ failed: 2 }).intensity, of({ failed: 0 }).intensity);
});

Deno.test("a median over the kind's and those who would pay more raise the willingness to pay", () => {
  const budgets = BASE.budgets!;
  const dear = of({ budgets: { ...budgets, median: 200 } }).wtp;
  const usual = of({}).wtp;
  const low = of({ budgets: { ...budgets, median: 40 } }).wtp;
  assert(dear > usual && usual > low);
  assertGreater(of({ payingMore: 4 }).wtp, usual);
  assertGreater(usual, of({ cheap: 6 }).wtp);
  // A limit is less than a sum that somebody means to spend.
  assertGreater(
    of({ budgets: { ...budgets, median: 200, ceilings: 0 } }).wtp,
    of({ budgets: { ...budgets, median: 200, ceilings: 6 } }).wtp,
  );
});

Deno.test("sums are read as ceilings, estimates and ranges with their currency", () => {
  assertEquals(
    sumsOf([
      { value: "<=50 usd", authors: 2 },
      { value: "100-200 gbp", authors: 1 },
      { value: "~300 usd", authors: 3 },
      { value: "cheap", authors: 9 },
      { value: "more", authors: 9 },
      { value: "50 bananas", authors: 1 },
    ]).map(({ form, low, high, currency }) => `${form} ${low} ${high} ${currency}`),
    ["ceiling 50 50 usd", "range 100 200 gbp", "about 300 300 usd"],
  );
});

Deno.test("budgets have the middle half of the people, in sums that they name", () => {
  const [usd, gbp] = budgetsOf([
    { value: "<=100 usd", authors: 2 },
    { value: "~200 usd", authors: 4 },
    { value: "300-500 usd", authors: 2 },
    { value: "~80 gbp", authors: 1 },
  ]);
  assertEquals(usd, {
    currency: "usd",
    authors: 8,
    low: 100,
    median: 200,
    high: 200,
    ceilings: 2,
  });
  assertEquals(gbp?.authors, 1);
  const [ranges] = budgetsOf([
    { value: "20-60 usd", authors: 1 },
    { value: "~200 usd", authors: 1 },
    { value: "250-300 usd", authors: 1 },
  ]);
  assertEquals([ranges?.low, ranges?.median, ranges?.high], [20, 200, 300]);
  const middle = (...sums: readonly [usd: number, authors: number][]): number[] =>
    budgetsOf(sums.map(([usd, authors]) => ({ value: `~${usd} usd`, authors })))
      .flatMap(({ low, median, high }) => [low, median, high]);
  assertEquals(middle([1, 1], [2, 1], [3, 1], [4, 1]), [1, 2, 4], "of few, the least and the most");
  assertEquals(middle([1, 3], [2, 7]), [1, 2, 2]);
  assertEquals(middle([5, 1], [9, 1]), [5, 5, 9]);
  assertEquals(middle(), []);
});
