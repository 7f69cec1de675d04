/** Settings of several parts: a schedule, an address to listen on, limits by group. */
import { readSchedule } from "./cron.ts";
import { bareHost } from "./host.ts";
import type { Settings } from "./settings.ts";

/** Five cron fields, in the form that schedules take. */
export function readCron(settings: Settings, name: string, fallback: string): string {
  const text = settings.text(name) ?? fallback;
  const read = readSchedule(text);
  if (read.schedule !== null) return read.schedule;
  return settings.fail(
    name,
    `should be five cron fields such as "*/30 * * * *", not "${text}": ${read.why}`,
  );
}

/** HOST:PORT, or a PORT of 127.0.0.1; null where it is not set. */
export function readListen(
  settings: Settings,
  name: string,
): { host: string; port: number } | null {
  const text = settings.text(name);
  if (text === null) return null;
  const match = /^(?:(\[[0-9a-fA-F:]+\]|[^:\s]+):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    return settings.fail(name, `should be HOST:PORT or PORT, not "${text}"`);
  }
  return { host: bareHost(match[1] ?? "127.0.0.1"), port };
}

/** Numbers by group, `unit` saying of what; the groups are not known here. */
export function readLimits(
  settings: Settings,
  name: string,
  unit: string,
): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const item of (settings.text(name) ?? "").split(",").filter((part) => part.trim())) {
    const match = /^\s*([a-z_]+)\s*=\s*(\d{1,7})\s*$/.exec(item);
    if (match?.[1] === undefined || Number(match[2]) === 0) {
      settings.fail(name, `should be group=number,… (${unit}, 1 or more), not "${item}"`);
    }
    if (Object.hasOwn(limits, match[1])) {
      settings.fail(name, `names the group "${match[1]}" twice`);
    }
    limits[match[1]] = Number(match[2]);
  }
  return limits;
}
