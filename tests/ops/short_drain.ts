/** The service with two seconds to finish what is in flight, for drain_test.ts. */
import process from "node:process";
import { createContext } from "../../commands/context.ts";
import { readSettings } from "../../commands/environment.ts";
import { runServe } from "../../commands/serve/mod.ts";

process.exit(await runServe(await createContext(await readSettings(), { finishes: true }), 2_000));
