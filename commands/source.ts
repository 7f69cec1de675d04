/** The source that the settings name, once per process: all its readers share one budget. */
import { sleep } from "../core/deadline.ts";
import type { Source } from "../mining/sources/types.ts";
import { createRedditSource } from "../mining/sources/reddit/source.ts";
import type { CommandContext } from "./context.ts";

/**
 * The source that the settings name, with the budget that all its readers share: to be opened once
 * a process. Null with SOURCE=none.
 * @throws SettingsError naming a setting that is wrong.
 */
export function openSource(
  { config, clock, log }: Pick<CommandContext, "config" | "clock" | "log">,
): Source | null {
  if (config.reddit === null) return null;
  return createRedditSource(config.reddit, {
    fetch: (url, init) => fetch(url, init),
    clock,
    sleep,
    random: Math.random,
    log,
  });
}
