import { assertEquals, assertStringIncludes } from "@std/assert";
import { readSchedule } from "../../core/cron.ts";

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
  const wrong: readonly [string, string][] = [
    ["every hour", "it has 2 fields and not five"],
    ["* * * * * *", "it has 6 fields and not five"],
    ["30-5 * * * *", 'the minute "30-5" runs backwards'],
    ["60 * * * *", 'the minute "60" is outside 0 to 59'],
    ["0 24 * * *", 'the hour "24" is outside 0 to 23'],
    ["*/0 * * * *", 'the minute "*/0" has a step out of range'],
    ["*/70 * * * *", 'the minute "*/70" has a step out of range'],
    ["0 0 0 * *", 'the day of the month "0" is outside 1 to 31'],
    ["0 0 L * *", 'the day of the month "L" is outside 1 to 31'],
    ["0 0 1,,2 * *", 'the day of the month "1,,2" is no list of values, ranges and steps'],
    ["0 0 * foo *", 'the month "foo" is outside 1 to 12'],
    ["0 0 * * 8", 'the weekday "8" is outside 0 to 7'],
    ["0 0 31 2,4 *", "no month it names has such a day"],
    ["0 0 -5 * *", 'the day of the month "-5" is no list of values, ranges and steps'],
  ];
  for (const [text, why] of wrong) assertEquals(readSchedule(text), { schedule: null, why }, text);
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
