/**
 * Cron schedules of five fields, checked and written so that every runtime means the same by them.
 * Deno counts weekdays from Sunday as 1 and Bun, like crontab(5), from Sunday as 0, so weekdays leave
 * here by name; and each lets through some mistakes that the other refuses.
 */
interface Field {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Names of the values from `low` on; empty where there are none. */
  readonly names: readonly string[];
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const FIELDS: readonly Field[] = [
  { name: "minute", low: 0, high: 59, names: [] },
  { name: "hour", low: 0, high: 23, names: [] },
  { name: "day of the month", low: 1, high: 31, names: [] },
  { name: "month", low: 1, high: 12, names: MONTHS },
  // Sunday is 0 and 7, as in crontab(5).
  { name: "weekday", low: 0, high: 7, names: DAYS },
];
const DAYS_OF_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const ITEM = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/;

function valueOf(text: string, { low, high, names }: Field): number {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + low : /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  return value >= low && value <= high ? value : NaN;
}

/** The values of one field; a sentence that says what is wrong where it is. */
function valuesOf(text: string, field: Field): ReadonlySet<number> | string {
  const values = new Set<number>();
  for (const item of text.split(",")) {
    const match = ITEM.exec(item);
    if (match === null) return `the ${field.name} "${text}" is no list of values, ranges and steps`;
    const [, first, last, step] = match;
    const from = first === undefined ? field.low : valueOf(first, field);
    // "5/15" is every fifteenth from the fifth on.
    const open = first === undefined || (last === undefined && step !== undefined);
    let to = open ? field.high : valueOf(last ?? first, field);
    // "sat-sun": a week may end with its Sunday.
    if (field.names === DAYS && to === 0 && from > 0) to = field.high;
    if (Number.isNaN(from) || Number.isNaN(to)) {
      return `the ${field.name} "${item}" is outside ${field.low} to ${field.high}`;
    }
    if (from > to) return `the ${field.name} "${item}" runs backwards`;
    const by = Number(step ?? 1);
    if (by < 1 || by > field.high) return `the ${field.name} "${item}" has a step out of range`;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

/**
 * The schedule with its weekdays by name.
 * @returns the same schedule, or null and why it is none.
 */
export function readSchedule(
  text: string,
): { readonly schedule: string } | { readonly schedule: null; readonly why: string } {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    return { schedule: null, why: `it has ${parts.length} fields and not five` };
  }
  const sets: ReadonlySet<number>[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const values = valuesOf(parts[index] ?? "", field);
    if (typeof values === "string") return { schedule: null, why: values };
    sets.push(values);
  }
  const [, , days = new Set(), months = new Set(), weekdays = new Set()] = sets;
  const named = DAYS.filter((_, day) => weekdays.has(day) || (day === 0 && weekdays.has(7)));
  const everyDay = named.length === DAYS.length;
  const longest = Math.max(...[...months].map((month) => DAYS_OF_MONTH[month - 1] ?? 0));
  if (everyDay && Math.min(...days) > longest) {
    return { schedule: null, why: "no month it names has such a day" };
  }
  const schedule = [...parts.slice(0, 4), everyDay ? "*" : named.join(",")].join(" ");
  return { schedule };
}
