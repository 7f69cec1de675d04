import { assert, assertEquals } from "@std/assert";
import { matchCorpus, matchLive } from "../../gauge/match/corpus.ts";
import { askedWordsOf, quoteOfMatch } from "../../gauge/match/evidence.ts";
import { readQuery } from "../../gauge/query/read.ts";
import type { Database } from "../../db/sql.ts";
import { testBoth } from "../support/database.ts";
import { findKinds, liveSignal, match, type Seed, seed } from "./support.ts";

const MOUSE = { kind: "computer mouse", product: "mouse", title: "Which mouse to buy" } as const;
const SEEDS: readonly Seed[] = [
  { ...MOUSE, id: "m1", quote: "A mouse for gaming.", body: "A mouse for gaming." },
  {
    ...MOUSE,
    id: "m2",
    quote: "Only for work, no gaming.",
    body: "Only for work, no gaming.",
    ruledOut: ["game"],
  },
];

const read = (database: Database, query: string) =>
  readQuery(database.sql, { query, category: null }, findKinds);

testBoth("who rules a thing out does not state it", async (test) => {
  await seed(test.database, SEEDS);
  const query = await read(test.database, "gaming mouse");
  const { matches, stating } = await matchCorpus(test.database.sql, query);
  assertEquals(matches.map(({ postId, met }) => [postId, met]), [["m1", 1], ["m2", 0]]);
  assertEquals(stating.reduce((sum, { met, people }) => sum + met * people, 0), 1);
});

testBoth("a post found live states nothing that it rules out", async (test) => {
  await seed(test.database, SEEDS);
  const found = liveSignal("k9", "A kettle", { body: "Not for camping." });
  const kettle = { ...found, signal: { ...found.signal, ruledOut: ["camping"] } };
  const query = await read(test.database, "kettle for camping");
  const met = async (...signals: (typeof found)[]) =>
    (await matchLive(test.database.sql, query, signals)).map((one) => one.met);
  assertEquals(await met(found), [1]);
  assertEquals(await met(kettle), [0]);
});

testBoth("a sentence that rules out what is asked is no quote", async (test) => {
  const { plan } = await read(test.database, "gaming mouse");
  const body = "No gaming. I want a mouse for games at night. Thanks for reading it.";
  const shown = match({ postId: "m3", quote: "No gaming." });
  const text = { title: "Help me", body, community: "things" };
  const quote = quoteOfMatch(shown, text, askedWordsOf(plan));
  assertEquals(quote, "I want a mouse for games at night.");
  assert(
    !quoteOfMatch(shown, { ...text, body: "No gaming. The mouse is for work." }, askedWordsOf(plan))
      .includes("gaming"),
  );
});
