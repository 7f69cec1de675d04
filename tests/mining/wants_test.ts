import { assert, assertEquals, assertGreater } from "@std/assert";
import { insertPosts } from "../../db/corpus/posts.ts";
import { deletePosts } from "../../db/corpus/removal.ts";
import { insertSignals } from "../../db/corpus/signals.ts";
import type { Database } from "../../db/sql.ts";
import { wantTimes } from "../../db/corpus/want_counts.ts";
import { openPairs, stateWants, unstateWants } from "../../db/corpus/wants.ts";
import { authorHash } from "../../mining/authors.ts";
import { builtInRegistry } from "../../mining/communities/registry.ts";
import type { Extraction, FactType } from "../../mining/extract/types.ts";
import { judgeAs, type Judged } from "../../mining/judge.ts";
import { pairValue, wantId } from "../../mining/opportunities/ids.ts";
import type { DemandShown, PseudonymousPost } from "../../mining/types.ts";
import { testBothInTurn as testBoth, testEmbedded } from "../support/database.ts";

const KEY = "00".repeat(32);
const CONTEXT = {
  registry: builtInRegistry(),
  origin: "archive",
  checkedAt: null,
} as const;

/** A post of an author that asks for a desk fan and states these facts, each as `type value`. */
function judged(
  id: string,
  author: string | null,
  stated: readonly string[],
  { day = 1, kind = "desk fan", kindCertainty = 0.9, asking = "I am looking for a" }: {
    day?: number;
    kind?: string;
    kindCertainty?: number;
    asking?: string;
  } = {},
): Judged {
  const sentences = stated.map((fact) => `${asking} ${kind}, ${fact} and number ${id}.`);
  const post: PseudonymousPost = {
    id,
    community: "homelab",
    title: `Which ${kind}, asks ${id}?`,
    body: sentences.join(" "),
    authorHash: author === null ? null : authorHash(author, KEY),
    createdAt: new Date(Date.UTC(2026, 0, day, 12)),
    upvotes: 3,
    comments: 0,
    permalink: `https://example.com/${id}`,
  };
  const text = `${post.title}\n${post.body}`;
  const facts = stated.map((fact) => {
    const start = text.indexOf(fact);
    const [type = "", ...value] = fact.split(" ");
    return {
      type: type as FactType,
      start,
      end: start + fact.length,
      span: fact,
      value: value.join(" "),
      certainty: 0.9,
    };
  });
  const reading: Extraction = {
    certainty: 0.9,
    product: kind,
    kind,
    kindCertainty,
    productSpan: { start: 6, end: 6 + kind.length },
    facts,
  };
  const demand: DemandShown = {
    pattern: "recommendation_request",
    also: null,
    intensity: 1,
    wtp: 1,
    quote: post.title,
  };
  const made = judgeAs(post, demand, reading, CONTEXT);
  assert(made !== null);
  return made;
}

async function store(database: Database, batch: readonly Judged[]): Promise<void> {
  await database.sql.begin(async (tx) => {
    await insertPosts(tx, batch.map(({ post }) => post));
    await insertSignals(tx, batch.map(({ signal }) => signal));
    await stateWants(
      tx,
      batch.flatMap(({ stated }) => stated.wants),
      batch.flatMap(({ stated }) => stated.statements),
    );
  });
}

async function remove(database: Database, ids: readonly string[]): Promise<void> {
  await database.sql.begin(async (tx) => {
    await unstateWants(tx, ids);
    await deletePosts(tx, ids);
  });
}

/** Everything that is counted, in an order of its own. */
async function counts(database: Database): Promise<unknown> {
  const { sql } = database;
  return {
    wants: await sql`select id, kind, value, authors from wants where authors > 0 order by id`,
    statements: await sql`select want_id, post_id, counted from want_statements order by 1, 2`,
    facts: await sql`
      select f.want_id, f.type, f.value, f.authors from want_facts f
      where f.authors <> 0 order by 1, 2, 3`,
  };
}

async function authorsOf(database: Database, kind: string, value: string): Promise<number> {
  const [row] = await database.sql<{ authors: number }[]>`
    select authors from wants where id = ${wantId(kind, value)}`;
  return row?.authors ?? 0;
}

async function factOf(
  database: Database,
  want: string,
  type: string,
  value: string,
): Promise<number> {
  const [row] = await database.sql<{ authors: number }[]>`
    select authors from want_facts where want_id = ${want} and type = ${type} and value = ${value}`;
  return row?.authors ?? 0;
}

Deno.test("a fact is as certain as that a product is asked for, that it is of the kind and that it is stated", () => {
  const certainties = ({ signal }: Judged) => signal.facts.map(({ certainty }) => certainty);
  const sure = judged("p1", "ann", ["use bedroom"]);
  assertEquals(certainties(sure), [0.73]);
  assertEquals(sure.stated.wants.map(({ value }) => value), ["", "bedroom"]);
  const unsure = judged("p2", "bob", ["use bedroom"], { kindCertainty: 0.4 });
  assertEquals(certainties(unsure), [0.32]);
  assertEquals(unsure.stated.wants.map(({ value }) => value), [""]);
});

testBoth(
  "a post that states three wants stands behind three, and behind its kind",
  async (test) => {
    const { database } = test;
    await store(database, [
      judged("a1", "ann", ["attribute quiet", "use bedroom", "spec usb-c"]),
      judged("a2", "bob", ["attribute quiet", "price <=50 usd"]),
    ]);
    assertEquals(await authorsOf(database, "desk fan", ""), 2);
    assertEquals(await authorsOf(database, "desk fan", "quiet"), 2);
    assertEquals(await authorsOf(database, "desk fan", "bedroom"), 1);
    // A sum is counted of a want, and is none itself.
    assertEquals(await authorsOf(database, "desk fan", "<=50 usd"), 0);
    assertEquals(
      await factOf(database, wantId("desk fan", "quiet"), "price", "<=50 usd"),
      1,
    );
    assertEquals(await factOf(database, wantId("desk fan", "quiet"), "use", "bedroom"), 1);
    assertEquals(await factOf(database, "all", "attribute", "quiet"), 2);
  },
);

testBoth(
  "an author counts once in a want, by the newest post, and a copy not again",
  async (test) => {
    const { database } = test;
    await store(database, [judged("a1", "ann", ["attribute quiet"], { day: 1 })]);
    await store(database, [judged("a2", "ann", ["attribute quiet", "use office"], { day: 2 })]);
    const copy = judged("a3", "bob", ["attribute quiet"], { day: 3 });
    const textKey = judged("a2", "x", ["attribute quiet", "use office"]).signal.textKey;
    await store(database, [{
      ...copy,
      signal: { ...copy.signal, textKey },
      stated: {
        ...copy.stated,
        statements: copy.stated.statements.map((row) => ({ ...row, textKey })),
      },
    }]);
    const rows = await database.sql<{ id: string }[]>`
    select post_id as id from want_statements
    where want_id = ${wantId("desk fan", "quiet")} and counted order by 1`;
    assertEquals(rows.map(({ id }) => id), ["a3"]);
    assertEquals(await authorsOf(database, "desk fan", "quiet"), 1);
    // With the copy gone, the post that it was a copy of counts again.
    await remove(database, ["a3"]);
    assertEquals(await authorsOf(database, "desk fan", "quiet"), 1);
    assertEquals(await factOf(database, wantId("desk fan", ""), "use", "office"), 0);
  },
);

testBoth("removing posts leaves the counts as if they had never come", async (test) => {
  const { database } = test;
  await using other = await testEmbedded();
  const kept = ["ann", "bob", "cem", "dot", "eva"].map((author, n) =>
    judged(`k${n}`, author, ["attribute quiet", n % 2 === 0 ? "use office" : "user toddler"], {
      day: n + 1,
    })
  );
  const gone = ["ann", "fay", "gil"].map((author, n) =>
    judged(`g${n}`, author, ["attribute quiet", "problem blade rattles"], { day: n + 10 })
  );
  await store(database, [...kept.slice(0, 3), ...gone]);
  await store(database, kept.slice(3));
  await remove(database, gone.map(({ post }) => post.id));
  await store(other.database, kept);
  assertEquals(await counts(database), await counts(other.database));
  assertGreater(await factOf(database, wantId("desk fan", "quiet"), "use", "office"), 1);
});

testBoth(
  "posts of one author or text count once, whether they come together or apart",
  async (test) => {
    const posts = [
      judged("a1", "ann", ["attribute quiet"], { day: 1 }),
      judged("a2", "ann", ["attribute quiet", "attribute small"], { day: 2 }),
      judged("b1", "bob", ["attribute quiet"], { day: 3 }),
      judged("c1", "cat", ["attribute quiet"], { day: 4 }),
    ];
    const [first, , third, fourth] = posts;
    assert(first !== undefined && third !== undefined && fourth !== undefined);
    // The fourth is a copy of the third.
    const { textKey } = third.signal;
    const copy: Judged = {
      ...fourth,
      signal: { ...fourth.signal, textKey },
      stated: {
        ...fourth.stated,
        statements: fourth.stated.statements.map((one) => ({ ...one, textKey })),
      },
    };
    const all = [...posts.slice(0, 3), copy];
    await store(test.database, [...all, first]);
    const together = await counts(test.database);
    assertEquals(await authorsOf(test.database, "desk fan", "quiet"), 2);
    await remove(test.database, all.map(({ post }) => post.id));
    for (const one of all.toReversed()) await store(test.database, [one]);
    assertEquals(await counts(test.database), together);
  },
);

testBoth("the order in which posts come makes no difference to what is counted", async (test) => {
  const { database } = test;
  await using other = await testEmbedded();
  const posts = Array.from({ length: 30 }, (_, n) =>
    judged(`p${n}`, `author${n % 11}`, [
      "attribute quiet",
      ...(n % 3 === 0 ? ["use office"] : []),
      ...(n % 4 === 0 ? ["problem blade rattles"] : []),
    ], { day: 1 + (n * 7) % 28, kind: n % 5 === 0 ? "kettle" : "desk fan" }));
  for (const one of posts) await store(database, [one]);
  await store(other.database, posts.toReversed().slice(0, 17));
  await store(other.database, posts.toReversed().slice(17));
  assertEquals(await counts(database), await counts(other.database));
});

testBoth(
  "a pair counts those who state both, whether it is opened before they come or after",
  async (test) => {
    const { database } = test;
    await using other = await testEmbedded();
    const posts = Array.from({ length: 12 }, (_, n) =>
      judged(`p${n}`, `author${n % 7}`, [
        "attribute quiet",
        ...(n % 3 === 0 ? [] : ["use office"]),
        "user toddler",
      ], { day: 1 + n }));
    const pair = {
      id: wantId("desk fan", pairValue("quiet", "office")),
      kind: "desk fan",
      value: pairValue("quiet", "office"),
      first: wantId("desk fan", "office"),
      second: wantId("desk fan", "quiet"),
    };
    await store(database, posts.slice(0, 4));
    const half = { ...pair, id: "half", second: wantId("desk fan", "never stated") };
    assertEquals(await database.sql.begin((tx) => openPairs(tx, [half])), 0);
    assertEquals(await database.sql.begin((tx) => openPairs(tx, [pair])), 1);
    await store(database, posts.slice(4));
    await remove(database, ["p1"]);
    assertEquals(await database.sql.begin((tx) => openPairs(tx, [pair])), 0);
    await store(other.database, posts.filter(({ post }) => post.id !== "p1"));
    await other.database.sql.begin((tx) => openPairs(tx, [pair]));
    assertEquals(await counts(database), await counts(other.database));
    assertEquals(await authorsOf(database, "desk fan", pair.value), 6);
    assertGreater(await factOf(database, pair.id, "user", "toddler"), 4);
  },
);

testBoth("authors are known where most of a want's newest posts name theirs", async (test) => {
  const { database } = test;
  const of = (kind: string, authors: readonly (string | null)[]) =>
    authors.map((author, n) =>
      judged(`${kind[0]}${n}`, author, ["attribute quiet"], { day: n + 1, kind })
    );
  await store(database, [
    ...of("desk fan", ["ann", "bob", "cem", null]),
    ...of("kettle", [null, null, null, "dot"]),
    ...of("tent", ["eva", null]),
    ...of("stool", Array.from({ length: 90 }, (_, n) => n < 60 ? null : `author${n}`)),
  ]);
  const times = await wantTimes(
    database.sql,
    ["desk fan", "kettle", "tent", "stool"].map((kind) => wantId(kind, "quiet")),
    new Date("2026-02-01"),
  );
  assertEquals(times.map(({ authorsKnown }) => authorsKnown), [true, false, false, true]);
});

Deno.test("no quote shows a want in words that rule it out", () => {
  const quoted = (asking: string, fact: string): boolean[] =>
    judged("p1", "ann", [fact], { asking }).stated.statements.slice(1)
      .map(({ quoteStart }) => quoteStart !== null);
  assertEquals(quoted("I am looking for a", "attribute loud"), [true]);
  assertEquals(quoted("I am not looking for a", "attribute loud"), [false]);
  assertEquals(quoted("I am not looking for a", "problem blade rattles"), [true]);
  assertEquals(quoted("I am not looking for a", "attribute no plastic"), [true]);
});

Deno.test("a property that is to be absent is ruled out, whatever else is said of it", () => {
  const { signal } = judged("a1", "ann", [
    "attribute no plastic inside",
    "problem plastic lid rusts",
  ]);
  assert(signal.ruledOut.includes("plastic") && signal.ruledOut.includes("inside"));
  assert(!signal.said.includes("plastic"), signal.said.join(" "));
  const { signal: sound } = judged("a3", "ann", [
    "attribute no sound leakage",
    "attribute good sound",
  ]);
  assert(sound.ruledOut.includes("leakage") && !sound.ruledOut.includes("sound"));
  const { signal: other } = judged("a2", "ann", ["problem no plastic inside"]);
  assert(!other.ruledOut.includes("plastic"));
});
