/** What a query tells of without naming it: a kind by all its words, and sums that are written out. */
import { assertEquals } from "@std/assert";
import { amountsIn } from "../../gauge/query/amounts.ts";
import { askedNoun, readHead } from "../../gauge/query/head.ts";
import { findKinds } from "../../gauge/query/kinds.ts";
import { readQuery } from "../../gauge/query/read.ts";
import { shelvesOf } from "../../gauge/query/shelves.ts";
import { matchCorpus } from "../../gauge/match/corpus.ts";
import { testBoth } from "../support/database.ts";
import { seed } from "./support.ts";

Deno.test("the noun of a query stands before what tells its purpose", () => {
  const words = (query: string) =>
    query.split(" ").map((word) => ({ word, stems: /^(an?|for)$/.test(word) ? [] : [word] }));
  const read = words("an echo stompbox for electric guitar");
  assertEquals(askedNoun(read), 2);
  assertEquals(askedNoun(words("best for a")), -1);
  // The product that a list knows stands behind it.
  const spans = findKinds(read.map(({ word }) => word));
  assertEquals(readHead(read, spans)?.last, 5);
});

Deno.test("words that people write who want a kind tell of it", () => {
  assertEquals(shelvesOf(["facial", "hair", "clipper"])[0]?.kind, "beard trimmer");
  assertEquals(shelvesOf(["zorbat"]), []);
});

testBoth(
  "a noun that no list knows is read as the kind that the other words tell of",
  async (test) => {
    await seed(test.database, [
      {
        id: "p1",
        kind: "guitar pedal",
        title: "Which guitar pedal for echo?",
        quote: "I want some echo.",
      },
      {
        id: "g1",
        kind: "electric guitar",
        title: "First electric guitar",
        quote: "Which one for 200?",
      },
    ]);
    const { sql } = test.database;
    const find = async (query: string) => {
      const read = await readQuery(sql, { query, category: null }, findKinds);
      const { matches } = await matchCorpus(sql, read);
      return {
        product: read.product,
        readAs: read.readAs,
        found: matches.filter(({ relevance }) => relevance >= 0.5).map(({ postId }) => postId),
      };
    };
    assertEquals(await find("an echo stompbox for electric guitar"), {
      product: "guitar pedal",
      readAs: "stompbox",
      found: ["p1"],
    });
    // A product that a list knows stays what it is, whatever else is said.
    assertEquals((await find("electric guitar with an echo pedal")).product, "electric guitar");
  },
);

Deno.test("a sum may be written out", () => {
  const most = (query: string) => amountsIn(query).price?.most ?? null;
  assertEquals(most("laptop for five hundred dollars"), 500);
  assertEquals(most("a bike for a hundred and fifty dollars"), 150);
  assertEquals(most("two thousand five hundred bucks for a desk"), 2500);
  assertEquals(most("headphones under twenty-five euros"), 25);
  assertEquals(most("one hundred cups"), null);
  assertEquals(amountsIn("dollars and cents").rest, "dollars and cents");
});
