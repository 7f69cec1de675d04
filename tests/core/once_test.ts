import { assertEquals, assertRejects } from "@std/assert";
import { singleFlight } from "../../core/once.ts";

Deno.test("callers during a run share the next one, each key by itself, after a failure too", async () => {
  const runs: { readonly key: string; readonly end: PromiseWithResolvers<string> }[] = [];
  const fly = singleFlight((key: string) => {
    const end = Promise.withResolvers<string>();
    runs.push({ key, end });
    return end.promise;
  });
  const first = fly("a");
  // Asks once the first has ended, and before the next has begun.
  const late = first.catch(() => fly("a"));
  const shared = [fly("a"), fly("a")];
  const other = fly("b");
  assertEquals(runs.map(({ key }) => key), ["a", "b"]);
  runs[0]?.end.reject(new Error("gone"));
  await assertRejects(() => first, Error, "gone");
  assertEquals(runs.map(({ key }) => key), ["a", "b", "a"]);
  runs[2]?.end.resolve("second");
  assertEquals(await Promise.all([...shared, late]), ["second", "second", "second"]);
  runs[1]?.end.resolve("other");
  assertEquals(await other, "other");
  const again = fly("a");
  runs[3]?.end.resolve("third");
  assertEquals(await again, "third");
});
