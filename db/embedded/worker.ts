/**
 * The embedded database's own thread: one PGlite, so that no query ever stalls the serving thread.
 * It serves the thread that started it by messages, and other commands of the same operator through
 * a local socket in the data directory.
 */
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { pathToFileURL } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { isDiskFull, messageOf } from "../../core/errors.ts";
import { type Assets, embeddedAssets } from "./assets.ts";
import { checkpoint, close } from "./checkpoint.ts";
import { ensureDirectory, unpackTar } from "./directory.ts";
import { asError, FLUSH_PARAMETERS, FlushedFiles } from "./files.ts";
import type { FromWorker, ToWorker } from "./messages.ts";
import { stopAtEnd } from "./panic.ts";
import { BackendGate, Session } from "./session.ts";
import { vacuum } from "./vacuum.ts";

/** As much of a worker's global scope as is used here. */
interface WorkerScope {
  postMessage(message: FromWorker): void;
  onmessage: ((event: { readonly data: ToWorker }) => void) | null;
}

/** A client that stops in the middle of a transaction blocks everyone else. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** PGlite's defaults less its 128 MB of buffers: 290 MB resident become 158 MB. */
const START_PARAMETERS = ["-c", "shared_buffers=8MB", "-c", "wal_buffers=1MB", ...FLUSH_PARAMETERS];

/** Four segments of the log, which a start after a crash reads in a second. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024;
const CHECKPOINT_EVERY_MS = 2_000;
const VACUUM_EVERY_MS = 60_000;
/** And a fifth of the table (vacuum.ts). */
const VACUUM_ROWS = 1_000;

/** Begun as this thread starts, which may be before it gets a directory. */
const parts = embeddedAssets();
parts.catch(() => {});

const scope = globalThis as unknown as WorkerScope;
const gate = new BackendGate();
const sessions = new Map<number, Session>();
let opened: { readonly backend: PGlite; readonly files: FlushedFiles } | undefined;
let server: Server | undefined;
let worked = false;
let dataDir = "";

/** PGlite with its parts from its package, or from inside the executable. */
async function create(
  directory: string,
  fs: FlushedFiles,
  assets: Assets | null,
): Promise<PGlite> {
  const startParams = [...PGlite.defaultStartParams, ...START_PARAMETERS];
  if (assets === null) return await PGlite.create({ fs, startParams, extensions: { pg_trgm } });
  // PGlite streams an extension from a real file; Bun's executable has none to stream from.
  const archive = `${directory}.pg_trgm.tar.gz`;
  const setup = () => Promise.resolve({ bundlePath: pathToFileURL(archive) });
  try {
    writeFileSync(archive, assets.trgm, { mode: 0o600 });
    return await PGlite.create({
      fs,
      startParams,
      pgliteWasmModule: assets.wasm,
      fsBundle: assets.data,
      extensions: { pg_trgm: { ...pg_trgm, setup } },
    });
  } finally {
    rmSync(archive, { force: true });
  }
}

const ROOM = "free some room (50 MB or more) and start again";

/** Tells of a full disk what to do; any other error as it is. */
function orFullDisk(thrown: unknown): Error {
  const error = asError(thrown);
  if (!isDiskFull(error)) return error;
  const message = `${error.message}. The disk is full: ${ROOM}; nothing is lost`;
  return new Error(message, { cause: error });
}

/** What Postgres says where it cannot start does not tell a full disk from damage. */
function orDamage(thrown: unknown): Error {
  const error = orFullDisk(thrown);
  if (isDiskFull(error)) return error;
  return new Error(
    `${error.message}. If the disk is full, ${ROOM}; if not, the files in ${dataDir} may be ` +
      "damaged: keep a copy of them, and restore a backup into an empty DATA_DIR",
    { cause: error },
  );
}

async function open(request: Extract<ToWorker, { type: "open" }>): Promise<void> {
  dataDir = request.dataDir;
  const assets = await parts;
  let isFresh = false;
  await ensureDirectory(dataDir, async (fresh) => {
    isFresh = true;
    if (assets !== null) return unpackTar(assets.directory(), fresh);
    await (await create(fresh, new FlushedFiles(fresh, true), assets)).close();
  }).catch((error) => {
    throw orFullDisk(error);
  });
  const files = new FlushedFiles(dataDir, isFresh);
  const backend = await create(dataDir, files, assets).catch((error) => {
    throw orDamage(error);
  });
  stopAtEnd(backend, ({ message }) => scope.postMessage({ type: "failed", message }));
  files.eager = false;
  opened = { backend, files };
  setTimeout(checkpointWhenDue, CHECKPOINT_EVERY_MS);
  setTimeout(vacuumWhenDue, VACUUM_EVERY_MS);
  const listening = request.socketPath !== null && await listen(backend, request.socketPath);
  scope.postMessage({ type: "opened", listening });
}

/** Looks again and again, but not where nothing was done since. */
async function checkpointWhenDue(): Promise<void> {
  try {
    if (worked && opened !== undefined) {
      worked = false;
      await checkpoint({ ...opened, gate, afterBytes: CHECKPOINT_BYTES });
    }
  } catch {
    // A full disk, say: whatever is done next in the database tells. It is tried again.
    worked = true;
  }
  setTimeout(checkpointWhenDue, CHECKPOINT_EVERY_MS);
}

/** Looks again and again; where it fails, as on a full disk, it is tried again. */
async function vacuumWhenDue(): Promise<void> {
  if (opened !== undefined) {
    await vacuum({ ...opened, gate, afterRows: VACUUM_ROWS }).catch(() => {});
  }
  setTimeout(vacuumWhenDue, VACUUM_EVERY_MS);
}

/** False where the platform has no such sockets: then only this process reaches the database. */
function listen(database: PGlite, path: string): Promise<boolean> {
  rmSync(path, { force: true });
  return new Promise((resolve) => {
    const listener = createServer((socket) => {
      const session = new Session({
        backend: database,
        gate,
        send: (bytes) => void socket.write(bytes),
        ended: () => void socket.end(),
        sync: () => opened?.files.flushLog(),
        idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
      });
      socket.on("data", (bytes) => {
        worked = true;
        socket.pause();
        session.feed(bytes).then(() => socket.resume(), () => socket.destroy());
      });
      socket.on("error", () => socket.destroy());
      socket.on("close", () => void session.end());
    });
    listener.once("error", () => resolve(false));
    listener.listen(path, () => {
      chmodSync(path, 0o600);
      server = listener;
      resolve(true);
    });
  });
}

function connect(connection: number): void {
  if (opened === undefined) return;
  sessions.set(
    connection,
    new Session({
      backend: opened.backend,
      gate,
      send: (bytes) => scope.postMessage({ type: "data", connection, bytes }),
      ended: () => {
        sessions.delete(connection);
        scope.postMessage({ type: "ended", connection });
      },
      sync: () => opened?.files.flushLog(),
      idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
    }),
  );
}

async function handle(message: ToWorker): Promise<void> {
  switch (message.type) {
    case "open":
      return await open(message);
    case "connect":
      return connect(message.connection);
    case "data":
      worked = true;
      return void sessions.get(message.connection)?.feed(message.bytes).catch(() =>
        scope.postMessage({ type: "ended", connection: message.connection })
      );
    case "end":
      return void sessions.get(message.connection)?.end();
    case "sync": {
      let error: string | null = null;
      try {
        opened?.files.flushLog();
      } catch (caught) {
        error = messageOf(caught);
      }
      return scope.postMessage({ type: "synced", ticket: message.ticket, error });
    }
    case "close":
      server?.close();
      if (opened !== undefined) await close(opened.backend, opened.files);
      return scope.postMessage({ type: "closed" });
  }
}

scope.onmessage = (event) => {
  handle(event.data).catch((error) =>
    scope.postMessage({ type: "failed", message: asError(error).message })
  );
};
