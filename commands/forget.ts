/** `demand forget ID…`: posts removed by hand, as if they were gone at their source. */
import { sleep } from "../core/deadline.ts";
import { forget, postIdOf } from "../mining/job/forget.ts";
import { type CommandContext, withStorage } from "./context.ts";

/**
 * Removes posts for good, with what was made of them, and keeps them from being taken in again.
 * `given` are ids or permalinks, as `postIdOf` reads them; others are passed over. Gives the exit
 * code.
 */
export async function runForget(
  context: CommandContext,
  given: readonly string[],
): Promise<number> {
  const ids = [...new Set(given.flatMap((text) => postIdOf(text) ?? []))];
  return await withStorage(context, { share: true, mustExist: true }, async (database) => {
    const { clock, log, print, config: { minAuthors } } = context;
    const removed = await forget({ database, clock, log, sleep, minAuthors }, ids);
    const rest = ids.length - removed;
    print(`Removed ${removed} ${removed === 1 ? "post" : "posts"} and what was made of them.\n`);
    if (rest > 0) {
      const them = rest === 1
        ? "1 is not stored (any more); it"
        : `${rest} are not stored (any more); they`;
      print(`${them} will not be taken in later either.\n`);
    }
    return 0;
  });
}
