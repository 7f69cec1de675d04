import { assert, assertEquals, assertRejects } from "@std/assert";
import { SourceError } from "../../../mining/sources/errors.ts";
import { RedditDouble } from "../../doubles/reddit.ts";
import { clientOf, HASTY, PATIENT, posts } from "../../doubles/reddit_client.ts";
import { NEVER } from "../../support/time.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";

async function setUp(count = 0, deadlines = PATIENT) {
  const time = new JumpingTime();
  const double = await RedditDouble.start({
    now: () => time.ms,
    posts: posts("camping", count, time.ms - 60_000),
  });
  return { time, double, ...clientOf(double, time, deadlines) };
}

Deno.test("a search finds posts of every community, within its limit, each once", async () => {
  const { double, source, time } = await setUp(40);
  await using _ = double;
  double.store.add(posts("hiking", 40, time.ms - 60_000, "h"));
  const found = await source.search("text post", { limit: 50 }, NEVER);
  assertEquals(found.length, 50);
  assertEquals(new Set(found.map((post) => post.id)).size, 50);
  assertEquals(new Set(found.map((post) => post.community)).size, 2);
  const [call] = double.callsTo("/search");
  assertEquals(call?.params, {
    q: "text post",
    type: "link",
    limit: "50",
    sort: "relevance",
    t: "all",
    include_over_18: "off",
    raw_json: "1",
  });
});

Deno.test("removed, adult and promoted posts are not found, whatever the site lists", async () => {
  const { double, source, time } = await setUp(3);
  await using _ = double;
  double.store.remove("p0");
  const data = { subreddit: "camping", created_utc: time.ms / 1000, title: "text" };
  const child = (id: string, more: Record<string, unknown>) => ({
    kind: "t3",
    data: { id, ...data, ...more },
  });
  const children = [
    child("a", {}),
    child("a", {}),
    child("b", { over_18: true }),
    child("c", { promoted: true }),
    child("d", { selftext: "[deleted]", author: "[deleted]" }),
    child("e", { removed_by_category: "reddit" }),
    child("f", { created_utc: null }),
  ];
  double.fail("/search", { kind: "body", body: { kind: "Listing", data: { children } } });
  const found = await source.search("text", { limit: 50 }, NEVER);
  assertEquals(found.map((post) => post.id), ["a"]);
  const own = await source.search("text", { limit: 50 }, NEVER);
  assertEquals(own.map((post) => post.id), ["p2", "p1"]);
});

Deno.test("a search that fails is an error, and one that finds nothing is empty", async () => {
  const { double, source } = await setUp(3, HASTY);
  await using _ = double;
  assertEquals(await source.search("no such words", { limit: 10 }, NEVER), []);
  for (const fault of [{ kind: "5xx" }, { kind: "html" }, { kind: "hang" }] as const) {
    double.fail("/search", fault, 9);
    await assertRejects(() => source.search("text", { limit: 10 }, NEVER), SourceError);
    double.heal();
  }
  double.fail("/search", { kind: "5xx" }, 1);
  assertEquals((await source.search("text", { limit: 10 }, NEVER)).length, 3, "one more try");
});

Deno.test("queries are sent as text, cut to what the site takes", async () => {
  const { double, source } = await setUp(1);
  await using _ = double;
  const query = `a&b=c#d "tent" /../ \ud83d ${"long ".repeat(200)}`;
  await source.search(query, { limit: 10 }, NEVER);
  const sent = double.callsTo("/search")[0]?.params.q ?? "";
  assertEquals(sent, query.slice(0, 512).toWellFormed());
});

Deno.test("a look-up tells what stands, what was edited and what is gone", async () => {
  const { double, source, time } = await setUp(7);
  await using _ = double;
  double.store.remove("p0");
  double.store.delete("p1");
  double.store.deleteAccount("p2");
  double.store.edit("p3", { selftext: "Another text." });
  double.store.vote("p3", 40);
  double.store.comment("p3", 2);
  double.store.edit("p4", { over_18: true });
  double.store.forget("p5");
  const created_utc = time.ms / 1000;
  double.store.add([
    { id: "byreddit", subreddit: "camping", title: "[ Removed by Reddit ]", created_utc },
    { id: "empty", subreddit: "camping", title: "t", author: null, created_utc },
    {
      id: "link",
      subreddit: "camping",
      title: "A link",
      author: null,
      created_utc,
      raw: { is_self: false },
    },
    {
      id: "legal",
      subreddit: "camping",
      title: "t",
      selftext: "still here",
      created_utc,
      raw: { removed_by_category: "copyright_takedown" },
    },
    { id: "says", subreddit: "camping", title: "Why [removed] appears?", selftext: "[removed] it" },
  ]);
  const ids = ["p0", "p1", "p2", "t3_p3", "p4", "p5", "p6", "byreddit", "empty", "link", "legal"];
  const states = await source.lookup([...ids, "says", "not an id", "demo-1", "P9"], NEVER);
  const removed = [...states].flatMap(([id, state]) =>
    state.state === "removed" ? [[id, state.reason]] : []
  );
  assertEquals(removed, [
    ["p0", "removed"],
    ["p1", "deleted"],
    ["p4", "adult"],
    ["p5", "absent"],
    ["byreddit", "removed"],
    ["legal", "removed"],
  ]);
  assertEquals(states.get("t3_p3"), {
    state: "present",
    upvotes: 43,
    comments: 5,
    title: "Post number 3",
    body: "Another text.",
    nameless: false,
  });
  assertEquals([...states.keys()], [...ids, "says"], "ids that are none are left out");
  for (const id of ["p2", "empty", "link"]) {
    const state = states.get(id);
    assert(state?.state === "present" && state.nameless, "a closed account leaves its posts");
  }
  assertEquals(states.get("says")?.state, "present", "text that only speaks of removal");
});

Deno.test("a look-up asks for a hundred ids a call", async () => {
  const { double, source } = await setUp(250);
  await using _ = double;
  const ids = Array.from({ length: 250 }, (_, i) => `p${i.toString(36)}`);
  const states = await source.lookup([...ids, ...ids], NEVER);
  assertEquals(states.size, 250);
  assert([...states.values()].every((state) => state.state === "present"));
  const sizes = double.callsTo("/api/info").map((call) => call.params.id?.split(",").length);
  assertEquals(sizes, [100, 100, 50]);
  assertEquals((await source.lookup([], NEVER)).size, 0);
});

Deno.test("a look-up that fails or cannot be read removes nothing", async () => {
  const { double, source } = await setUp(3);
  await using _ = double;
  const unreadable = { kind: "Listing", data: { children: [{ kind: "t3", data: { id: null } }] } };
  const faults = [
    { kind: "5xx" },
    { kind: "html" },
    { kind: "truncated" },
    { kind: "403" },
    { kind: "404" },
    { kind: "body", body: {} },
    { kind: "body", body: unreadable },
  ] as const;
  for (const fault of faults) {
    double.fail("/api/info", fault, 9);
    await assertRejects(() => source.lookup(["p0", "p1"], NEVER), SourceError);
    double.heal();
  }
});
