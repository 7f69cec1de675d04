/** What the doctor asks the database: its version, schema, payments left open, and mining runs. */
import fs from "node:fs";
import type { Config } from "../../config.ts";
import { dueAfter } from "../../core/cron.ts";
import { countOpenPayments } from "../../db/ledger/lookups.ts";
import { recentRuns } from "../../db/corpus/runs.ts";
import { probeWrite } from "../../db/ledger/mod.ts";
import { schemaVersion } from "../../db/migrate.ts";
import { NEWEST_MIGRATION } from "../../db/migrations/mod.ts";
import {
  databaseBytes,
  dataDirectory,
  isReadOnly,
  mayCreate,
  serverVersion,
} from "../../db/server.ts";
import { type Database, ping } from "../../db/sql.ts";
import { createRail } from "../../payment/protocol/rail.ts";
import type { CommandContext } from "../context.ts";
import { type Check, fail, type Finding, firstLineOf, ok, warn } from "./finding.ts";

const SLOW_MS = 100;
/** The migration that made the row which is written to find out whether writes succeed. */
const PROBE_SCHEMA = 10;
/** As many runs that were due and did not begin deserve a look. */
const MISSED_RUNS = 4;

/** Free space below which an operator should act, and below which sales are about to stop. */
const LOW_BYTES = 1_000_000_000;
const NONE_BYTES = 100_000_000;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 0)} GB`;

/** The folder of the database where it lies on this machine; null where it does not, or nobody may ask. */
async function folderOf({ kind, sql }: Database, { storage }: Config): Promise<string | null> {
  if (kind === "embedded") return storage.dataDir;
  const { hostname } = new URL(storage.databaseUrl ?? "postgres://?");
  if (!["", "localhost", "127.0.0.1", "[::1]"].includes(hostname)) return null;
  try {
    return await dataDirectory(sql);
  } catch {
    return null;
  }
}

/**
 * Bytes that this user may still write to the disk of a folder; null where there is no such folder here, and
 * under a runtime that cannot tell: Deno 2.4 has no statfs, so that to import it by name would end the program.
 */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await fs.promises.statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** How much room the database's disk has, as far as can be seen from here. */
function spaceCheck(context: CommandContext, database: Database): Check {
  const look = async (): Promise<Finding> => {
    const folder = await folderOf(database, context.config);
    const free = folder === null ? null : await freeBytes(folder);
    if (folder === null || free === null) {
      const size = gigabytes(await databaseBytes(database.sql));
      return ok(
        `the database takes ${size}; how much room is left on its disk cannot be seen from here`,
      );
    }
    const says = `${gigabytes(free)} free on the disk of ${folder}`;
    if (free >= LOW_BYTES) return ok(says);
    const advice = "make room: where nothing can be written, nothing can be sold";
    return free < NONE_BYTES ? fail(says, advice) : warn(says, advice);
  };
  return { name: "disk", look };
}

/** Whether payments could be written down. */
function ledgerCheck({ sql, short, durable }: Database): Check {
  const look = async (): Promise<Finding> => {
    if (await schemaVersion(sql) < PROBE_SCHEMA) return ok("not tried on an older schema");
    try {
      await probeWrite({ short, durable });
      return ok("a write to the disk succeeds");
    } catch (error) {
      return fail(
        `payments cannot be written down: ${firstLineOf(error)}`,
        "nothing is sold until that ends: look at the disk and the rights of the database",
      );
    }
  };
  return { name: "ledger", look };
}

/**
 * The check of which database answers, how fast, and whether it can be written to. `openedMs` is
 * how long opening it took.
 */
export function databaseCheck(
  { kind, sql, owner }: Database,
  { storage }: Config,
  openedMs: number,
): Check {
  const look = async (): Promise<Finding> => {
    const version = await serverVersion(sql);
    const started = performance.now();
    await ping(sql);
    const ms = performance.now() - started;
    const place = kind === "embedded"
      ? `embedded in ${storage.dataDir}${owner ? "" : ", owned by a running service"}`
      : `Postgres at ${new URL(storage.databaseUrl ?? "postgres://?").host}`;
    const says = `${place}, server ${version}, opened in ${openedMs.toFixed(0)} ms, answers in ${
      ms.toFixed(1)
    } ms`;
    if (await isReadOnly(sql)) {
      return fail(`${place} is read-only`, "name the database that can be written to: no standby");
    }
    return kind === "postgres" && ms > SLOW_MS
      ? warn(says, "a paid call makes several round trips: put the service nearer to its database")
      : ok(says);
  };
  return { name: "database", look };
}

/**
 * The checks of what the database holds: schema, unresolved settlements, mining runs, and the room
 * on its disk.
 */
export function databaseChecks(context: CommandContext, database: Database): Check[] {
  const { clock, config } = context;
  const { sql } = database;
  const migrations = async (): Promise<Finding> => {
    const present = await schemaVersion(sql);
    if (present === NEWEST_MIGRATION) return ok(`schema ${present}, as this version has it`);
    if (present > NEWEST_MIGRATION) {
      return warn(
        `schema ${present}, this version knows ${NEWEST_MIGRATION}`,
        "a newer version was here; fine during an upgrade, else run that version",
      );
    }
    const says = `schema ${present}, this version has ${NEWEST_MIGRATION}`;
    return await mayCreate(sql)
      ? warn(says, "the next start migrates it")
      : fail(says, "this user may not create tables: have their owner run demand migrate");
  };
  const settlements = async (): Promise<Finding> => {
    if (await schemaVersion(sql) < 2) return ok("none");
    const { key } = createRail(config.payment);
    const { settling, oldest, elsewhere } = await countOpenPayments(sql, key);
    const others = elsewhere === 0
      ? ""
      : `; ${elsewhere} on a network or token that is not configured now (docs/payment.md)`;
    if (settling === 0) return ok(`none unresolved${others}`);
    const minutes = Math.round((clock.now().getTime() - (oldest?.getTime() ?? 0)) / 60_000);
    const says = `${settling} unresolved, the oldest for ${minutes} min${others}`;
    return minutes < 10 ? ok(says) : warn(
      says,
      "their outcome is asked of the chain every minute while the service runs: check RPC_URL",
    );
  };
  const mining = async (): Promise<Finding> => {
    if (await schemaVersion(sql) < 1) return warn("never", "nothing was mined here yet");
    const [last] = await recentRuns(sql, 1);
    if (last === undefined) return warn("no run yet", "start the service, or run demand import");
    const at = (last.finishedAt ?? last.startedAt).toISOString();
    if (last.error !== null) {
      return fail(
        `the last ${last.kind} failed at ${at}: ${last.error}`,
        "see the log of that run",
      );
    }
    const says = `last ${last.kind} at ${at}`;
    const due = dueAfter(config.mineCron, last.startedAt, MISSED_RUNS);
    return last.kind === "mine" && due !== null && due < clock.now()
      ? warn(
        says,
        `mining was due ${MISSED_RUNS} times since: is a service running, and MINE_CRON as meant?`,
      )
      : ok(says);
  };
  return [
    spaceCheck(context, database),
    ledgerCheck(database),
    { name: "migrations", look: migrations },
    { name: "settlements", look: settlements },
    { name: "mining", look: mining },
  ];
}
