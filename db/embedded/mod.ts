/** The embedded Postgres (PGlite) in a data directory, behind the same postgres.js queries. */
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import postgres from "postgres";
import { DeadlineError, sleep, withDeadline } from "../../core/deadline.ts";
import { OperatorError } from "../../core/errors.ts";
import { refusesCalls } from "../../core/life_sign.ts";
import { countedPool } from "../postgres/pool.ts";
import { type Database, DRIVER, ping, type Sql } from "../sql.ts";
import { guardTransactions } from "../postgres/transactions.ts";
import { startEmbedded } from "./client.ts";
import { claimDirectory, EMBEDDED_DIRECTORY, unusable } from "./directory.ts";
import { requestSync } from "./durable.ts";
import { CommandSocket } from "./command_socket.ts";
import { breakLock, type Lock, type LockOwner, type LockResult, takeLock } from "./lock.ts";

const SESSIONS = 4;
/** Connections of a command beside the owner. */
const SHARED = 2;
/** The kernel's bound on a socket's path is 108 bytes on Linux and 104 on macOS. */
const SOCKET_PATH_BYTES = 100;
/** How long another command waits for the owner of the directory to come up or to leave. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 200;

/** After this long without an answer it is asked whether the worker still works. */
const BUSY_MS = 1_000;
/** Longer than a client may leave a transaction open, which holds up everything else for 30 s. */
const SILENT_MS = 40_000;

const common = {
  ...DRIVER,
  user: "postgres",
  database: "postgres",
  ssl: false,
} as const;

const isInside = (dataDir: string, socket: string): boolean => dirname(socket) === dataDir;

/** Within the data directory, or, where that is too long for a socket, in a folder that the owner makes for it. */
function socketPath(dataDir: string): string {
  const inside = join(dataDir, "demand.sock");
  if (Buffer.byteLength(inside) <= SOCKET_PATH_BYTES) return inside;
  return join(tmpdir(), `demand-${randomUUID()}`, "demand.sock");
}

function removeSocket(dataDir: string, socket: string): void {
  const own = isInside(dataDir, socket) ? socket : dirname(socket);
  rmSync(own, { recursive: true, force: true });
}

/**
 * One statement at a time runs in the worker, and one of mining's or a batch of syncs may take seconds:
 * whoever asks meanwhile is told by the worker's silence.
 */
async function answers(sql: Sql, silence: () => number): Promise<void> {
  try {
    await withDeadline(BUSY_MS, null, () => ping(sql));
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    if (silence() >= SILENT_MS) throw new Error("the embedded database says nothing");
  }
}

async function own(
  dataDir: string,
  socket: string,
  lock: Lock,
  signal: AbortSignal | undefined,
): Promise<Database> {
  try {
    if (!isInside(dataDir, socket)) mkdirSync(dirname(socket), { mode: 0o700 });
    const client = await startEmbedded(join(dataDir, EMBEDDED_DIRECTORY), socket, signal);
    lock.announce(client.listening);
    lock.lost.then((why) => client.abort(why));
    const driver = postgres({
      ...common,
      max: SESSIONS,
      socket: () => client.socket(),
    } as unknown as postgres.Options<{ bigint: postgres.PostgresType<number> }>);
    const { sql, state } = countedPool(guardTransactions(driver), SESSIONS);
    return {
      kind: "embedded",
      owner: true,
      sql,
      short: async (statement) => await statement(sql),
      withDeadline: sql,
      answers: () => answers(sql, () => client.silence()),
      durable: () => client.sync(),
      pool: state,
      ended: client.ended,
      close: async () => {
        lock.announce(false);
        await sql.end({ timeout: 5 });
        await client.close(SILENT_MS);
        // In the directory it is the socket of whoever has the lock now.
        if (lock.isOurs() || !isInside(dataDir, socket)) removeSocket(dataDir, socket);
        lock.release();
      },
    };
  } catch (error) {
    removeSocket(dataDir, socket);
    lock.release();
    throw error;
  }
}

/** Takes the lock, or tells who has it. @throws OperatorError where no file can be made. */
function tryLock(dataDir: string, socket: string, now: () => number): LockResult {
  try {
    return takeLock(dataDir, socket, now);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

/** Whether an owner of this machine that said it listens does so no more: a dead one's socket refuses. */
function isGone(owner: LockOwner): Promise<boolean> {
  if (!owner.listening || owner.host !== hostname()) return Promise.resolve(false);
  return refusesCalls(owner.socket);
}

/** A connection through the owner's socket, or null while it is not listening yet. */
async function joinOwner(owner: LockOwner): Promise<Database | null> {
  const driver = postgres({
    ...common,
    max: SHARED,
    connect_timeout: 5,
    // The driver names it where a connection is lost.
    path: owner.socket,
    socket: () => new CommandSocket(connect(owner.socket)),
  } as unknown as postgres.Options<{ bigint: postgres.PostgresType<number> }>);
  const { sql, state } = countedPool(guardTransactions(driver), SHARED);
  try {
    await sql`select 1`;
  } catch {
    await sql.end({ timeout: 0 });
    return null;
  }
  return {
    kind: "embedded",
    owner: false,
    sql,
    short: async (statement) => await statement(sql),
    withDeadline: sql,
    answers: () => ping(sql),
    durable: () => requestSync(owner.socket),
    pool: state,
    close: () => sql.end({ timeout: 5 }),
  };
}

/**
 * Opens the embedded database in `directory`: as its owner, or, where another process of the same
 * operator owns it and `share` allows, through that process's local socket.
 * @throws OperatorError when the directory cannot be used or stays owned by someone unreachable.
 */
export async function openEmbedded(
  directory: string,
  options: {
    readonly share: boolean;
    readonly now: () => number;
    /** Ends the opening with its reason. */
    readonly signal?: AbortSignal;
  },
): Promise<Database> {
  const dataDir = resolve(directory);
  claimDirectory(dataDir);
  const socket = socketPath(dataDir);
  const deadline = options.now() + PATIENCE_MS;
  for (;;) {
    const result = tryLock(dataDir, socket, options.now);
    if (result.held) return await own(dataDir, socket, result.lock, options.signal);
    const { owner } = result;
    if (owner !== null && await isGone(owner)) {
      breakLock(dataDir, owner);
      continue;
    }
    const shared = owner !== null && options.share ? await joinOwner(owner) : null;
    if (shared !== null) return shared;
    // A lock that names nobody is complete in a moment, or stale in a few seconds.
    if ((owner !== null && !options.share) || options.now() > deadline) {
      const who = owner === null ? "someone unknown" : `process ${owner.pid} on ${owner.host}`;
      throw new OperatorError(`DATA_DIR: ${dataDir} is in use by ${who}`);
    }
    await sleep(RETRY_MS, options.signal);
  }
}
