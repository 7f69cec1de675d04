/** A throw-away Postgres cluster on a loopback port, from whatever server binaries are installed. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Cluster {
  readonly url: string;
  /** Stops at once, as a crash would, and starts again. */
  restart(): void;
  /** The two halves of it. */
  halt(): void;
  resume(): void;
  stop(): void;
}

/** The newest server binaries in Debian's place or on the PATH. */
function findBinaries(): string | null {
  const debian = "/usr/lib/postgresql";
  if (existsSync(debian)) {
    const versions = readdirSync(debian).map(Number).filter((v) => v >= 14).sort((a, b) => b - a);
    for (const version of versions) {
      const directory = join(debian, String(version), "bin");
      if (existsSync(join(directory, "initdb"))) return directory;
    }
  }
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    if (existsSync(join(directory, "initdb")) && existsSync(join(directory, "pg_ctl"))) {
      return directory;
    }
  }
  return null;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Runs a server program; as root it becomes the `postgres` user, since Postgres refuses root. */
function run(program: string, args: readonly string[]): void {
  const isRoot = Deno.uid() === 0;
  const command = isRoot
    ? new Deno.Command("setpriv", {
      args: ["--reuid=postgres", "--regid=postgres", "--clear-groups", program, ...args],
      stdout: "null",
      stderr: "piped",
      cwd: "/",
    })
    : new Deno.Command(program, { args: [...args], stdout: "null", stderr: "piped" });
  const { success, stderr } = command.outputSync();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
}

/**
 * Starts a cluster, or gives null where no server is installed. Commits wait for the disk only where they
 * are asked to: what is measured should be what operators get.
 */
export function startCluster({ fsync } = { fsync: false }): Cluster | null {
  const binaries = findBinaries();
  if (binaries === null) return null;
  const directory = mkdtempSync(join(tmpdir(), "demand-pg-"));
  if (Deno.uid() === 0) {
    new Deno.Command("chown", { args: ["postgres:postgres", directory] }).outputSync();
  }
  const data = join(directory, "data");
  const port = freePort();
  const settings =
    `-p ${port} -k ${directory} -c listen_addresses=127.0.0.1 -c max_connections=200 ` +
    `-c fsync=${fsync ? "on" : "off"}`;
  run(join(binaries, "initdb"), ["-A", "trust", "-U", "postgres", "-E", "UTF8", "-D", data]);
  const control = (...args: string[]): void =>
    run(join(binaries, "pg_ctl"), ["-D", data, "-l", join(directory, "log"), "-w", ...args]);
  control("-o", settings, "start");
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    halt: () => control("-m", "immediate", "stop"),
    resume: () => control("-o", settings, "start"),
    restart: () => control("-m", "immediate", "-o", settings, "restart"),
    stop: () => {
      control("-m", "immediate", "stop");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
