/**
 * The end of Postgres inside PGlite. Where Postgres cannot write its log it ends itself (PANIC), whatever
 * it holds. PGlite 0.5 takes that for the end of one statement and calls it again: it then spins for ever
 * on locks that nobody will release.
 */
import type { PGlite } from "@electric-sql/pglite";

/** How Postgres leaves a statement that failed, and goes on: PGlite's POSTGRES_MAIN_LONGJMP. */
const STATEMENT_FAILED = 100;

/** Emscripten's ExitStatus is not an Error. */
const isEnd = (thrown: unknown): boolean =>
  !(typeof thrown === "object" && thrown !== null && "status" in thrown &&
    thrown.status === STATEMENT_FAILED);

/** From its end on nothing is asked of Postgres any more: every statement throws. `onEnd` is called once. */
export function stopAtEnd(backend: PGlite, onEnd: (error: Error) => void): void {
  const module = backend.Module;
  let end: Error | null = null;
  const guarded = (call: () => void) => (): void => {
    if (end !== null) throw end;
    try {
      call();
    } catch (error) {
      if (isEnd(error)) {
        end = new Error("Postgres stopped, as it does where it cannot write to its disk", {
          cause: error,
        });
        onEnd(end);
      }
      throw error;
    }
  };
  const { stackRestore } = module;
  module._PostgresMainLoopOnce = guarded(module._PostgresMainLoopOnce);
  module._PostgresMainLongJmp = guarded(module._PostgresMainLongJmp);
  module._PostgresSendReadyForQueryIfNecessary = guarded(
    module._PostgresSendReadyForQueryIfNecessary,
  );
  module._pgl_pq_flush = guarded(module._pgl_pq_flush);
  // PGlite's loop drops what the calls above throw, and not what this does on the way back into it.
  module.stackRestore = (pointer) => {
    const restored = stackRestore(pointer);
    if (end !== null) throw end;
    return restored;
  };
}
