import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dueAfter, readSchedule } from "../../core/cron.ts";

Deno.test("weekdays leave by name, since runtimes number them differently", () => {
  const same: readonly [string, string][] = [
    ["*/30 * * * *", "*/30 * * * *"],
    ["0 6 * * 0", "0 6 * * sun"],
    ["0 6 * * 7", "0 6 * * sun"],
    ["0 6 * * 1-5", "0 6 * * mon,tue,wed,thu,fri"],
    ["0 6 * * MON-fri/2", "0 6 * * mon,wed,fri"],
    ["0 6 * * 5-7", "0 6 * * sun,fri,sat"],
    ["0 6 * * sat-sun", "0 6 * * sun,sat"],
    ["0 6 * * */2", "0 6 * * sun,tue,thu,sat"],
    ["0 6 * * 0-6", "0 6 * * *"],
    ["  5/15   0  1-15/2 jan,JUL   * ", "5/15 0 1-15/2 jan,JUL *"],
    ["0 0 31 feb mon", "0 0 31 feb mon"],
    ["0 0 29 feb *", "0 0 29 feb *"],
  ];
  for (const [text, schedule] of same) assertEquals(readSchedule(text), { schedule });
});

Deno.test("what a runtime would refuse, or silently never run, is told before it starts", () => {
  const wrong = [
    "every hour",
    "* * * * * *",
    "* * * * * * *",
    "@daily",
    "30-5 * * * *",
    "60 * * * *",
    "0 24 * * *",
    "*/0 * * * *",
    "*/70 * * * *",
    "0 0 0 * *",
    "0 0 L * *",
    "0 0 15W * *",
    "0 0 ? * *",
    "0 0 * * 5L",
    "0 0 * * 5#2",
    "0 0 1,,2 * *",
    "0 0 * foo *",
    "0 0 * * 8",
    "0 0 31 2,4 *",
    "0 0 -5 * *",
  ];
  for (const text of wrong) {
    const read = readSchedule(text);
    assertEquals(read.schedule, null, text);
    assert(read.schedule === null && read.why.length > 5, text);
  }
  const { why } = readSchedule("60 * * * *") as { why: string };
  assertStringIncludes(why, "minute: 60");
  for (const [text, count] of [["foo", "one"], ["* * * * * *", "6"]] as const) {
    assertEquals(readSchedule(text), { schedule: null, why: `it has ${count}` });
  }
});

Deno.test("the runtime takes what leaves here", async () => {
  const read = readSchedule("0 6 * * 0");
  assertStringIncludes(read.schedule ?? "", "sun");
  const stop = new AbortController();
  const job = Deno.cron(
    "a schedule that is read",
    read.schedule ?? "",
    { signal: stop.signal },
    () => {},
  );
  stop.abort();
  await job;
});

Deno.test("a schedule is due in UTC, the number of times asked for", () => {
  const friday = new Date("2026-11-20T12:00:00Z");
  assertEquals(dueAfter("*/30 * * * *", friday, 4), new Date("2026-11-20T14:00:00Z"));
  assertEquals(dueAfter("0 6 * * mon", friday, 2), new Date("2026-11-30T06:00:00Z"));
});
