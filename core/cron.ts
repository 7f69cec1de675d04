/**
 * Cron schedules of five fields, checked and written so that every runtime means the same by them.
 * Deno counts weekdays from Sunday as 1 and Bun, like crontab(5), from Sunday as 0, so weekdays leave
 * here by name; and each lets through some mistakes that the other refuses.
 */
import { Cron } from "croner";
import { messageOf } from "./errors.ts";

const DAYS = "sun mon tue wed thu fri sat".split(" ");
const OPTIONS = { paused: true, mode: "5-part", sloppyRanges: true } as const;
/** What runtimes take: lists of values, ranges and steps, and of months and weekdays their names. */
const FIELDS = /^([\d*,/-]+ ){3}([a-z\d*,/-]+) (?!.*\dl)[a-z\d*,/-]+$/i;
const FIELD_COUNT = 5;
/** A Sunday. */
const WEEK = [2023, 0, 1] as const;

/**
 * The schedule with its weekdays by name.
 * @returns the same schedule, or null and why it is not one.
 */
export function readSchedule(
  text: string,
): { readonly schedule: string } | { readonly schedule: null; readonly why: string } {
  const fields = text.trim().split(/\s+/);
  const schedule = fields.join(" ");
  if (fields.length !== FIELD_COUNT) {
    return { schedule: null, why: `it has ${fields.length === 1 ? "one" : fields.length}` };
  }
  try {
    const next = new Cron(schedule, OPTIONS).nextRun();
    if (!FIELDS.test(schedule)) return { schedule: null, why: "it has more than values and steps" };
    if (next === null) return { schedule: null, why: "no month it names has such a day" };
    const weekdays = new Cron(`0 0 * * ${fields[4]}`, OPTIONS);
    const [year, month, day] = WEEK;
    const named = DAYS.filter((_, n) => weekdays.match(new Date(year, month, day + n)));
    const last = named.length === DAYS.length ? "*" : named.join(",");
    return { schedule: [...fields.slice(0, 4), last].join(" ") };
  } catch (error) {
    return { schedule: null, why: messageOf(error).replace(/^CronPattern: /, "") };
  }
}

/** When a schedule is due for the `count`th time after `since`, in UTC; null where it is not so often. */
export function dueAfter(schedule: string, since: Date, count: number): Date | null {
  const times = new Cron(schedule, { ...OPTIONS, timezone: "UTC" }).nextRuns(count, since);
  return times[count - 1] ?? null;
}
