import { assert, assertEquals } from "@std/assert";
import { ServiceError } from "../../core/errors.ts";
import { dropVerdictsByPosts } from "../../db/corpus/verdicts.ts";
import { testBoth } from "../support/database.ts";
import { NOW, type Seed, seed } from "./support/corpus.ts";
import { gaugeOn } from "./support/gauge.ts";
import { NEVER } from "../support/time.ts";

const KETTLES: readonly Seed[] = ["a", "b", "c"].map((id) => ({
  id,
  kind: "kettle",
  title: `Kettle that lasts ${id}`,
  quote: `I want a kettle that lasts ${id}`,
}));

testBoth(
  "a verdict shows confirmed quotes alone, and none that lost its confirmation while it was kept",
  async ({ database }) => {
    const { sql } = database;
    await seed(database, KETTLES);
    let since = new Date(NOW.getTime() - 1000);
    const gauge = gaugeOn(database, { shownSince: () => since });
    const ask = () => gauge.gauge({ query: "kettle", category: null }, NEVER);
    // Nothing is confirmed: that is an error, and not a market without demand.
    const error = await ask().then(() => null, (e) => e);
    assert(error instanceof ServiceError);
    assertEquals(error.code, "source_unavailable");

    await sql`update posts set checked_at = ${NOW} where id in ('a', 'b')`;
    const first = await ask();
    assertEquals(first.topEvidence.map(({ quote }) => quote.at(-1)).sort(), ["a", "b"]);
    const served = await sql<{ id: string }[]>`select id from posts where served order by id`;
    assertEquals(served.map(({ id }) => id), ["a", "b"]);
    assertEquals((await ask()).cache, "hit");

    since = new Date(NOW.getTime() + 1000);
    await sql`update posts set checked_at = ${new Date(NOW.getTime() + 2000)} where id <> 'a'`;
    const second = await ask();
    assertEquals(second.cache, "miss");
    assertEquals(second.topEvidence.map(({ quote }) => quote.at(-1)).sort(), ["b", "c"]);
    assertEquals(await dropVerdictsByPosts(sql, ["b"]), 1);
  },
);
