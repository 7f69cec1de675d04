/** What benchmarks measure and sum up alike. */
import { readFileSync } from "node:fs";
import process from "node:process";

/** The value below which a share of them lies; NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** The one in the middle; NaN if there are none. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Processor seconds of one pass, the least of some: other work on the machine does not show. */
export function cpuSeconds(pass: () => void, repeat: number): number {
  let least = Infinity;
  for (let i = 0; i < repeat; i++) {
    const before = process.cpuUsage();
    pass();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1e6);
  }
  return least;
}

/**
 * Processor milliseconds of this process and of processes of the same machine, so far: other work on it hardly
 * shows. @throws where there is no /proc, or no such process.
 */
export function cpuOf(pids: readonly number[]): number {
  const { user, system } = process.cpuUsage();
  const ticks = pids.map((pid) => {
    // What stands in brackets is the program's name, which may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return (user + system) / 1e3 + ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10;

/** Memory of a process in MB, resident now or at most so far. @throws where there is no /proc, or no such process. */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024 / 1e6;
}

/** A port that nobody listens on. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
