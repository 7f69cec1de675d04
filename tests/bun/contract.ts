/** Compiles only if Bun's published types offer what runtime/bun.ts asks of them. */
import type { BunApi } from "../../runtime/bun.ts";

export const contract: BunApi = Bun;
