/**
 * PGlite's parts where the program is one file. From sources PGlite finds them in its package; a
 * bundle carries them (tasks/build/stage.ts puts them there), packed, beside the worker's own code.
 */
import type { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { isBundled } from "../../runtime/bundled.ts";

/** Names inside the executable; ".bin" keeps the packers from reading meaning into them. */
export const ASSETS = {
  // Every start reads these two: packed by gzip, or as they are where the executable has room for it.
  wasm: "pglite.wasm.bin",
  data: "pglite.data.bin",
  trgm: "pg_trgm.tar.gz.bin",
  /**
   * The data directory of an empty database with the schema in it: initdb takes seconds and 600 MB, and the
   * migrations a second of unoptimised WebAssembly.
   */
  directory: "pgdata.tar.br.bin",
} as const;

export interface Assets {
  readonly wasm: WebAssembly.Module;
  readonly data: Blob;
  /** pg_trgm's own archive, as PGlite wants it: packed. */
  readonly trgm: Uint8Array;
  /** The tar archive of an empty database's data directory; read when asked for. */
  directory(): Uint8Array;
}

function locate(name: string): URL {
  return new URL(`./${name}`, import.meta.url);
}

// In one piece: this thread has nothing else to do, and the asynchronous forms gather chunks that
// fragment memory (1.4 GB at the peak of a first start under Deno 2.4).
const read = (name: string): Buffer => readFileSync(locate(name));

function readPart(name: string): Uint8Array<ArrayBuffer> {
  const bytes = read(name);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return new Uint8Array(isPacked ? gunzipSync(bytes) : bytes);
}

/** What the executable carries; null when running from sources. */
export async function embeddedAssets(): Promise<Assets | null> {
  if (!isBundled(import.meta.url)) return null;
  return {
    wasm: await WebAssembly.compile(readPart(ASSETS.wasm)),
    data: new Blob([readPart(ASSETS.data)]),
    trgm: read(ASSETS.trgm),
    directory: () => brotliDecompressSync(read(ASSETS.directory)),
  };
}
