import { assert, assertEquals } from "@std/assert";
import { postsQuestion } from "../../../mining/extract/reading_prompt.ts";
import { startModelWork } from "../../../mining/job/language_model.ts";
import { type Recorded, recordedOf, replayed } from "../../../tasks/eval/recorded.ts";
import { answering, NO_DEMAND, replaying } from "../../doubles/model.ts";
import { testWithDatabases } from "../../support/database.ts";
import { carefully, caseOf, fans, readBy } from "./model_support.ts";

const POSTS = fans(20);
const KNOWN = { kinds: [], values: new Map() };

/** What a reader's JSON file about these posts is kept as. */
function recorded(): Map<string, Recorded> {
  const rows = new Map<string, Recorded>();
  for (let from = 0; from < POSTS.length; from += 10) {
    const batch = POSTS.slice(from, from + 10);
    const file = JSON.stringify({
      posts: batch.map((post, i) => ({
        number: i + 1,
        ...(caseOf(post) === 3 ? NO_DEMAND : carefully(post)),
      })),
    });
    const readings = postsQuestion(batch, KNOWN).read(file);
    assert(typeof readings !== "string", String(readings));
    batch.forEach((post, i) => rows.set(post.id, recordedOf(post, readings[i] ?? null)));
  }
  return rows;
}

Deno.test("recorded answers hold places and values, and nothing that a post says", () => {
  const rows = recorded();
  assertEquals(rows.get("p3"), { id: "p3", demand: 0 });
  const row = rows.get("p1");
  assert(row?.demand === 1);
  assert(!JSON.stringify(row).includes("far too loud"));
  const post = POSTS[1];
  assert(post !== undefined);
  assertEquals(replayed(row, post, 2), { number: 2, ...carefully(post) });
});

testWithDatabases("replayed answers go the way of a model's", async (fresh) => {
  const { database } = await fresh();
  const rows = recorded();
  await using read = await readBy(
    database,
    replaying(POSTS, (post, number) => {
      const row = rows.get(post.id);
      return row === undefined ? NO_DEMAND : replayed(row, post, number);
    }),
    { posts: POSTS },
  );
  const report = await read.run();
  assertEquals([report.postsRead, report.dropped, report.unusable], [20, 1, 0]);
  const after = await read.signals();
  assertEquals([after.get(3), after.size], [undefined, 19]);
  const expected = rows.get("p1");
  assert(expected?.demand === 1);
  assertEquals(
    after.get(1)?.values.toSorted(),
    expected.facts.map(([, , , value]) => value).toSorted(),
  );
});

testWithDatabases("in the background the model works where no run does", async (fresh) => {
  const { database } = await fresh();
  await using read = await readBy(
    database,
    answering(carefully, () => ({ title: "", summary: "", productAngle: "" })),
    { posts: POSTS },
  );
  const turned = Promise.withResolvers<void>();
  const work = startModelWork(read.background, turned.resolve);
  await turned.promise;
  await work.stop();
  assert([...(await read.signals()).values()].every(({ versions }) => versions === "model-1"));
});
