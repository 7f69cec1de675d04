import { assert, assertEquals, assertGreater } from "@std/assert";
import { ServiceError } from "../../../core/errors.ts";
import { removePosts } from "../../../mining/removal/delete_posts.ts";
import { askInBatches } from "../../../model/batches.ts";
import { isUseless } from "../../../model/mod.ts";
import { ModelFailure } from "../../../model/types.ts";
import { answering, isAboutCards } from "../../doubles/model.ts";
import { assertRejects } from "../../support/assert.ts";
import { testBoth, testWithDatabases } from "../../support/database.ts";
import { carefully, readBy } from "./model_support.ts";

interface ToldCard {
  readonly product: string;
  readonly want: { readonly value: string };
  readonly authors: number;
  readonly authorsAskingForTheProduct: number;
}

/** What an analyst says who sees nothing but the counts. */
function words(card: Readonly<Record<string, unknown>>) {
  const { product, want, authors, authorsAskingForTheProduct: asking } =
    card as unknown as ToldCard;
  return {
    title: `A ${product} for people who say ${want.value}`.replace(" people who say", ""),
    summary: `${authors} of the ${asking} people who ask for a ${product} say ${want.value}.`,
    productAngle: `Build a ${product} for those ${authors} people, and say ${want.value} first.`,
  };
}

testBoth("a card gets the model's words, and keeps its id and slug", async ({ database }) => {
  await using read = await readBy(database, answering(carefully, () => ({})));
  await read.run();
  const before = (await read.catalogue()).cards;
  assertGreater(before.length, 0);
  await database.sql`update opportunities set words = null`;
  read.model.behave(answering(carefully, words));
  const report = await read.run();
  assertEquals([report.written, report.refused], [before.length, 0]);
  const after = await read.catalogue();
  for (const card of before) {
    const now = after.byId(card.id);
    assert(now !== undefined && now.summary !== card.summary, now?.summary);
    assertEquals(now.slug, card.slug);
    assert(now.summary.startsWith(`${card.facts?.authors} of the `));
  }
  const calls = read.model.calls.length;
  await read.run();
  assertEquals(read.model.calls.length, calls, "asked again for the same counts");
});

testWithDatabases("words leave when the counts they name change", async (fresh) => {
  const { database } = await fresh();
  await using read = await readBy(database, answering(carefully, words));
  await read.run();
  const [card] = (await read.catalogue()).cards;
  assert(card?.summary.startsWith(`${card.facts?.authors} of the `) === true, card?.summary);
  const gone = Array.from({ length: 12 }, (_, n) => `p${n}`);
  await database.sql.begin((tx) => removePosts(tx, gone, "2026-11-20"));
  read.model.behave(() => ({ status: 503 }));
  await read.run();
  const now = (await read.catalogue()).byId(card.id);
  assert(now !== undefined && (now.facts?.authors ?? 0) < (card.facts?.authors ?? 0));
  assert(now.summary !== card.summary && !now.summary.startsWith(`${card.facts?.authors} `));
});

testWithDatabases("words that say more are sent back once, and then refused", async (fresh) => {
  const { database } = await fresh();
  await using read = await readBy(
    database,
    answering(carefully, (card) => ({ ...words(card), title: "The best fan that money can buy" })),
  );
  const report = await read.run();
  assertEquals(report.written, 0);
  assertGreater(report.refused, 0);
  const about = read.model.calls.filter(isAboutCards);
  assertEquals(about.length, 2 * Math.ceil(report.refused / 4));
  assert(about[1]?.prompt.includes("card 1, title:"), about[1]?.prompt);
  await read.run();
  assertEquals(read.model.calls.filter(isAboutCards).length, about.length);
});

testWithDatabases(
  "words are made of counts: no post's text is in their question",
  async (fresh) => {
    const { database } = await fresh();
    await using read = await readBy(database, answering(carefully, words));
    await read.run();
    for (const { prompt, system } of read.model.calls.filter(isAboutCards)) {
      assert(!/far too loud and|Case \d/.test(prompt + system), prompt);
    }
  },
);

const useless = () =>
  new ServiceError("model_unavailable", "no", { cause: new ModelFailure("useless", "refused") });
const many = Array.from({ length: 40 }, (_, n) => Array.from({ length: 10 }, (_, i) => 10 * n + i));

Deno.test("items that spoil every answer keep no other from being asked about", async () => {
  const [read, given]: [number[], number[]] = [[], []];
  const spoils = [13, 14, 99, 250];
  await askInBatches({
    batches: many,
    atOnce: 4,
    goesOn: () => true,
    ask: (batch) => {
      if (batch.some((n) => spoils.includes(n))) return Promise.reject(useless());
      read.push(...batch);
      return Promise.resolve();
    },
    giveUp: (item) => Promise.resolve(void given.push(item)),
  });
  assertEquals(given.toSorted((a, b) => a - b), spoils);
  assertEquals(read.length, 400 - spoils.length);
});

Deno.test("an outage, or a model that does not do, ends the questions; so does the time", async () => {
  const giveUp = () => Promise.resolve();
  let calls = 0;
  const base = { batches: many, atOnce: 4, goesOn: () => true, giveUp };
  const ask = () => Promise.reject((calls++, useless()));
  await assertRejects(() => askInBatches({ ...base, ask }), ServiceError);
  assertEquals(calls, 4);
  const outage = new ServiceError("model_unavailable", "away", {
    cause: new ModelFailure("outage", "away"),
  });
  assert(!isUseless(outage));
  await assertRejects(
    () => askInBatches({ ...base, ask: () => Promise.reject(outage) }),
    ServiceError,
    "away",
  );
  calls = 0;
  const count = () => Promise.resolve(void calls++);
  await askInBatches({ ...base, ask: count, goesOn: () => calls < 5 });
  assert(calls >= 5 && calls < 5 + 4, String(calls));
});
