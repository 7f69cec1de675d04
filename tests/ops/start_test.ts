/** A start in this process: nothing of it runs on once it is over. */
import { assertEquals, assertRejects } from "@std/assert";
import type { CommandContext } from "../../commands/context.ts";
import { runServe } from "../../commands/serve/mod.ts";
import { Interrupted } from "../../commands/usage.ts";
import { readConfig } from "../../config.ts";
import { systemClock } from "../../core/clock.ts";
import { OperatorError } from "../../core/errors.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { builtInRegistry } from "../../mining/communities/registry.ts";
import { minedPostgres, postgresUrl } from "../support/database.ts";

/** Fails where a timer, a socket or a call of the system is left. */
const watched = { ignore: postgresUrl === undefined, sanitizeOps: true, sanitizeResources: true };

function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return `${listener.addr.port}`;
}

/** What `serve` starts from; `onLog` hears of everything that is logged. */
function contextOf(
  env: Readonly<Record<string, string>>,
  onLog: (event: string) => void,
  signal = new AbortController().signal,
): CommandContext {
  const log: Log = { ...silentLog, info: onLog, warn: onLog };
  return {
    config: readConfig({ HOST: "127.0.0.1", SOURCE: "none", ...env }),
    strangeLines: [],
    clock: systemClock,
    log,
    registry: builtInRegistry(),
    isTerminal: false,
    print: () => {},
    signal,
  };
}

Deno.test({
  name: "a start that finds its port taken at last leaves nothing running",
  ...watched,
  fn: async () => {
    await using mined = await minedPostgres();
    const port = freePort();
    using taken = new DisposableStack();
    const context = contextOf(
      { DATABASE_URL: mined.url, PORT: port, METRICS_LISTEN: "127.0.0.1:0" },
      (event) => {
        if (event !== "metrics") return;
        taken.use(Deno.listen({ hostname: "127.0.0.1", port: Number(port) }));
      },
    );
    await assertRejects(() => runServe(context), OperatorError, "PORT: cannot listen");
  },
});

Deno.test({
  name: "a service that is stopped leaves nothing running",
  ...watched,
  fn: async () => {
    await using mined = await minedPostgres();
    const abort = new AbortController();
    const port = freePort();
    const { promise: serving, resolve } = Promise.withResolvers<void>();
    const context = contextOf(
      { DATABASE_URL: mined.url, PORT: port, METRICS_LISTEN: "127.0.0.1:0" },
      (event) => event === "serving" && resolve(),
      abort.signal,
    );
    const running = runServe(context);
    await serving;
    const response = await fetch(`http://127.0.0.1:${port}/v1/categories`);
    assertEquals([response.status, typeof await response.json()], [200, "object"]);
    abort.abort(new Interrupted());
    assertEquals(await running, 0);
  },
});
