import {
  assert,
  assertEquals,
  assertGreater,
  assertLess,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import { ServiceError } from "../../core/errors.ts";
import { createLog, silentLog } from "../../core/log.ts";
import type { Database } from "../../db/sql.ts";
import { type Facts, factSentences } from "../../gauge/score/verdict_facts.ts";
import { checkRationale } from "../../gauge/synthesis/rationale.ts";
import type { Synthesize } from "../../gauge/synthesis/types.ts";
import { Slots } from "../../model/breaker.ts";
import type { ModelSettings } from "../../model/mod.ts";
import {
  type Behaviour,
  BEHAVIOURS,
  type ModelDouble,
  reply,
  startModel,
} from "../doubles/model.ts";
import { testBoth, type TestDatabase, testEmbedded } from "../support/database.ts";
import { until } from "../support/time.ts";
import { AS_OF, match, NOW } from "./support/corpus.ts";
import { modelAt, spentToday } from "./support/gauge.ts";
import { requestOf, synthesisBy } from "./support/synthesis.ts";
import { NEVER } from "../support/time.ts";

const REQUEST = requestOf(["a", "b", "c"].map((postId) => match({ postId })));

interface Bench extends AsyncDisposable {
  readonly database: Database;
  readonly model: ModelDouble;
  readonly clock: { time: number };
  synthesis(settings?: Partial<ModelSettings>): Synthesize;
}

/** One database for the tests of this file: each lives on a day of its own. */
let shared: Promise<TestDatabase> | undefined;
let days = 0;

/** A database, a model that behaves as told, and a clock that is moved by hand. */
async function bench(behaviour: Behaviour): Promise<Bench> {
  const { database } = await (shared ??= testEmbedded());
  const model = startModel(behaviour);
  const clock = { time: NOW.getTime() + ++days * DAY_MS };
  return {
    database,
    model,
    clock,
    synthesis: (settings = {}) =>
      synthesisBy({
        sql: database.sql,
        settings: { ...modelAt(model.baseUrl), ...settings },
        clock: { now: () => new Date(clock.time) },
        log: silentLog,
        fetch,
        random: (bytes) => "5e".repeat(bytes),
      }),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

function testModel(name: string, behaviour: Behaviour, body: (b: Bench) => Promise<void>): void {
  Deno.test({
    name,
    fn: async () => {
      await using b = await bench(behaviour);
      await body(b);
    },
  });
}

/** What is logged of one question to a server at `baseUrl`, which must fail. */
async function loggedBy(b: Bench, baseUrl: string): Promise<string[]> {
  const lines: string[] = [];
  const synthesize = synthesisBy({
    sql: b.database.sql,
    settings: modelAt(baseUrl),
    clock: { now: () => new Date(b.clock.time) },
    log: createLog({
      level: "debug",
      format: "json",
      now: () => NOW,
      write: (line) => lines.push(line),
    }),
    fetch,
    random: (bytes) => "5e".repeat(bytes),
  });
  await unavailable(synthesize(REQUEST, NEVER));
  return lines;
}

testModel("the log tells what the server said, without the key", BEHAVIOURS.badKey, async (b) => {
  const lines = await loggedBy(b, b.model.baseUrl);
  assert(lines.some((line) => line.includes("Incorrect API key provided: [key]")));
  assert(!lines.some((line) => line.includes("sk-test")));
});

testModel(
  "the log tells of a server that is not there without its path",
  BEHAVIOURS.good,
  async (b) => {
    const lines = await loggedBy(b, "http://127.0.0.1:9/hunter2/v1");
    assert(lines.some((line) => line.includes("the model's server cannot be reached: ")));
    assert(!lines.some((line) => line.includes("hunter2")));
  },
);

async function unavailable(work: Promise<unknown>): Promise<ServiceError> {
  const error = await assertRejects(() => work, ServiceError);
  assertEquals(error.code, "model_unavailable");
  assertGreater(error.retryAfterSeconds ?? 0, 0);
  return error;
}

testModel(
  "a good reply is taken at the first call, in structured form",
  BEHAVIOURS.good,
  async (b) => {
    const result = await b.synthesis()(REQUEST, NEVER);
    assertEquals(result.picks, [0]);
    assertEquals(b.model.calls.map(({ format, limit }) => [format, limit]), [
      ["json_schema", "max_completion_tokens"],
    ]);
    assertEquals(b.model.calls[0]?.authorization, "Bearer sk-test");
  },
);

const STEPS: readonly [string, Behaviour, string[]][] = [
  ["knows no schemas", BEHAVIOURS.noSchema, ["json_schema", "json_object"]],
  ["knows plain text alone", BEHAVIOURS.plainOnly, ["json_schema", "json_object", "text"]],
];
for (const [name, behaviour, formats] of STEPS) {
  testModel(`a server that ${name} is met half-way, and remembered`, behaviour, async (b) => {
    const synthesize = b.synthesis();
    assertEquals((await synthesize(REQUEST, NEVER)).picks, [0]);
    assertEquals(b.model.calls.map(({ format }) => format), formats);
    await synthesize(REQUEST, NEVER);
    assertEquals(b.model.calls.at(-1)?.format, formats.at(-1));
    assertEquals(b.model.calls.length, formats.length + 1);
  });
}

testModel("a server of the older interface gets max_tokens", BEHAVIOURS.oldLimit, async (b) => {
  await b.synthesis()(REQUEST, NEVER);
  assertEquals(b.model.calls.map(({ limit }) => limit), ["max_completion_tokens", "max_tokens"]);
  assertEquals(b.model.calls.at(-1)?.format, "json_schema");
});

const RECOVERS: readonly [string, Behaviour, number][] = [
  ["fails once", BEHAVIOURS.brokenOnce, 2],
  ["talks once before it answers", BEHAVIOURS.invalidJsonOnce, 2],
  ["wraps its answer in prose", BEHAVIOURS.prose, 1],
  ["writes numbers as text", BEHAVIOURS.textNumbers, 1],
  ["counts no tokens", BEHAVIOURS.uncounted, 1],
  ["counts parts of tokens", BEHAVIOURS.countsParts, 1],
  ["counts tokens as text", BEHAVIOURS.countsAsText, 1],
  ["counts more tokens than there are", BEHAVIOURS.countsTooMany, 1],
  ["counts fewer tokens than none", BEHAVIOURS.countsBelowNone, 1],
];
for (const [name, behaviour, calls] of RECOVERS) {
  testModel(`a model that ${name} is usable`, behaviour, async (b) => {
    const { picks, rationale } = await b.synthesis()(REQUEST, NEVER);
    assertEquals(picks, [0]);
    assert(rationale.length > 20);
    assertEquals(b.model.calls.length, calls);
    assertGreater(await spentToday(b.database.sql, new Date(b.clock.time)), 0);
  });
}

const FAILS: readonly [string, Behaviour][] = [
  ["is broken", BEHAVIOURS.broken],
  ["asks to wait longer than there is time", BEHAVIOURS.rateLimited],
  ["rejects the key", BEHAVIOURS.badKey],
  ["breaks off its JSON", BEHAVIOURS.invalidJson],
  ["answers in another shape", BEHAVIOURS.wrongShape],
  ["answers with a web page", BEHAVIOURS.notCompletion],
  ["answers without choices", BEHAVIOURS.emptyChoices],
  ["points only at posts that do not exist", BEHAVIOURS.outOfRange],
  ["writes quotes where numbers belong", BEHAVIOURS.quotesInsteadOfNumbers],
  ["refuses", BEHAVIOURS.refuses],
  ["is cut off", BEHAVIOURS.truncated],
  ["says nothing", BEHAVIOURS.silent],
  ["never ends its answer", BEHAVIOURS.endless],
];
for (const [name, behaviour] of FAILS) {
  testModel(`a model that ${name} is unavailable, in time`, behaviour, async (b) => {
    const began = performance.now();
    const error = await unavailable(b.synthesis({ timeoutMs: 4_000 })(REQUEST, NEVER));
    assertLess(performance.now() - began, 12_000);
    assert(!/key|sk-test|127\.0\.0\.1/.test(error.message));
    assert(b.model.calls.length <= 3);
  });
}

testModel("one deadline covers every attempt of a model that hangs", BEHAVIOURS.hang, async (b) => {
  const began = performance.now();
  await unavailable(b.synthesis({ timeoutMs: 1_500 })(REQUEST, NEVER));
  assertLess(performance.now() - began, 10_000);
  assertEquals(b.model.calls.length, 1);
});

testModel("a server that is not there is unavailable", BEHAVIOURS.good, async (b) => {
  const nobody = { baseUrl: "http://127.0.0.1:9/v1", timeoutMs: 3_000 };
  await unavailable(b.synthesis(nobody)(REQUEST, NEVER));
  assertEquals(b.model.calls.length, 0);
});

testModel(
  "a caller that goes away ends the call with its own reason",
  BEHAVIOURS.hang,
  async (b) => {
    const caller = new AbortController();
    const work = b.synthesis()(REQUEST, caller.signal);
    setTimeout(() => caller.abort(new Error("gone")), 100);
    await assertRejects(() => work, Error, "gone");
  },
);

testModel(
  "posts are pointed at once each, and never written",
  BEHAVIOURS.partlyInRange,
  async (b) => {
    assertEquals((await b.synthesis()(REQUEST, NEVER)).picks, [0, 1]);
    b.model.behave(BEHAVIOURS.writesEvidence);
    const result = await b.synthesis()(REQUEST, NEVER);
    assertEquals(result.picks, [0]);
    assert(!JSON.stringify(result).includes("million"));
  },
);

testModel(
  "five failures in a row leave the model alone for half a minute",
  BEHAVIOURS.badKey,
  async (b) => {
    const synthesize = b.synthesis();
    for (let i = 0; i < 5; i++) await unavailable(synthesize(REQUEST, NEVER));
    assertEquals(b.model.calls.length, 5);
    b.model.behave(BEHAVIOURS.good);
    assertEquals((await unavailable(synthesize(REQUEST, NEVER))).retryAfterSeconds, 30);
    assertEquals(b.model.calls.length, 5);
    b.clock.time += 30_000;
    await synthesize(REQUEST, NEVER);
    await synthesize(REQUEST, NEVER);
    assertEquals(b.model.calls.length, 7);
  },
);

/** A synthesis whose model failed five times, half a minute later: its next call is a trial. */
async function beforeTrial(b: Bench): Promise<Synthesize> {
  const synthesize = b.synthesis();
  for (let i = 0; i < 5; i++) await unavailable(synthesize(REQUEST, NEVER));
  b.clock.time += 30_000;
  return synthesize;
}

testModel("a failed trial closes the model off again", BEHAVIOURS.badKey, async (b) => {
  const synthesize = await beforeTrial(b);
  await unavailable(synthesize(REQUEST, NEVER));
  await unavailable(synthesize(REQUEST, NEVER));
  assertEquals(b.model.calls.length, 6);
});

testModel("while a trial is under way nobody else asks the model", BEHAVIOURS.badKey, async (b) => {
  const synthesize = await beforeTrial(b);
  const gate = Promise.withResolvers<void>();
  b.model.behave(() => ({ after: gate.promise, then: { content: reply() } }));
  const both = Promise.allSettled([synthesize(REQUEST, NEVER), synthesize(REQUEST, NEVER)]);
  await until(() => b.model.calls.length >= 6, "the trial reaches the model");
  gate.resolve();
  assertEquals((await both).map(({ status }) => status), ["fulfilled", "rejected"]);
  assertEquals(b.model.calls.length, 6);
});

testModel("a trial whose caller goes away leaves it to the next", BEHAVIOURS.badKey, async (b) => {
  const synthesize = await beforeTrial(b);
  b.model.behave(BEHAVIOURS.hang);
  const caller = new AbortController();
  const trial = synthesize(REQUEST, caller.signal);
  await until(() => b.model.calls.length === 6, "the trial reaches the model");
  caller.abort(new Error("gone"));
  await assertRejects(() => trial, Error, "gone");
  b.model.behave(BEHAVIOURS.good);
  // The caller has its answer a moment before the trial has ended.
  const next = () => synthesize(REQUEST, NEVER).catch(() => null);
  assertEquals((await until(next, "another trial")).picks, [0]);
});

testBoth(
  "the day's budget bounds all calls together, and errors cost nothing",
  async ({ database }) => {
    await using model = startModel(BEHAVIOURS.badKey);
    const synthesize = synthesisBy({
      sql: database.sql,
      settings: { ...modelAt(model.baseUrl), dailyBudgetUsd: 0.05, timeoutMs: 20_000 },
      clock: { now: () => NOW },
      log: silentLog,
      fetch,
      random: (bytes) => "5e".repeat(bytes),
    });
    await unavailable(synthesize(REQUEST, NEVER));
    assertLess(await spentToday(database.sql, NOW), 1e-9);
    model.behave(BEHAVIOURS.good);
    const together = await Promise.allSettled(
      Array.from({ length: 6 }, () => synthesize(REQUEST, NEVER)),
    );
    assertGreater(together.filter(({ status }) => status === "fulfilled").length, 0);
    const isDone = (call: Promise<unknown>) => call.then(() => true, () => false);
    for (let left = 40; left > 0 && await isDone(synthesize(REQUEST, NEVER)); left--);
    assert(await spentToday(database.sql, NOW) <= 0.05);
    const error = await unavailable(synthesize(REQUEST, NEVER));
    assertEquals(error.retryAfterSeconds, 12 * 3_600);
  },
);

testModel("a wait beyond a day is told as a day", BEHAVIOURS.good, async (b) => {
  b.model.behave(() => ({ status: 429, headers: { "retry-after": "1e30" } }));
  const error = await unavailable(b.synthesis()(REQUEST, NEVER));
  assertEquals(error.retryAfterSeconds, 86_400);
});

testModel("no more than eight calls run at once", BEHAVIOURS.good, async (b) => {
  let [running, most] = [0, 0];
  const synthesize = synthesisBy({
    sql: b.database.sql,
    settings: modelAt(b.model.baseUrl),
    clock: { now: () => NOW },
    log: silentLog,
    random: (bytes) => "5e".repeat(bytes),
    fetch: async (input, init) => {
      running += 1;
      most = Math.max(most, running);
      // Until all that may run at once do, and a moment for one that may not.
      await until(() => most >= 8, "eight calls run at once");
      await new Promise((resolve) => setTimeout(resolve, 20));
      const response = await fetch(input, init);
      running -= 1;
      return response;
    },
  });
  b.model.behave(() => ({ content: reply() }));
  await Promise.all(Array.from({ length: 30 }, () => synthesize(REQUEST, NEVER)));
  assertEquals(most, 8);
});

testModel("a call beyond the 64 that may wait is refused", BEHAVIOURS.good, async (b) => {
  const gate = Promise.withResolvers<void>();
  b.model.behave(() => ({ after: gate.promise, then: { content: reply() } }));
  const synthesize = b.synthesis({ timeoutMs: 20_000 });
  const calls = Array.from({ length: 8 + 64 + 1 }, () => synthesize(REQUEST, NEVER));
  const ended = Promise.allSettled(calls);
  await until(() => b.model.calls.length === 8, "eight calls run");
  gate.resolve();
  const refused = (await ended).flatMap((one) => one.status === "rejected" ? [one.reason] : []);
  assertEquals(refused.map(({ code }: ServiceError) => code), ["overloaded"]);
});

Deno.test("who stops waiting for a slot leaves the queue, and takes nobody's place", async () => {
  const slots = new Slots(1, 1);
  const leave = await slots.enter(NEVER);
  const caller = new AbortController();
  const given = slots.enter(caller.signal);
  caller.abort(new Error("gone"));
  await assertRejects(() => given, Error, "gone");

  const later = new AbortController();
  const second = slots.enter(later.signal);
  assertEquals(await slots.enter(NEVER), null, "the queue is full again");
  leave?.();
  const leaveSecond = await second;
  const third = slots.enter(NEVER);
  // Who has a slot waits no more: its end concerns nobody in the queue.
  later.abort();
  leaveSecond?.();
  (await third)?.();
  assert(await slots.enter(NEVER) !== null, "a slot is free in the end");
});

Deno.test("digits of dates and of what is counted are no numbers that a rationale may name", () => {
  const matches = [..."abcdefghij"].map((postId) => match({ postId }));
  const request = requestOf(matches);
  const { facts } = request;
  const dated = {
    ...request,
    facts: {
      ...facts,
      asOf: "2030-09-15",
      funnel: {
        ...facts.funnel,
        from: "2030-08-02T00:00:00.000Z",
        to: "2030-09-02T00:00:00.000Z",
        wants: ["lid", "handle", "spout"].map((want) => ({ want, count: 0 })),
      },
    },
  };
  const kept = (text: string) => checkRationale(text, dated).dropped === 0;
  assert(
    kept("10 people asked for it from 2030-08 to 2030-09, some of them in the last 180 days."),
  );
  assert(kept("As of 2030-09-15, 10 people asked for it."));
  for (
    const text of [
      "About 180 people would buy it.",
      "In 1180 days 10 did.",
      "Some 8 of them want it.",
      "Only 3 do.",
    ]
  ) {
    assert(!kept(text), text);
  }
});

Deno.test("a rationale begins with who asked of late, and tells all from the nearest", () => {
  const { facts } = requestOf([match({ postId: "p1" }), match({ postId: "p2", head: 0.3 })]);
  const { funnel } = facts;
  const quiet = { want: "quiet", count: 12 };
  const wants = [quiet, { want: "small", count: 0 }];
  const said = (parts: Partial<Facts["funnel"]>, others: Partial<Facts> = {}) =>
    factSentences({ ...facts, ...others, funnel: { ...funnel, product: "kettle", ...parts } });
  assertEquals([facts.shown, facts.recent], [1, { all: 1, some: 0, none: 0 }]);
  assertEquals(
    said({ askingForProduct: 40, wants, statingAll: 0 }, {
      asAsked: 4,
      recent: { all: 0, some: 9, none: 2 },
    }),
    [
      "In the last 180 days nobody asked for all of it, but at least 9 for some of it and at least 2 for the " +
      "product alone; each counting in part, that is about 4 people.",
      '40 people ever asked for "kettle": 12 want "quiet" and none "small"; nobody wants all of it.',
      "The nearest one is from 1 community: 1 faults what there is.",
    ],
  );
  const nameless = ["p1", "p2"].map((postId) => match({ postId, authorKey: postId }));
  assertStringIncludes(
    factSentences(requestOf(nameless).facts)[2],
    "Authors have no names here: each text counts as one person.",
  );
  const late = (
    asAsked: number,
    wanted: typeof wants,
    [all, some, none]: readonly [number, number, number],
  ) =>
    said({ askingForProduct: 1, wants: wanted }, { asAsked, recent: { all, some, none } })[0]
      .replace("In the last 180 days ", "");
  const told = [
    [late(1, [], [1, 0, 0]), "1 person asked for it."],
    [
      late(2, [], [3, 0, 0]),
      "3 people asked for it; those who say it weakly or unclearly counting in part, that is about 2 people.",
    ],
    [
      late(2, [], [1, 0, 0]),
      "1 person asked for it; with what comes near, that is about 2 people.",
    ],
    [
      late(2, [quiet], [1, 0, 3]),
      "1 person asked for it as described and 3 for the product alone; with a part of each who asked for less, that is " +
      "about 2 people.",
    ],
    [
      late(2, wants, [2, 5, 3]),
      "2 people asked for all of it, 5 for some of it and 3 for the product alone; each counting in part, that is " +
      "about 2 people.",
    ],
    [
      late(0, [quiet], [0, 0, 1]),
      "nobody asked for it as described, but 1 for the product alone; each counting in part, that is " +
      "less than one person.",
    ],
    [
      late(0, [], [0, 0, 0]),
      "nobody asked for it; what comes near counts as less than one person.",
    ],
  ] as const;
  for (const [is, should] of told) assertEquals(is, should);
  const [asked, all, scope] = said({ askingForProduct: 1, wants: [] }, {
    asAsked: 1,
    asOf: "2030-06-01",
  });
  assertEquals(asked, "In the 180 days before 2030-06-01 1 person asked for it.");
  assertEquals(all, '1 person ever asked for "kettle".');
  assertStringIncludes(scope, "That one is from 1 community");
  assertStringIncludes(said({ askingForProduct: 2 }, { shown: 2 })[2], "Both are from");
  assertEquals(
    said({ askingForProduct: 9, wants: [{ want: "quiet", count: 1 }] })[1],
    '9 people ever asked for "kettle": 1 wants "quiet".',
  );
  assertStringIncludes(
    said({ askingForProduct: 9, wants, statingAll: 0 }, {
      nearest: { what: "kettle: quiet", people: 12, mentions: false },
    })[1],
    'nobody wants all of it, closest: 12 for "kettle: quiet".',
  );
  assertStringIncludes(
    said({ askingForProduct: 9, wants, statingAll: 2 })[1],
    "; 2 want all of it.",
  );
});

Deno.test("who asked of late is who asked within 180 days to the hour", () => {
  const ago = (days: number) => new Date(AS_OF.getTime() - days * DAY_MS);
  const { facts } = requestOf([
    match({ postId: "p1", createdAt: ago(179.9) }),
    match({ postId: "p2", createdAt: ago(180.5) }),
  ]);
  assertEquals(facts.recent, { all: 1, some: 0, none: 0 });
});

Deno.test("a rationale says what the query was read as, and what is not counted", () => {
  const { facts } = requestOf([match({ postId: "p1" })]);
  const [, , last] = factSentences({
    ...facts,
    readAs: "macbook",
    corrected: [],
    implied: ["steel", "lid"],
    aside: ["women"],
    granted: {
      wants: [{ want: "camping", people: 3 }, { want: "light", people: 2 }],
      communities: ["backpacking", "Ultralight"],
    },
  });
  assertStringIncludes(
    last,
    ` "macbook" was read as ${facts.funnel.product}. "steel" and "lid" go without saying for it. "women" was not ` +
      'used to narrow the count. 3 of those who want "camping" and 2 of those who want "light" write where ' +
      "that goes without saying: r/backpacking or r/Ultralight.",
  );
});
