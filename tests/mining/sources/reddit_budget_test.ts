import { assert, assertEquals, assertRejects } from "@std/assert";
import { SourceError } from "../../../mining/sources/errors.ts";
import { Budget, type Priority, type Ticket } from "../../../mining/sources/reddit/budget.ts";
import { NEVER } from "../../support/time.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";

const FOREVER = Number.MAX_SAFE_INTEGER;

function rates(remaining: number, reset: number, used?: number): Headers {
  return new Headers({
    "x-ratelimit-remaining": remaining.toFixed(1),
    "x-ratelimit-reset": String(reset),
    ...(used === undefined ? {} : { "x-ratelimit-used": String(used) }),
  });
}

async function send(
  budget: Budget,
  priority: Priority = "mine",
  headers: Headers | null = null,
  giveUpAt = FOREVER,
): Promise<void> {
  (await budget.take(priority, giveUpAt, NEVER)).settle(headers);
}

Deno.test("no minute sees more than a hundred requests, whatever the site grants", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const sent: number[] = [];
  await Promise.all(Array.from({ length: 350 }, async (_, i) => {
    await send(budget, i % 3 === 0 ? "live" : "mine", rates(100_000, 600, 0));
    sent.push(time.ms);
  }));
  assertEquals(sent.length, 350);
  for (const start of sent) {
    const within = sent.filter((at) => at >= start && at < start + 60_000).length;
    assert(within <= 100, `${within} requests in a minute`);
  }
});

Deno.test("mining and checks leave room in the minute for a live search", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const start = time.ms;
  const until = start + 1000;
  for (let i = 0; i < 90; i++) await send(budget, "mine", null, until);
  await assertRejects(() => send(budget, "mine", null, until), SourceError, "no further request");
  for (let i = 0; i < 5; i++) await send(budget, "check", null, until);
  await assertRejects(() => send(budget, "check", null, until), SourceError);
  for (let i = 0; i < 5; i++) await send(budget, "live", null, until);
  const error = await assertRejects(() => send(budget, "live", null, until), SourceError);
  assertEquals(error.kind, "rate_limited");
  assertEquals(error.retryAfterSeconds, 62);
  assertEquals(time.ms, start, "nobody waited: the refusal was known in advance");
});

Deno.test("a used-up period is waited out by mining, and its rest kept for live searches", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const start = time.ms;
  await send(budget, "mine", rates(10, 120, 590));
  await send(budget, "live", rates(9, 120, 591));
  assertEquals(time.ms, start, "a live search goes at once");
  await send(budget, "mine", rates(599, 600, 1));
  assertEquals(time.ms, start + 120_000);
  await send(budget, "mine", rates(598, 600, 2));
  assertEquals(time.ms, start + 120_000, "the next period grants again");
});

Deno.test("a small period is not starved by what is kept for live searches", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const start = time.ms;
  await send(budget, "mine", rates(4, 60, 1));
  for (let left = 3; left >= 0; left--) await send(budget, "mine", rates(left, 60, 5 - left));
  assertEquals(time.ms, start, "all five of the period were used");
  await send(budget, "mine");
  assertEquals(time.ms, start + 60_000);
});

Deno.test("requests under way count against what is left", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const start = time.ms;
  await send(budget, "live", rates(2, 30, 0));
  const first = await budget.take("live", FOREVER, NEVER);
  const second = await budget.take("live", FOREVER, NEVER);
  const third = budget.take("live", FOREVER, NEVER);
  first.settle(rates(1, 30, 1));
  second.settle(rates(0, 30, 2));
  (await third).settle(null);
  assertEquals(time.ms, start + 30_000);
});

Deno.test("requests under way when a period begins count against it too", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const start = time.ms;
  const first = await budget.take("live", FOREVER, NEVER);
  const second = await budget.take("live", FOREVER, NEVER);
  first.settle(rates(1, 30, 9));
  const third = budget.take("live", FOREVER, NEVER);
  (await third).settle(null);
  second.settle(null);
  assertEquals(time.ms, start + 30_000, "the one that is left belongs to the second");
});

Deno.test("who waits longest at the same priority goes first, and live before all", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  budget.pause(5000);
  const order: string[] = [];
  const run = async (name: string, priority: Priority): Promise<void> => {
    await send(budget, priority);
    order.push(name);
  };
  await Promise.all([
    run("mine 1", "mine"),
    run("check 1", "check"),
    run("mine 2", "mine"),
    run("live 1", "live"),
    run("check 2", "check"),
    run("live 2", "live"),
  ]);
  assertEquals(order, ["live 1", "live 2", "check 1", "check 2", "mine 1", "mine 2"]);
});

Deno.test("a pause that begins while others wait holds for them too", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const start = time.ms;
  budget.pause(1000);
  const waiting = send(budget);
  budget.pause(9000);
  await waiting;
  assertEquals(time.ms, start + 9000);
});

Deno.test("a waiter that is aborted leaves the queue and the others go on", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  budget.pause(1000);
  const controller = new AbortController();
  const aborted = budget.take("mine", FOREVER, controller.signal);
  const other: Promise<Ticket> = budget.take("mine", FOREVER, NEVER);
  controller.abort(new Error("shut down"));
  await assertRejects(() => aborted, Error, "shut down");
  (await other).settle(null);
  await assertRejects(() => budget.take("live", FOREVER, controller.signal), Error, "shut down");
});

Deno.test("headers that make no sense are not believed", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  const start = time.ms;
  const odd = new Headers({ "x-ratelimit-remaining": "none", "x-ratelimit-reset": "soon" });
  await send(budget, "mine", odd);
  await send(budget, "mine", rates(-4, 60));
  await send(budget, "mine", rates(0, 1e12, 10));
  await send(budget, "mine");
  assertEquals(time.ms, start + 3_600_000, "no period is longer than an hour");
});

Deno.test("a clock that is set back does not stop the requests", async () => {
  const time = new JumpingTime();
  const budget = new Budget(time, time.sleep);
  for (let i = 0; i < 80; i++) await send(budget);
  await send(budget, "mine", rates(0, 600, 600));
  time.advance(-7_200_000);
  const start = time.ms;
  for (let i = 0; i < 80; i++) await send(budget);
  assert(time.ms - start <= 62_000, `waited ${time.ms - start} ms`);
});
