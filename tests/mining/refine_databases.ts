/** Tests over several fresh databases: Postgres where there is one, since its databases are cheap. */
import { postgresUrl, type TestDatabase, testEmbedded, testPostgres } from "../support/database.ts";

/** Runs `body` with a maker of fresh databases, all of which are gone afterwards. */
export function testOneDatabase(
  name: string,
  body: (fresh: () => Promise<TestDatabase>) => Promise<void>,
): void {
  Deno.test({
    name,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using opened = new AsyncDisposableStack();
      await body(async () =>
        opened.use(await (postgresUrl === undefined ? testEmbedded() : testPostgres()))
      );
    },
  });
}
