/** Picks the runtime the program was started on; nothing else asks which one it is. */
import { type BunApi, bunRuntime } from "./bun.ts";
import { denoRuntime } from "./deno.ts";
import type { Runtime } from "./types.ts";

export type { FetchHandler, HttpServer } from "./types.ts";

/** The runtime that this process runs on: Bun where its global is, else Deno. */
export function currentRuntime(): Runtime {
  const bun = (globalThis as { Bun?: BunApi }).Bun;
  return bun === undefined ? denoRuntime() : bunRuntime(bun);
}
