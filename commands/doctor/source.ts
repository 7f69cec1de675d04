/** What the doctor knows of the live source: what it refused, what was missed, and when it is asked again. */
import { DAY_MS } from "../../core/clock.ts";
import { communityStates, sourcePause } from "../../db/corpus/communities.ts";
import { schemaVersion } from "../../db/migrate.ts";
import type { Database } from "../../db/sql.ts";
import type { CommandContext } from "../context.ts";
import { type Check, type Finding, ok, warn } from "./finding.ts";

/** The schema since which communities are remembered. */
const SINCE_SCHEMA = 4;
const SHOWN = 5;

const minute = (time: Date): string => `${time.toISOString().slice(0, 16)}Z`;

/** The first few, and how many more there are. */
function several(items: readonly string[]): string {
  const more = items.length - SHOWN;
  return items.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Whether the source as a whole is left alone for a while. */
async function pause({ clock }: CommandContext, { sql }: Database): Promise<Finding> {
  const paused = await sourcePause(sql, "reddit");
  if (paused === null) return ok("not paused");
  const { failures, retryAt, reason } = paused;
  const says = `${failures} ${failures === 1 ? "run" : "runs"} in a row failed: ${reason}`;
  return retryAt <= clock.now()
    ? warn(`${says}; asked again at the next run`, "nothing to do if the line above says ok")
    : warn(
      `${says}; left alone until ${minute(retryAt)}`,
      "once the cause is gone, demand mine --once asks at once",
    );
}

/** Communities that the source does not show us. */
async function closed({ registry }: CommandContext, { sql }: Database): Promise<Finding> {
  const states = await communityStates(sql);
  const names = [...states].flatMap(([name, { closedReason, retryAt }]) =>
    closedReason === null || registry.find(name) === undefined
      ? []
      : [`${name} (${closedReason}${retryAt === null ? "" : `, asked again ${minute(retryAt)}`})`]
  );
  if (names.length === 0) return ok("none refused");
  return warn(
    `${names.length} refused: ${several(names)}`,
    "they are asked again by themselves; leave those that stay closed out of COMMUNITIES_FILE",
  );
}

/** Posts that nobody read because the listing did not reach back to the last reading. */
async function missed({ clock }: CommandContext, { sql }: Database): Promise<Finding> {
  const since = clock.now().getTime() - DAY_MS;
  const states = await communityStates(sql);
  const names = [...states].flatMap(([name, { missedAt }]) =>
    missedAt !== null && missedAt.getTime() >= since ? [`${name} (${minute(missedAt)})`] : []
  );
  if (names.length === 0) return ok("none in the last day");
  return warn(
    `posts were missed in ${several(names)}`,
    "they came faster than they were read: mine more often (MINE_CRON), or keep the service up",
  );
}

/** The checks of a live source, by what runs wrote down of it; none where posts are imported. */
export function sourceChecks(context: CommandContext, database: Database): Check[] {
  if (context.config.reddit === null) return [];
  const looks = [["pause", pause], ["communities", closed], ["missed", missed]] as const;
  return looks.map(([name, look]) => ({
    name,
    look: async () =>
      await schemaVersion(database.sql) < SINCE_SCHEMA
        ? ok("nothing read yet")
        : await look(context, database),
  }));
}
