/**
 * `demand import` of the shared posts into Postgres, end to end as an operator runs it, against its floor:
 * reading and parsing the same file alone. Prints posts a second, the ratio and the peak of memory.
 */
import { systemClock } from "../core/clock.ts";
import { readArchive } from "../mining/sources/archive/mod.ts";
import { temporaryDirectory } from "../tests/support/database.ts";
import { start } from "../tests/support/program.ts";
import { archiveIn } from "./support/corpus.ts";
import { memoryOf } from "./support/measure.ts";
import { ownDatabase } from "./support/own_database.ts";

const own = await ownDatabase("import");
using directory = temporaryDirectory();
const file = archiveIn(directory.path);

let posts = 0;
const floorStart = performance.now();
for await (const batch of readArchive(file, { clock: systemClock })) posts += batch.length;
const floor = posts / (performance.now() - floorStart) * 1000;

const started = performance.now();
const running = start(["import", "--all-communities", file], { DATABASE_URL: own.url });
let peak = 0;
const watch = setInterval(() => {
  try {
    peak = Math.max(peak, memoryOf(running.pid, "VmRSS"));
  } catch {
    // No /proc on this system, or the program has ended.
  }
}, 50);
const { code, stderr } = await running.finished;
clearInterval(watch);
if (code !== 0) throw new Error(stderr);
const rate = posts / (performance.now() - started) * 1000;
await own.drop();
console.log(`reading alone:  ${Math.round(floor)} posts/s`);
console.log(`import:         ${Math.round(rate)} posts/s (wanted: 1500 or more)`);
console.log(`ratio           ${(rate / floor).toFixed(3)} of the floor`);
console.log(`peak resident   ${Math.round(peak)} MB (wanted: under 300)`);
