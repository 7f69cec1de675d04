import { assert, assertEquals, assertExists, assertStringIncludes } from "@std/assert";
import { silentLog } from "../../core/log.ts";
import { firstStart } from "../../db/corpus/corpus.ts";
import { loadCatalogue } from "../../mining/cards/catalogue.ts";
import { fullCard, sampleOpportunity } from "../../mining/cards/queries.ts";
import { builtInRegistry } from "../../mining/communities/registry.ts";
import { mineDemo } from "../../mining/job/demo.ts";
import { mineAlone } from "../../mining/job/miner.ts";
import { showsMaking } from "../../mining/cards/makers.ts";
import { removePosts } from "../../mining/removal/delete_posts.ts";
import { testBoth } from "../support/database.ts";

const NOW = new Date("2026-11-20T12:00:00Z");

Deno.test("what somebody built is told from what somebody might build, or made otherwise", () => {
  for (
    const sentence of [
      "I built a little mic travel case.",
      "I was too cheap to buy one, so I built one.",
      "After months of looking we ended up making our own out of plywood.",
      "So I modified the bracket and it fits.",
      "I've 3D printed a clip for it.",
    ]
  ) assert(showsMaking(sentence), sentence);
  for (
    const sentence of [
      "Need a new bed, thinking of building my own.",
      "Can I create an adapter?",
      "Has anybody built one?",
      "I made it through the whole night with no issues.",
      "I made a mistake when I bought this.",
      "Should I have built my own?",
      "They made a good kettle once.",
    ]
  ) assert(!showsMaking(sentence), sentence);
});

testBoth(
  "a card shows who built something for its want, until their post is removed",
  async (test) => {
    const { sql } = test.database;
    const deps = {
      database: test.database,
      clock: { now: () => NOW },
      log: silentLog,
      sleep: () => Promise.resolve(),
    };
    const load = () => loadCatalogue(sql, builtInRegistry(), NOW);
    await firstStart(sql, NOW);
    await mineDemo(deps, NOW, "00".repeat(32));
    const [, before] = (await load()).cards;
    assertExists(before);
    assertEquals(fullCard(before, "").builderMomentum, null);
    const [id = ""] = before.evidenceIds;
    const built = "In the end I built my own out of an old pan.";
    await sql`update posts set body = body || ${`\n\n${built}`} where id = ${id}`;
    await sql`update signals set pattern = 'workaround' where post_id = ${id}`;
    await sql`insert into want_facts (want_id, type, value, authors)
    values (${before.id}, 'pattern', 'workaround', 1) on conflict do nothing`;
    const refresh = async () => {
      await sql`update wants set dirty = true where id = ${before.id}`;
      await mineAlone(
        deps,
        { kind: "mine", patienceMs: 0, stats: () => ({}) },
        async (session) => void await session.finish(),
      );
      return (await load()).byId(before.id);
    };
    const after = await refresh();
    assertExists(after);
    const { builderMomentum } = fullCard(after, "");
    assertEquals([builderMomentum?.makers, builderMomentum?.evidence.length], [1, 1]);
    const [shown] = builderMomentum?.evidence ?? [];
    assertEquals([shown?.quote, shown?.postedAt], [built, builderMomentum?.newest]);
    assertStringIncludes(shown?.permalink ?? "", id);
    const [{ served } = { served: false }] = await sql<{ served: boolean }[]>`
    select served from posts where id = ${id}`;
    assertEquals(served, true);
    assertEquals((await load()).sample?.card.makers, undefined);
    assertEquals(sampleOpportunity(await load())?.builderMomentum, null);

    await sql.begin((tx) => removePosts(tx, [id], null));
    assertEquals((await load()).byId(before.id)?.makers, null);
  },
);
