/**
 * Reads one archive in a process of its own, so that its memory is its own as well: prints the lines in brief and
 * by how many MiB the resident memory grew at most. `deno run -A tests/mining/sources/archive_memory.ts FILE`
 */
import { readArchive } from "../../../mining/sources/archive/mod.ts";
import { brief, CLOCK, submission, withFile } from "./archive_support.ts";

export interface MeasuredReading {
  readonly lines: readonly string[];
  readonly grownMiB: number;
}

const TRIES = 3;

/**
 * What a fresh process says of reading `path`, up to three times until the memory grows by less than
 * `boundMiB`: what is held is held each time, while when garbage goes depends on the machine.
 */
export async function measureReading(path: string, boundMiB: number): Promise<MeasuredReading> {
  for (let left = TRIES - 1;; left--) {
    const reading = await measureOnce(path);
    if (reading.grownMiB < boundMiB || left === 0) return reading;
  }
}

async function measureOnce(path: string): Promise<MeasuredReading> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", import.meta.filename!, path],
  }).output();
  const said = new TextDecoder();
  if (!success) throw new Error(said.decode(stderr));
  return JSON.parse(said.decode(stdout)) as MeasuredReading;
}

async function main(path: string): Promise<void> {
  // What the first reading loads and compiles is not the file's.
  await withFile(
    submission() + "\n",
    (small) => Array.fromAsync(readArchive(small, { clock: CLOCK })),
  );
  const before = Deno.memoryUsage().rss;
  let peak = before;
  const lines = [];
  const onBytes = () => (peak = Math.max(peak, Deno.memoryUsage().rss));
  for await (const batch of readArchive(path, { clock: CLOCK, onBytes })) lines.push(...batch);
  const reading: MeasuredReading = {
    lines: brief(lines),
    grownMiB: Math.ceil((peak - before) / 1024 / 1024),
  };
  console.log(JSON.stringify(reading));
}

if (import.meta.main) await main(Deno.args[0]!);
