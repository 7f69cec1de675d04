/** What the doctor asks the database: its version, schema, payments left open, and mining runs. */
import type { Config } from "../config.ts";
import { schemaVersion } from "../db/migrate.ts";
import { MIGRATIONS } from "../db/migrations/mod.ts";
import { countOpenPayments } from "../db/admin.ts";
import { recentRuns } from "../db/runs.ts";
import { type Database, isReadOnly, mayCreate, ping, serverVersion } from "../db/sql.ts";
import { createRail } from "../payment/rail.ts";
import { paymentSettings } from "./assemble.ts";
import type { CommandContext } from "./context.ts";
import { type Check, fail, type Finding, ok, warn } from "./doctor.ts";

const SLOW_MS = 100;
const HOUR_MS = 3_600_000;
/** Mining is due every half hour by default; this many hours without a run deserve a look. */
const STALE_HOURS = 2;

/** Which database answers, and how fast. */
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

/** The checks that need a database. */
export function databaseChecks(context: CommandContext, database: Database): Check[] {
  const { clock, config } = context;
  const { sql } = database;
  const migrations = async (): Promise<Finding> => {
    const newest = MIGRATIONS.at(-1)?.id ?? 0;
    const present = await schemaVersion(sql);
    if (present === newest) return ok(`schema ${present}, as this version has it`);
    if (present > newest) {
      return warn(
        `schema ${present}, this version knows ${newest}`,
        "a newer version was here; fine during an upgrade, else run that version",
      );
    }
    const says = `schema ${present}, this version has ${newest}`;
    return await mayCreate(sql)
      ? warn(says, "the next start migrates it")
      : fail(says, "this user may not create tables: have their owner run demand migrate");
  };
  const settlements = async (): Promise<Finding> => {
    if (await schemaVersion(sql) < 2) return ok("none");
    const { key } = createRail(paymentSettings(config));
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
    const hours = (clock.now().getTime() - last.startedAt.getTime()) / HOUR_MS;
    const says = `last ${last.kind} at ${at}`;
    return last.kind === "mine" && hours > STALE_HOURS
      ? warn(says, "mining is due every half hour: is a service running, and MINE_CRON as meant?")
      : ok(says);
  };
  return [
    { name: "migrations", look: migrations },
    { name: "settlements", look: settlements },
    { name: "mining", look: mining },
  ];
}
