/**
 * One process owns an embedded data directory: two on one directory silently lose rows.
 *
 * The lock is a file created exclusively, naming its owner. It is stale when the owner is known to be
 * dead (same host and PID namespace, no such process), when its socket refuses (mod.ts looks), or,
 * where neither can be known (another container on a shared volume), when its heartbeat stopped. An
 * owner that was only suspended for so long looks at the file before each beat, and learns that it has
 * lost the directory.
 */
import { errorCode } from "../../core/errors.ts";
import { randomUUID } from "node:crypto";
import {
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { z } from "zod";
import { clearInterval, setInterval } from "node:timers";

const lockOwner = z.object({
  pid: z.number(),
  host: z.string(),
  /**
   * Within which `pid` names it: containers may share the host's name, and number on their own. Locks of earlier
   * versions do not say.
   */
  pidNamespace: z.string().nullable().default(null),
  /** Tells a process from a later one that got the same number. */
  started: z.string(),
  token: z.string(),
  /** Where the owner listens for other commands. */
  socket: z.string(),
  /** True from the moment it listens until it begins to leave. */
  listening: z.boolean().default(false),
}).readonly();

export type LockOwner = z.infer<typeof lockOwner>;

export interface Lock {
  /** Says in the lock file whether the socket is there. */
  announce(listening: boolean): void;
  /** Whether the lock file names this owner. */
  isOurs(): boolean;
  /** Resolves with the reason once it is lost: the directory must not be written to any more. */
  readonly lost: Promise<string>;
  release(): void;
}

export type LockResult =
  | { readonly held: true; readonly lock: Lock }
  /** `owner` is null where the lock does not say it: it is being written, or whoever wrote it died. */
  | { readonly held: false; readonly owner: LockOwner | null };

export const LOCK_FILE = "demand.lock";
const HEARTBEAT_MS = 2_000;
const STALE_MS = 10_000;

/** When a process started, in the kernel's ticks since boot; "" where there is no /proc. */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** "" where the system has no namespaces; null where the program may not ask. */
function ownPidNamespace(): string | null {
  if (process.platform !== "linux") return "";
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

/** Whether the owner's number means the same process here. */
function isNumberedHere({ host, pidNamespace }: LockOwner): boolean {
  return host === hostname() && pidNamespace !== null && pidNamespace === ownPidNamespace();
}

type Liveness = "alive" | "dead" | "unknown";

/** Unknown where the program may not look at other processes, as the compiled one may not. */
function livenessOf({ pid, started }: LockOwner): Liveness {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EPERM") return code === "ESRCH" ? "dead" : "unknown";
  }
  return processStart(pid) === started ? "alive" : "dead";
}

function readOwner(path: string): LockOwner | null {
  try {
    return lockOwner.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

function heartbeatAge(path: string, now: number): number {
  try {
    return now - statSync(path).mtimeMs;
  } catch {
    return Infinity;
  }
}

function isStale(path: string, owner: LockOwner | null, now: number): boolean {
  if (owner !== null && isNumberedHere(owner)) {
    const liveness = livenessOf(owner);
    if (liveness === "dead") return true;
    if (liveness === "alive" && owner.pid !== process.pid) return false;
  }
  return heartbeatAge(path, now) > STALE_MS;
}

/**
 * Moves a stale lock aside and looks again before it is gone: between the look and the move another
 * process may have replaced it by its own, which is then put back.
 */
function removeStale(path: string, stale: LockOwner | null): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readOwner(aside)?.token === stale?.token) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

/** Ends the lock of an owner that is known to be gone; another owner's stays. */
export function breakLock(dataDir: string, owner: LockOwner): void {
  removeStale(join(dataDir, LOCK_FILE), owner);
}

/** Makes the lock, which must not be there, whole or not at all: a full disk takes names without words. */
function writeLock(path: string, owner: LockOwner): void {
  try {
    // Not openSync: of what that throws, the compiled program of Deno 2.4 does not tell the code.
    writeFileSync(path, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === "ENOSPC") rmSync(path, { force: true });
    throw error;
  }
}

function whyLost(dataDir: string, holder: LockOwner | null): string {
  if (holder !== null) return "another process took the directory while this one stood still";
  return existsSync(dataDir)
    ? `its lock, ${LOCK_FILE}, was removed`
    : "the folder was moved or removed";
}

/** Takes the lock of `dataDir`, or tells who has it. `now` is wall time in milliseconds. */
export function takeLock(dataDir: string, socket: string, now: () => number): LockResult {
  const path = join(dataDir, LOCK_FILE);
  const owner: LockOwner = {
    pid: process.pid,
    host: hostname(),
    pidNamespace: ownPidNamespace(),
    started: processStart(process.pid),
    token: randomUUID(),
    socket,
    listening: false,
  };
  const isOurs = (): boolean => readOwner(path)?.token === owner.token;
  for (;;) {
    try {
      writeLock(path, owner);
      break;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    const other = readOwner(path);
    if (!isStale(path, other, now())) return { held: false, owner: other };
    removeStale(path, other);
  }
  const lost = Promise.withResolvers<string>();
  const heartbeat = setInterval(() => {
    const holder = readOwner(path);
    if (holder === null ? !existsSync(path) : holder.token !== owner.token) {
      clearInterval(heartbeat);
      return lost.resolve(whyLost(dataDir, holder));
    }
    const time = new Date(now());
    try {
      utimesSync(path, time, time);
    } catch {
      // The directory went away under us; the database itself will say so.
    }
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    held: true,
    lock: {
      isOurs,
      lost: lost.promise,
      announce: (listening) => {
        if (!isOurs()) return;
        const aside = `${path}.${owner.token}`;
        try {
          writeFileSync(aside, JSON.stringify({ ...owner, listening }), { mode: 0o600 });
          renameSync(aside, path);
        } catch {
          // A full disk: others wait for the heartbeat to end instead of asking the socket.
          rmSync(aside, { force: true });
        }
      },
      release: () => {
        clearInterval(heartbeat);
        if (isOurs()) rmSync(path, { force: true });
      },
    },
  };
}
