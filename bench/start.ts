/**
 * Start-up, memory and size of the program as it is shipped: every executable in dist/ (deno task compile,
 * compile:bun), else the sources. The floor is the same executable printing its version, measured in the
 * same run, so that the ratios hold on a machine that is busy or slow. BENCH_REQUESTS sets the load.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, median, memoryOf } from "./support/measure.ts";
import { ownDatabase } from "./support/own_database.ts";

const ROOT = join(import.meta.dirname ?? ".", "..");
const REQUESTS = Number(Deno.env.get("BENCH_REQUESTS") ?? 20_000);
const WORKERS = 16;
const ROUNDS = 5;
const MB = 1e6;

interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly file: string | null;
}

function programs(): Program[] {
  const built = ["demand", "demand-bun"].map((name) => join(ROOT, "dist", name)).filter(existsSync);
  if (built.length > 0) {
    return built.map((file) => ({ name: file.slice(ROOT.length + 6), command: [file], file }));
  }
  const command = [Deno.execPath(), "run", "-A", join(ROOT, "main.ts")];
  return [{ name: "sources", command, file: null }];
}

interface Started {
  readonly ms: number;
  readonly peak: number;
  readonly pid: number;
  readonly base: string;
  stop(): Promise<void>;
}

async function start(
  { command: [program = "", ...args] }: Program,
  cwd: string,
  env: Record<string, string>,
): Promise<Started> {
  const port = freePort();
  const base = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = new Deno.Command(program, {
    args,
    cwd,
    env: { PORT: String(port), LOG_LEVEL: "error", HOME: Deno.env.get("HOME") ?? "", ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  for (;;) {
    const response = await fetch(`${base}/health`).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) break;
    await new Promise((wake) => setTimeout(wake, 2));
  }
  return {
    ms: performance.now() - began,
    peak: memoryOf(child.pid, "VmHWM"),
    pid: child.pid,
    base,
    stop: async () => {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

async function floor({ command: [program = "", ...args] }: Program): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await new Deno.Command(program, { args: [...args, "version"], stdout: "null" }).output();
    times.push(performance.now() - began);
  }
  return median(times);
}

async function load(base: string): Promise<number> {
  let left = REQUESTS;
  const began = performance.now();
  await Promise.all(Array.from({ length: WORKERS }, async () => {
    while (left-- > 0) {
      const response = await fetch(`${base}/v1/categories`);
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      await response.arrayBuffer();
    }
  }));
  return REQUESTS / ((performance.now() - began) / 1000);
}

async function measure(program: Program, what: string, env: Record<string, string>, cwd: string) {
  const first = await start(program, cwd, env);
  await first.stop();
  // After the first start: a Deno executable caches what the first command compiled, and no more.
  const base = await floor(program);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const again = await start(program, cwd, env);
    times.push(again.ms);
    await again.stop();
  }
  const serving = await start(program, cwd, { ...env, RATE_LIMITS: "categories=9999999" });
  const rate = await load(serving.base);
  const after = memoryOf(serving.pid, "VmRSS");
  await serving.stop();
  const ms = median(times);
  console.log(
    `${program.name.padEnd(11)} ${what.padEnd(9)} first start ${
      first.ms.toFixed(0).padStart(6)
    } ms ` +
      `(${(first.ms / base).toFixed(1)}x of printing the version, ${base.toFixed(0)} ms), ` +
      `later ${ms.toFixed(0)} ms (${(ms / base).toFixed(1)}x); ` +
      `peak of the first ${first.peak.toFixed(0)} MB, after ${REQUESTS} requests ${
        after.toFixed(0)
      } MB (${rate.toFixed(0)}/s by one client)`,
  );
}

for (const program of programs()) {
  if (program.file !== null) {
    console.log(`${program.name.padEnd(11)} ${(statSync(program.file).size / MB).toFixed(1)} MB`);
  }
  const cwd = mkdtempSync(join(tmpdir(), "demand-bench-"));
  let own = program;
  if (program.file !== null) {
    const copy = join(cwd, "demand");
    copyFileSync(program.file, copy);
    own = { ...program, command: [copy] };
  }
  await measure(own, "embedded", { DATA_DIR: join(cwd, "data") }, cwd);
  if (Deno.env.get("BENCH_DATABASE_URL") !== undefined) {
    const database = await ownDatabase("start");
    await measure(own, "Postgres", { DATABASE_URL: database.url }, cwd);
    await database.drop();
  }
  rmSync(cwd, { recursive: true, force: true });
}
