/**
 * PGlite's parts where the program is one file. From sources PGlite finds them in its package; a
 * bundle carries them (tasks/compile/stage.ts puts them there), packed, beside the worker's own code.
 */
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

/** Names inside the executable; ".bin" keeps the packers from reading meaning into them. */
export const ASSETS = {
  wasm: "pglite.wasm.br.bin",
  data: "pglite.data.br.bin",
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
  directory(): Promise<Uint8Array>;
}

const unpack = promisify(brotliDecompress);

/** Whether `moduleUrl` is the address of bundled code and not of a source file. */
export function isBundled(moduleUrl: string): boolean {
  return !moduleUrl.endsWith(".ts");
}

function locate(name: string): URL {
  return new URL(`./${name}`, import.meta.url);
}

async function read(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await unpack(readFileSync(locate(name))));
}

/** What the executable carries; null when running from sources. */
export async function embeddedAssets(): Promise<Assets | null> {
  if (!isBundled(import.meta.url)) return null;
  const [wasm, data] = await Promise.all([read(ASSETS.wasm), read(ASSETS.data)]);
  return {
    wasm: await WebAssembly.compile(wasm),
    data: new Blob([data]),
    trgm: readFileSync(locate(ASSETS.trgm)),
    directory: () => read(ASSETS.directory),
  };
}
