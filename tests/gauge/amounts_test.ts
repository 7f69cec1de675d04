/** The measures and sums that a query names, and what is left of it without them. */
import { assertEquals } from "@std/assert";
import { amountsIn } from "../../gauge/amounts/amounts.ts";

Deno.test("a measure is a number with its unit, however it is written", () => {
  const measures = (query: string) => amountsIn(query).measures.map(({ name }) => name);
  for (
    const query of ["2-in-1 laptop", "3 in 1 wireless charger", "a tent, preferably one in green"]
  ) assertEquals(measures(query), [], query);
  assertEquals(measures("15 in laptop"), ["15 in"]);
  assertEquals(measures('laptop under 15.6"'), ["under 15.6 inch"]);
  assertEquals(measures("10,000 mah power bank"), ["10000 mah"]);
  assertEquals(measures("1/2 inch impact wrench"), ["1/2 inch"]);
  assertEquals(measures("knife of 6 1/2 inches"), ["6.5 inches"]);
  assertEquals(measures("pan of 6½ inches"), ["6.5 inches"]);
  assertEquals(measures("½ inch hose"), ["1/2 inch"]);
  assertEquals(measures("socket set 3/8 1/2 inch"), ["1/2 inch"]);
  assertEquals(measures("500ml bottle"), ["500ml"]);
  assertEquals(measures("30 minute timer"), ["30 minute"]);
  assertEquals(measures(`10'6" paddle board`), ["10 ft 6 inch"]);
  assertEquals(measures("8' 2 person tent"), ["2 person"]);
  assertEquals(measures("tent for somebody 6'2\""), ["6 ft 2 inch"]);
  assertEquals(measures("tent for somebody 6' 2\""), ["6 ft 2 inch"]);
  for (
    const query of ["4g phone", "16g ram laptop", "3m tape", "I need a tent in two weeks"]
  ) assertEquals(measures(query), [], query);
});

Deno.test("a clause that only names a sum asks for nothing besides", () => {
  const rest = (query: string) => amountsIn(query).rest.trim();
  assertEquals(rest("bike, my budget tops out at five hundred dollars"), "bike,");
  assertEquals(rest("bike costing no more than a thousand dollars"), "bike");
  assertEquals(rest("budget gaming laptop under $500"), "budget gaming laptop");
  assertEquals(amountsIn("bike that does not cost more than 400 bucks").price?.to, 400);
});

Deno.test("a sum is a limit, a floor, a span, or about so much", () => {
  const sums = (query: string) => {
    const { rest, price } = amountsIn(query);
    return [rest.trim(), price?.from, price?.to];
  };
  assertEquals(sums("bike under $400"), ["bike", 200, 400]);
  assertEquals(sums("bike not over $400"), ["bike", 200, 400]);
  assertEquals(sums("bike, not more than $400"), ["bike,", 200, 400]);
  assertEquals(sums("laptop under 1,500"), ["laptop", 750, 1500]);
  assertEquals(sums("used car under 15,000"), ["used car", 7500, 15000]);
  assertEquals(sums("tent $100 and up to $200").slice(1), [70, 120]);
  assertEquals(sums("kettle $50 maximum"), ["kettle", 25, 50]);
  assertEquals(sums("kettle with a $50 budget or less")[0], "kettle with a");
  assertEquals(sums("bike 400 dollars or more"), ["bike", 400, 800]);
  assertEquals(sums("bike, my budget tops out at 400 dollars"), ["bike,", 200, 400]);
  assertEquals(sums("bike at least $400"), ["bike", 400, 800]);
  assertEquals(sums("bike more than 400 dollars"), ["bike", 400, 800]);
  // Of a span the upper end is what would be spent at most: none who stop at the lower one.
  assertEquals(sums("bike between $300 and $400"), ["bike", 300 * 2 ** (1 / 8), 400]);
  assertEquals(sums("bike $300-400"), ["bike", 300 * 2 ** (1 / 8), 400]);
  assertEquals(sums("bike around $400"), ["bike", 280, 480]);
  assertEquals(sums("bike under 400"), ["bike", 200, 400]);
  assertEquals(sums("bike under 60 grams"), ["bike  such", undefined, undefined]);
});

Deno.test("a sum is one in any money, on whichever side that stands", () => {
  const cases: readonly (readonly [string, string, string | null, number])[] = [
    ["headphones 50$", "50$", "usd", 60],
    // What stands behind the sign is another number.
    ["500€ 15 inch laptop", "500€", "eur", 600],
    ["tent 5€ 5€", "5€", "eur", 6],
    ["watch, 50 swiss francs", "50 swiss francs", "chf", 60],
    ["headphones that don't cost more than $300", "not more than $300", "usd", 300],
    ["I can't spend more than $300 on a laptop", "not more than $300", "usd", 300],
    ["tent, I wouldn't pay more than $100", "not more than $100", "usd", 100],
    ["laptop never more than 1000 dollars", "not more than 1000 dollars", "usd", 1000],
    ["laptop under 700 $", "under 700 $", "usd", 700],
    ["laptop 700€", "700€", "eur", 840],
    ["headphones USD 50", "USD 50", "usd", 60],
    ["under EUR 50 headphones", "under EUR 50", "eur", 50],
    ["headphones US$50", "US$50", "usd", 60],
    ["headphones, $50 US", "$50 US", "usd", 60],
    ["headphones under 200 NZD", "under 200 NZD", "nzd", 200],
    ["800 aud laptop", "800 aud", "aud", 960],
    ["headphones under C$200", "under C$200", "cad", 200],
    ["headphones under 200 Canadian dollars", "under 200 Canadian dollars", "cad", 200],
    ["headphones $200 CAD", "$200 CAD", "cad", 240],
    ["headphones under 100 CHF", "under 100 CHF", "chf", 100],
    ["headphones 500 kr", "500 kr", "sek", 600],
    ["headphones under 1000 rupees", "under 1000 rupees", "inr", 1000],
    ["headphones ₹2,000", "₹2,000", "inr", 2400],
    ["headphones under HK$500", "under HK$500", null, 500],
    ["headphones ₩50000", "₩50000", null, 60000],
    ["headphones under 1.2k", "under 1.2k", "usd", 1200],
    ["camera under 1k", "under 1k", "usd", 1000],
    ["headphones sub $50", "sub $50", "usd", 50],
    ["sub-$50 headphones", "sub-$50", "usd", 50],
    ["headphones <$50", "<$50", "usd", 50],
    ["headphones 50-100$", "50-100$", "usd", 100],
    ["headphones 50$ to 100$", "50$ to 100$", "usd", 100],
    ["headphones between 50 and 100 euros", "between 50 and 100 euros", "eur", 100],
    ["espresso machine under $500, no pods", "under $500", "usd", 500],
    ["laptop under $500 and 16 gb", "under $500", "usd", 500],
    ["laptop $500 - 15 inch", "$500", "usd", 600],
    ["headphones US $50", "US $50", "usd", 60],
    ["headphones AUD$50", "AUD$50", "aud", 60],
    ["headphones 50 $ CAD", "50 $ CAD", "cad", 60],
    ["shoes under Rs 500", "under Rs 500", "inr", 500],
    ["headphones $50+", "$50+", "usd", 100],
    ["laptop under 1.500,00 €", "under 1.500,00 €", "eur", 1500],
    ["headphones under$50", "under$50", "usd", 50],
  ];
  for (const [query, name, currency, to] of cases) {
    const { price } = amountsIn(query);
    assertEquals([price?.name, price?.currency, price?.to], [name, currency, to], query);
  }
  assertEquals(amountsIn("tent $50 or $90").otherSums.map(({ name }) => name), ["$90"]);
  for (
    const query of ["laptop for cad 3d", "sub 12 inch", "dumbbell 20 pounds", "sennheiser rs 175"]
  ) assertEquals(amountsIn(query).price, null, query);
});

Deno.test("a sum may be written out", () => {
  const sums = (query: string) => {
    const { price } = amountsIn(query);
    return price && [price.from, price.to];
  };
  assertEquals(sums("laptop for five hundred dollars"), [350, 600]);
  assertEquals(sums("a bike for a hundred and fifty dollars"), [105, 180]);
  assertEquals(sums("two thousand five hundred bucks for a desk"), [1750, 3000]);
  assertEquals(sums("headphones under twenty-five euros"), [12.5, 25]);
  assertEquals(sums("a laptop for less than a grand"), [500, 1000]);
  assertEquals(sums("a bench of a grand piano"), null);
  assertEquals(sums("one hundred cups"), null);
  assertEquals(amountsIn("dollars and cents").rest, "dollars and cents");
});
