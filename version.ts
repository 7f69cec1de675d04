/** The service's version: deno.json is its one place. */
import manifest from "./deno.json" with { type: "json" };

export const VERSION: string = manifest.version;
