/** The service's version: deno.json is its one place. */
import manifest from "./deno.json" with { type: "json" };

export const VERSION: string = manifest.version;

/**
 * The commit that an executable was made of, which its first module says (tasks/build/stage.ts); null where
 * the sources run. Asked late: a bundle evaluates what modules share before that one.
 */
export const commitOf = (): string | null =>
  (globalThis as { readonly demandCommit?: string }).demandCommit ?? null;
