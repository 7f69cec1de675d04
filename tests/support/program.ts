/** The program itself as a child process, under Deno or Bun, as an operator would run it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The configuration with the packages that tests alone need. */
export const TEST_CONFIG = new URL("../../deno.test.json", import.meta.url).pathname;

export type RuntimeName = "deno" | "bun";

/** A copy of an executable, run in a folder of its own with nothing on its PATH. */
export interface Executable {
  readonly path: string;
  readonly cwd: string;
}

/** A file of ours, run in place of main.ts: by Deno, where nothing else is said. */
export interface Script {
  readonly script: string;
  readonly runtime?: RuntimeName;
}

/** What to run: the sources under a runtime, a script, or an executable made of them. */
export type Program = RuntimeName | Script | Executable;

export interface Finished {
  readonly code: number;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  kill(signal: Deno.Signal): void;
  /** Everything written so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Resolves once standard error holds `text`; rejects when the program ends before, or does not say it. */
  saw(text: string): Promise<void>;
  readonly finished: Promise<Finished>;
}

const ROOT = join(import.meta.dirname ?? ".", "..", "..");
const MAIN = join(ROOT, "main.ts");

let bun: string | undefined;

/** Bun's binary in npm's cache, fetched if it is not there. Run directly: npx passes no signals on. */
function bunBinary(): string {
  bun ??= execFileSync("npx", ["-y", "bun@1.4.4", "-e", "console.log(process.execPath)"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
  return bun;
}

const runner = (runtime: RuntimeName): readonly string[] =>
  runtime === "deno" ? [Deno.execPath(), "run", "-A", "--quiet"] : [bunBinary()];

/** The program and its first arguments. */
export function commandOf(program: Program): readonly string[] {
  if (typeof program === "object") {
    if ("path" in program) return [program.path];
    return [...runner(program.runtime ?? "deno"), join(ROOT, program.script)];
  }
  return [...runner(program), MAIN];
}

/** Only what the program needs of our environment: settings of the machine must not reach it. */
function environment(env: Readonly<Record<string, string>>): Record<string, string> {
  const passed = ["PATH", "HOME", "DENO_DIR", "TMPDIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passed), LOG_FORMAT: "json", ...env };
}

/** The first start of a fresh database takes most of a minute on a busy machine. */
const SAW_MS = 180_000;

async function collect(stream: ReadableStream<Uint8Array>, into: string[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) into.push(decoder.decode(bytes, { stream: true }));
}

/** Starts the program. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  runtime: Program = "deno",
): Running {
  const [program = "", ...rest] = [...commandOf(runtime), ...args];
  const isAlone = typeof runtime === "object" && "path" in runtime;
  const child = new Deno.Command(program, {
    args: rest,
    env: isAlone ? { LOG_FORMAT: "json", ...env } : environment(env),
    clearEnv: true,
    ...(isAlone ? { cwd: runtime.cwd } : {}),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const chunks = { stdout: [] as string[], stderr: [] as string[] };
  const read = [collect(child.stdout, chunks.stdout), collect(child.stderr, chunks.stderr)];
  const output = () => ({ stdout: chunks.stdout.join(""), stderr: chunks.stderr.join("") });
  const finished = (async (): Promise<Finished> => {
    const { code, signal } = await child.status;
    await Promise.all(read);
    return { code, signal, ...output() };
  })();
  const saw = async (text: string): Promise<void> => {
    let ended = false;
    void finished.then(() => ended = true);
    const deadline = performance.now() + SAW_MS;
    while (!output().stderr.includes(text)) {
      if (performance.now() > deadline) {
        // Whoever waits has no other way to end it: a program that hangs must not outlive its test.
        child.kill("SIGKILL");
        throw new Error(`not in ${SAW_MS / 1000} s: "${text}": ${JSON.stringify(await finished)}`);
      }
      if (ended) throw new Error(`ended before "${text}": ${JSON.stringify(await finished)}`);
      await new Promise((wake) => setTimeout(wake, 20));
    }
  };
  return { pid: child.pid, kill: (signal) => child.kill(signal), output, saw, finished };
}

/** Runs the program to its end. */
export function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  runtime: Program = "deno",
): Promise<Finished> {
  return start(args, env, runtime).finished;
}

export interface Service extends AsyncDisposable {
  readonly base: string;
  readonly running: Running;
}

/** Starts `serve` on a free port and waits until it serves. */
export async function serve(
  env: Readonly<Record<string, string>>,
  runtime: Program = "deno",
): Promise<Service> {
  const running = start(["serve"], { PORT: "0", ...env }, runtime);
  await running.saw('"event":"serving"');
  const line = running.output().stderr.split("\n").find((l) => l.includes('"event":"serving"'));
  const { address } = JSON.parse(line ?? "{}") as { address: string };
  let ended = false;
  void running.finished.then(() => ended = true);
  return {
    base: address,
    running,
    [Symbol.asyncDispose]: async () => {
      if (!ended) running.kill("SIGTERM");
      await running.finished;
    },
  };
}

/** What a service started with METRICS_LISTEN=127.0.0.1:0 exposes. */
export async function metricsOf({ running }: Service): Promise<string> {
  const [, address] = /"address":"(http:[^"]+\/metrics)"/.exec(running.output().stderr) ?? [];
  return await (await fetch(address ?? "")).text();
}
