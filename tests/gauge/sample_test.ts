import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { dropVerdictsByPosts, pruneVerdicts, verdictKey } from "../../db/corpus/verdicts.ts";
import { DAY_MS } from "../../core/clock.ts";
import { testEmbedded, testOnce } from "../support/database.ts";
import { NOW, type Seed, seed } from "./support/corpus.ts";
import { gaugeOn, kitchenCatalogue } from "./support/gauge.ts";

const KETTLES: readonly Seed[] = Array.from({ length: 4 }, (_, i) => ({
  id: `k${i}`,
  kind: "kettle",
  title: "Another kettle that leaks",
  quote: `Kettle number ${i} leaks at the base.`,
  upvotes: 10 * i,
}));

Deno.test({
  name: "the sample verdict is frozen with its first query until a post of it is removed",
  fn: async () => {
    await using test = await testEmbedded();
    await seed(test.database, KETTLES);
    const catalogue = kitchenCatalogue();
    const gauge = gaugeOn(test.database, { catalogue: () => catalogue });
    const first = await gauge.sample({ query: "kettle, leaks", category: null });
    assertEquals(first.topEvidence.length, 4);
    assertStringIncludes(first.rationale, "Worded without a language model.");
    const { sql } = test.database;
    await seed(test.database, [{
      ...KETTLES[0]!,
      id: "k9",
      authorKey: "k9",
      text: "k9",
      upvotes: 900,
    }]);
    await pruneVerdicts(sql, new Date(NOW.getTime() + 1_000 * DAY_MS));
    const later = await gauge.sample({ query: "teapot", category: null });
    assertEquals({ ...later, cache: "miss" }, { ...first, cache: "miss" });
    await sql`delete from posts where id = 'k0'`;
    assertEquals(await dropVerdictsByPosts(sql, ["k0"]), 1);
    const again = await gauge.sample({ query: "kettle that leaks", category: null });
    assertNotEquals(again.query, first.query);
    assert(again.topEvidence.every(({ permalink }) => !permalink.endsWith("/k0")));
  },
});

testOnce("a sample replaces those of former rules", async ({ database }) => {
  const { sql } = database;
  await seed(database, KETTLES);
  const gauge = gaugeOn(database, { catalogue: () => kitchenCatalogue() });
  const input = { query: "kettle, leaks", category: null };
  await gauge.gauge(input, new AbortController().signal);
  await gauge.sample(input);
  const far = new Date(NOW.getTime() + 36_000 * DAY_MS);
  await sql`
    insert into verdicts (key, verdict, post_ids, expires_at)
    select ${verdictKey("sample:1:")}, verdict, post_ids, ${far} from verdicts limit 1`;
  const kept = async () => {
    const rows = await sql<{ days: number }[]>`
      select extract(day from expires_at - ${NOW}::timestamptz)::int as days from verdicts order by 1`;
    return rows.map(({ days }) => days);
  };
  await gauge.sample(input);
  assertEquals(await kept(), [7, 36_000, 36_500]);
  await sql`delete from verdicts where expires_at > ${far}`;
  await gauge.sample(input);
  assertEquals(await kept(), [7, 36_500]);
});
