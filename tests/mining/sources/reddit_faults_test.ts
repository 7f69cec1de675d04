import { assert, assertEquals, assertGreaterOrEqual, assertRejects } from "@std/assert";
import { SourceError, type SourceFailure } from "../../../mining/sources/errors.ts";
import { type Fault, RedditDouble } from "../../doubles/reddit.ts";
import { clientOf, HASTY, PATIENT, posts, readAll } from "../../doubles/reddit_client.ts";
import { NEVER } from "../../support/time.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";
import { until } from "../../support/time.ts";

const PATH = "/r/camping/new";

const hangs = (fault: Fault): boolean => fault.kind === "hang" || fault.kind === "stall";

async function setUp(count = 250, fault?: Fault) {
  const time = new JumpingTime();
  const double = await RedditDouble.start({
    now: () => time.ms,
    posts: posts("camping", count, time.ms - 60_000),
  });
  return { time, double, ...clientOf(double, time, fault && hangs(fault) ? HASTY : PATIENT) };
}

const PASSING: readonly [string, Fault][] = [
  ["a 429 with Retry-After", { kind: "429", retryAfter: 4 }],
  ["a 429 with a used-up period", { kind: "429", reset: 30 }],
  ["a 429 without a word", { kind: "429" }],
  ["a 500 with a page of HTML", { kind: "5xx", status: 500 }],
  ["a 502", { kind: "5xx", status: 502 }],
  ["a 503 with Retry-After", { kind: "5xx", status: 503, retryAfter: 7 }],
  ["a 522 of the gate in front", { kind: "5xx", status: 522 }],
  ["a 503 labelled gzip that is empty", { kind: "empty-gzip" }],
  ["an HTML page with status 200", { kind: "html" }],
  ["truncated JSON", { kind: "truncated" }],
  ["a body that breaks off", { kind: "cut" }],
  ["a connection that breaks", { kind: "reset" }],
  ["a hang", { kind: "hang" }],
  ["a hang in the middle of the body", { kind: "stall" }],
  ["JSON of another form", { kind: "body", body: { message: "try later" } }],
  ["a token that is refused in mid-run", { kind: "401" }],
];

for (const [name, fault] of PASSING) {
  Deno.test(`${name} costs a try, no post and no duplicate`, async () => {
    const { double, source } = await setUp(250, fault);
    await using _ = double;
    const read: string[] = [];
    for await (const page of source.newPosts("camping", null, NEVER)) {
      if (read.length === 0) double.fail(PATH, fault, fault.kind === "401" ? 1 : 2);
      read.push(...page.posts.map((post) => post.id));
    }
    assertEquals(double.heal(), 0, "the faults were met");
    assertEquals(read.length, 250);
    assertEquals(new Set(read).size, 250);
  });
}

const FINAL: readonly [string, Fault, SourceFailure, string | undefined, number][] = [
  ["a private community", { kind: "403", reason: "private" }, "forbidden", "private", 1],
  ["a quarantined one", { kind: "403", reason: "quarantined" }, "forbidden", "quarantined", 1],
  ["a 403 without a reason", { kind: "403" }, "forbidden", "closed", 1],
  ["the gate's 403 in HTML", { kind: "403", html: true }, "forbidden", "blocked", 1],
  ["credentials without the right to read", { kind: "scope" }, "unauthorized", undefined, 1],
  ["a 404", { kind: "404" }, "not_found", undefined, 1],
  ["a banned community", { kind: "404", reason: "banned" }, "forbidden", "banned", 1],
  ["a 451", { kind: "451" }, "forbidden", "legal", 1],
  [
    "a community that does not exist",
    { kind: "redirect", to: "/subreddits/search.json?q=camping" },
    "not_found",
    undefined,
    1,
  ],
  ["a renamed one", { kind: "redirect", to: "/r/glamping/new" }, "forbidden", "renamed", 1],
  ["another redirect", { kind: "redirect", to: "/login?dest=x" }, "malformed", undefined, 1],
  ["a redirect to nowhere", { kind: "redirect", to: "http://[" }, "malformed", undefined, 1],
  ["an outage", { kind: "5xx", status: 503 }, "unavailable", undefined, 4],
  ["an endless hang", { kind: "hang" }, "timeout", undefined, 4],
  ["a page for people", { kind: "html" }, "malformed", undefined, 4],
  ["endless 429", { kind: "429", retryAfter: 2 }, "rate_limited", undefined, 4],
  ["a token that is refused twice", { kind: "401" }, "unauthorized", undefined, 2],
];

for (const [name, fault, kind, reason, tries] of FINAL) {
  Deno.test(`${name} is ${kind}${reason ? `, ${reason},` : ""} after ${tries} tries`, async () => {
    const { double, source } = await setUp(250, fault);
    await using _ = double;
    double.fail(PATH, fault, 100);
    const error = await assertRejects(() => readAll(source, "camping"), SourceError);
    assertEquals([error.kind, error.reason], [kind, reason]);
    assertEquals(double.callsTo().length, tries);
    double.heal();
    if (kind !== "unauthorized") {
      assertEquals((await readAll(source, "camping")).posts.length, 250, "and it comes back");
    }
  });
}

Deno.test("the double's own closed communities are told apart", async () => {
  const { double, source } = await setUp(1);
  await using _ = double;
  double.store.close("camping", "private");
  const locked = await assertRejects(() => readAll(source, "camping"), SourceError);
  double.store.close("camping", "banned");
  const banned = await assertRejects(() => readAll(source, "camping"), SourceError);
  const unknown = await assertRejects(() => readAll(source, "no_such_place"), SourceError);
  assertEquals([locked.reason, banned.reason, unknown.kind], ["private", "banned", "not_found"]);
});

Deno.test("a wait the site asks for is kept before the next request, whoever makes it", async () => {
  const { double, source, time } = await setUp(1);
  await using _ = double;
  double.fail("/api/info", { kind: "429", retryAfter: 40 }, 4);
  const start = time.ms;
  await assertRejects(() => source.lookup(["p0"], NEVER), SourceError);
  const waits = double.callsTo("/api/info").map((call) => call.at - start);
  assert(waits.every((at, i) => at >= i * 40_000), `sent after ${waits} ms`);
  await readAll(source, "camping");
  assertGreaterOrEqual((double.callsTo(PATH)[0]?.at ?? 0) - start, 160_000);
});

Deno.test("a Retry-After that is over is no leave to ask at once", async () => {
  const { double, source, time } = await setUp(1);
  await using _ = double;
  for (const retryAfter of [0, new Date(Date.now() - 60_000).toUTCString()]) {
    const start = time.ms;
    double.fail(PATH, { kind: "5xx", status: 503, retryAfter }, 2);
    await readAll(source, "camping");
    assert(time.ms - start >= 500, `asked three times in ${time.ms - start} ms`);
  }
});

Deno.test("Retry-After as a date counts from the answer's own clock", async () => {
  const { double, source, time } = await setUp(1);
  await using _ = double;
  const start = time.ms;
  // The answer's Date is the real time, far from the test's.
  double.fail(PATH, { kind: "429", retryAfter: new Date(Date.now() + 30_000).toUTCString() });
  await readAll(source, "camping");
  assert(time.ms - start >= 28_000 && time.ms - start <= 33_000, `${time.ms - start} ms`);
});

Deno.test("waits grow, and never without an end", async () => {
  const { double, source, time, lines } = await setUp(1);
  await using _ = double;
  double.fail(PATH, { kind: "5xx" }, 100);
  await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals(time.waits, [750, 1500, 3000]);
  assertEquals(lines.map((line) => [line.event, line.status, line.attempt]), [
    ["asking the source again", 503, 1],
    ["asking the source again", 503, 2],
    ["asking the source again", 503, 3],
  ]);
});

Deno.test("a live search does not wait for what takes too long, and says when to come back", async () => {
  const { double, source, time } = await setUp(5);
  await using _ = double;
  double.fail("/search", { kind: "429", retryAfter: 90 });
  const start = time.ms;
  const error = await assertRejects(() => source.search("text", { limit: 5 }, NEVER), SourceError);
  assertEquals(error.kind, "rate_limited");
  assertGreaterOrEqual(error.retryAfterSeconds ?? 0, 90);
  const again = await assertRejects(() => source.search("text", { limit: 5 }, NEVER), SourceError);
  assertEquals(again.kind, "rate_limited");
  assertEquals([time.ms, double.callsTo("/search").length], [start, 1], "nothing more was sent");
});

Deno.test("mining that finds no leave in time keeps no live search from what is left for it", async () => {
  const time = new JumpingTime();
  await using double = await RedditDouble.start({ now: () => time.ms });
  double.store.open("camping");
  // Eight of a thousand are left: fewer than mining leaves to others, in a period longer than it waits.
  const rate = {
    "x-ratelimit-remaining": "8",
    "x-ratelimit-used": "992",
    "x-ratelimit-reset": "1000",
  };
  const { source } = clientOf(double, time, PATIENT, {}, async (url, init) => {
    const response = await fetch(url, init);
    const headers = new Headers(response.headers);
    if (!url.endsWith("/access_token")) {
      Object.entries(rate).forEach((pair) => headers.set(...pair));
    }
    return new Response(response.body, { status: response.status, headers });
  });
  await source.search("text", { limit: 5 }, NEVER);
  const refused = await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals(refused.kind, "rate_limited");
  const start = time.ms;
  await source.search("text", { limit: 5 }, NEVER);
  assertEquals(time.ms, start, "a live search goes at once");
});

Deno.test("an answer of any size is read no further than its bound", async () => {
  const time = new JumpingTime();
  await using double = await RedditDouble.start({ now: () => time.ms });
  const { source } = clientOf(double, time, { ...PATIENT, maxBytes: 1_000_000 });
  double.store.open("camping");
  double.fail(PATH, { kind: "flood", bytes: 30_000_000 });
  const error = await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals([error.kind, double.callsTo().length], ["too_large", 1]);
  assertEquals(error.message, "the site: the answer is longer than 1000000 bytes");
});

Deno.test("an aborted reading ends with the caller's reason, wherever it waits", async () => {
  for (const fault of [{ kind: "hang" }, { kind: "stall" }] as const) {
    const { double, source } = await setUp(1);
    await using _ = double;
    double.fail(PATH, fault, 9);
    const controller = new AbortController();
    const reading = source.newPosts("camping", null, controller.signal)[Symbol.asyncIterator]();
    const rejected = assertRejects(() => reading.next(), Error, "shutting down");
    await until(() => double.callsTo().length > 0, "it is asked");
    setTimeout(() => controller.abort(new Error("shutting down")), 20);
    await rejected;
    assertEquals(double.callsTo().length, 1);
  }
});

Deno.test("a site that is not there is unavailable", async () => {
  const { double, source } = await setUp(1);
  await double[Symbol.asyncDispose]();
  const error = await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals(error.kind, "unavailable");
});
