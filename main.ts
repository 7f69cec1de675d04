/** The command line: `demand [serve] | mine | import FILE… | migrate | doctor | …`. */
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { runCommand } from "./commands/mod.ts";
import { guardStreams } from "./commands/output.ts";

/** A pipe that nobody reads may not keep the process from ending. */
const PATIENCE_MS = 5_000;

/** What was written to a pipe may still be on its way, and would be cut off by the exit. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.end(() => resolve()));

// Deno 2.4 warns of its own createHmac on standard error, which is the log: nothing an operator can act on.
process.noDeprecation = true;
guardStreams();
const code = await runCommand(process.argv.slice(2));
setTimeout(() => process.exit(code), PATIENCE_MS);
await setImmediate();
await Promise.all([written(process.stdout), written(process.stderr)]);
process.exit(code);
