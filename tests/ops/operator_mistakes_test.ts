/** What an operator does by mistake, or what happens to one. */
import {
  assert,
  assertEquals,
  assertGreater,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strangeLines } from "../../commands/environment.ts";
import {
  minedData,
  minedPostgres,
  postgresUrl,
  preparedData,
  temporaryDirectory,
} from "../support/database.ts";
import { startRpc } from "../doubles/rpc.ts";
import { commandOf, run, type RuntimeName, serve } from "../support/program.ts";
import { until } from "../support/time.ts";

Deno.test("a paid mode without BASE_URL serves on its own address, and says whom that keeps out", async () => {
  using directory = temporaryDirectory();
  const env = {
    DATA_DIR: preparedData(directory.path),
    PAYMENT_MODE: "facilitator",
    PAY_TO: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    FACILITATOR_URL: "http://127.0.0.1:9",
    RPC_URL: "http://127.0.0.1:9",
  };
  await using service = await serve(env);
  const { status, sales } = await (await fetch(`${service.base}/health`)).json();
  assertEquals([status, sales], ["ok", "stopped"], "nothing is sold while the facilitator is away");
  assertStringIncludes(service.running.output().stderr, "BASE_URL is not set: challenges name");
  const { stdout } = await run(["doctor"], env);
  assertStringIncludes(stdout, "warn  settings      BASE_URL is not set: challenges name");
});

/** Waits until a file says `text`; tells what it says where it does not. */
async function untilSaid(file: string, text: string): Promise<void> {
  const said = (): string => existsSync(file) ? Deno.readTextFileSync(file) : "";
  await until(() => said().includes(text), text).catch((error) => {
    throw new Error(`${file} says: ${said()}`, { cause: error });
  });
}

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test({
    name: `a terminal that hangs up stops the service under ${runtime} as SIGTERM does`,
    ignore: postgresUrl === undefined || !existsSync("/usr/bin/script"),
    fn: async () => {
      using directory = temporaryDirectory();
      await using mined = await minedPostgres();
      const { url } = mined;
      const [log, pid] = [join(directory.path, "log"), join(directory.path, "pid")];
      // In the shell's place: the kernel tells the leader of the terminal's session.
      const terminal = new Deno.Command("/usr/bin/script", {
        args: [
          "--quiet",
          "--flush",
          "--command",
          `echo $$ >${pid}; exec ${commandOf(runtime).join(" ")} serve 2>${log}`,
          "/dev/null",
        ],
        env: { DATABASE_URL: url, SOURCE: "none", PORT: "0", LOG_FORMAT: "json", SHELL: "/bin/sh" },
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      await untilSaid(log, '"event":"serving"');
      // A shell hangs up on its jobs, and then the kernel does.
      for (const _ of [1, 2]) Deno.kill(Number(Deno.readTextFileSync(pid)), "SIGHUP");
      await untilSaid(log, '"event":"stopped"');
      await terminal.status;
    },
  });

  Deno.test({
    name: `without a terminal, as under nohup, a hang-up changes nothing under ${runtime}`,
    ignore: postgresUrl === undefined || Deno.build.os !== "linux",
    fn: async () => {
      await using mined = await minedPostgres();
      const { url } = mined;
      const { base, running } = await serve({ DATABASE_URL: url, SOURCE: "none" }, runtime);
      running.kill("SIGHUP");
      await new Promise((wake) => setTimeout(wake, 500));
      assertEquals((await fetch(`${base}/livez`)).status, 200);
      running.kill("SIGTERM");
      const { code, stderr } = await running.finished;
      assertEquals(code, 0, stderr);
    },
  });
}

Deno.test("lines of .env that say nothing are told by number, without what they hold", async () => {
  const text = "# comment\n\nA=1\nexport B=2\nhunter2\n  # indented\r\nPAY_TO: hunter2\n";
  assertEquals(strangeLines(text), [5, 7]);
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, ".env"), text);
  const main = join(import.meta.dirname ?? ".", "..", "..", "main.ts");
  const home = { HOME: Deno.env.get("HOME") ?? "", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" };
  const program = { path: Deno.execPath(), cwd: directory.path };
  const { code, stderr } = await run(["run", "-A", main, "openapi"], home, program);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, ".env: line 5 is no NAME=value");
  assertStringIncludes(stderr, ".env: line 7 is no NAME=value");
  assert(!stderr.includes("hunter2"), stderr);
});

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`too few open files stop the start under ${runtime} with one line, before anything is stored`, async () => {
    using directory = temporaryDirectory();
    const dataDir = join(directory.path, "data");
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", 'ulimit -n 200; exec "$@" serve', "sh", ...commandOf(runtime)],
      env: { DATABASE_URL: " ", DATA_DIR: dataDir, PORT: "0" },
    }).output();
    assertEquals(code, 1);
    const said = new TextDecoder().decode(stderr);
    assertMatch(said, /^demand: the system lets this process open too few files: [^\n]+\n$/);
    assertEquals(existsSync(dataDir), false);
  });
}

for (const runtime of ["deno", "bun"] as const satisfies readonly RuntimeName[]) {
  Deno.test(`a service under ${runtime} that may open no more files says so once, and answers when it may`, async () => {
    using directory = temporaryDirectory();
    const start = join(directory.path, "start.sh");
    const command = commandOf(runtime).map((word) => `'${word}'`).join(" ");
    writeFileSync(start, `#!/bin/sh\nulimit -n 560\nexec ${command} "$@"\n`, { mode: 0o755 });
    const home = { HOME: Deno.env.get("HOME") ?? "", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" };
    const env = { ...home, DATA_DIR: minedData(directory.path) };
    await using service = await serve(env, { path: start, cwd: directory.path });
    const { hostname, port } = new URL(service.base);
    const sockets: Deno.Conn[] = [];
    try {
      // More than the files that it has left: those beyond wait in the system's queue, or are refused.
      for (let i = 0; i < 600; i++) {
        const socket = await Deno.connect({ hostname, port: Number(port) }).catch(() => null);
        if (socket !== null) sockets.push(socket);
      }
      if (runtime === "deno") await service.running.saw("connections cannot be accepted");
    } finally {
      for (const socket of sockets) socket.close();
    }
    await until(async () => {
      const response = await fetch(`${service.base}/v1/categories`).catch(() => null);
      await response?.body?.cancel();
      return response?.status === 200;
    }, "it answers again");
    service.running.kill("SIGTERM");
    const { code } = await service.running.finished;
    const { stderr } = service.running.output();
    assertEquals(code, 0, stderr);
    const told = stderr.split("\n").filter((line) => line.includes('"level":"error"'));
    assertEquals(told.length, runtime === "deno" ? 1 : 0, stderr);
    assert(!/^\s+at |"stack"/m.test(stderr), stderr);
  });
}

Deno.test("a chain that is down is told in lines without a stack, and not at each look", async () => {
  using directory = temporaryDirectory();
  await using chain = startRpc(null);
  chain.fault = "away";
  await using service = await serve({
    DATA_DIR: preparedData(directory.path),
    PAYMENT_MODE: "onchain",
    BASE_URL: "https://demand.example",
    PAY_TO: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    SETTLEMENT_PRIVATE_KEY: "1".repeat(64),
    RPC_URL: chain.url,
    SOURCE: "none",
  });
  await service.running.saw("settler maintenance failed");
  const looks = chain.methods.length;
  await until(() => chain.methods.length >= looks + 2, "two looks more");
  service.running.kill("SIGTERM");
  const { stderr } = await service.running.finished;
  assert(!stderr.includes('"stack"'), stderr);
  const told = stderr.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ level }) => level === "warn" || level === "error")
    .map(({ event, cause }) => `${event}: ${cause?.message}`);
  assertGreater(told.length, 0);
  assertEquals(told, [...new Set(told)]);
});
