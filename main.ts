/** The command line: `demand [serve] | mine | import FILE… | migrate | doctor | …`. */
import process from "node:process";
import { runCommand } from "./commands/mod.ts";

process.exitCode = await runCommand(process.argv.slice(2));
process.exit();
