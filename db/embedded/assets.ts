/**
 * PGlite's parts where the program is one file. From sources PGlite finds them in its package; a
 * bundle carries them (tasks/compile/stage.ts puts them there), packed, beside the worker's own code.
 */
import type { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** Names inside the executable; ".bin" keeps the packers from reading meaning into them. */
export const ASSETS = {
  // Every start unpacks these two: gzip takes half of brotli's time for a seventh more bytes.
  wasm: "pglite.wasm.gz.bin",
  data: "pglite.data.gz.bin",
  trgm: "pg_trgm.tar.gz.bin",
  /** A data directory as initdb leaves it: making one takes seconds and 600 MB. */
  directory: "pgdata.tar.br.bin",
} as const;

export interface Assets {
  readonly wasm: WebAssembly.Module;
  readonly data: Blob;
  /** pg_trgm's own archive, as PGlite wants it: packed. */
  readonly trgm: Uint8Array;
  /** The tar archive of an empty data directory; read when asked for. */
  directory(): Uint8Array;
}

/** Whether `moduleUrl` is the address of bundled code and not of a source file. */
export function isBundled(moduleUrl: string): boolean {
  return !moduleUrl.endsWith(".ts");
}

function locate(name: string): URL {
  return new URL(`./${name}`, import.meta.url);
}

// In one piece: this thread has nothing else to do, and the asynchronous forms gather chunks that
// fragment memory (1.4 GB at the peak of a first start under Deno 2.4).
const read = (name: string): Buffer => readFileSync(locate(name));

/** What the executable carries; null when running from sources. */
export async function embeddedAssets(): Promise<Assets | null> {
  if (!isBundled(import.meta.url)) return null;
  return {
    wasm: await WebAssembly.compile(new Uint8Array(gunzipSync(read(ASSETS.wasm)))),
    data: new Blob([new Uint8Array(gunzipSync(read(ASSETS.data)))]),
    trgm: read(ASSETS.trgm),
    directory: () => brotliDecompressSync(read(ASSETS.directory)),
  };
}
