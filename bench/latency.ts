/**
 * `/v1/categories` while an import runs into the embedded database, against the same service idle: the
 * 99th percentile of 40 requests a second. The ratio is busy over idle.
 */
import { join } from "node:path";
import { temporaryDirectory } from "../tests/support/database.ts";
import { serve, start } from "../tests/support/program.ts";
import { archiveIn } from "./support/corpus.ts";
import { percentile } from "./support/measure.ts";

const PAUSE_MS = 25;
const IDLE_REQUESTS = 400;

using directory = temporaryDirectory();
const env = { DATA_DIR: join(directory.path, "data"), RATE_LIMITS: "categories=1000000" };
const file = archiveIn(directory.path);
await using service = await serve(env);

async function once(): Promise<number> {
  const started = performance.now();
  await (await fetch(`${service.base}/v1/categories`)).arrayBuffer();
  const took = performance.now() - started;
  await new Promise((wake) => setTimeout(wake, PAUSE_MS));
  return took;
}

for (let n = 0; n < 50; n++) await once();
const idle: number[] = [];
for (let n = 0; n < IDLE_REQUESTS; n++) idle.push(await once());

const running = start(["import", "--all-communities", file], env);
let importing = true;
void running.finished.then(() => importing = false);
const busy: number[] = [];
while (importing) busy.push(await once());
const { code, stderr } = await running.finished;
if (code !== 0) throw new Error(stderr);

const [a, b] = [percentile(idle, 0.99), percentile(busy, 0.99)];
console.log(`idle:      p50 ${percentile(idle, 0.5).toFixed(2)} ms, p99 ${a.toFixed(2)} ms`);
console.log(`importing: p50 ${percentile(busy, 0.5).toFixed(2)} ms, p99 ${b.toFixed(2)} ms`);
console.log(`ratio of p99 ${(b / a).toFixed(2)} over ${busy.length} requests (wanted: at most 3)`);
