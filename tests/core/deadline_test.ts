import { assert, assertEquals, assertRejects } from "@std/assert";
import { DeadlineError, sleep, withDeadline } from "../../core/deadline.ts";
import { NEVER } from "../support/time.ts";

Deno.test("a wait ends in time, or with the caller's reason, and leaves no timer", async () => {
  const start = performance.now();
  await sleep(20, NEVER);
  await sleep(-5);
  assert(performance.now() - start >= 15);
  const controller = new AbortController();
  const long = sleep(60_000, controller.signal);
  controller.abort(new Error("enough"));
  await assertRejects(() => long, Error, "enough");
  await assertRejects(() => sleep(60_000, controller.signal), Error, "enough");
});

Deno.test("work that is late ends with the deadline's error, with a caller or without one", async () => {
  for (const signal of [null, NEVER]) {
    let aborted = false;
    const late = withDeadline(20, signal, (own) => {
      own.addEventListener("abort", () => aborted = true);
      return new Promise<never>(() => {});
    });
    await assertRejects(() => late, DeadlineError);
    assert(aborted);
    assertEquals(await withDeadline(60_000, signal, () => Promise.resolve(1)), 1);
  }
});
