/** The service with two seconds to finish what is in flight, for drain_test.ts. */
import process from "node:process";
import { createContext } from "../../commands/context.ts";
import { runServe } from "../../commands/serve.ts";

process.exit(await runServe(await createContext(), 2_000));
