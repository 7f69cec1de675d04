/**
 * Recovery of public keys on secp256k1: libsecp256k1 (https://github.com/bitcoin-core/secp256k1, release
 * 0.8.0, MIT licence, copyright 2013 Pieter Wuille and others), compiled to WebAssembly by
 * tasks/secp256k1.ts. No published package is as fast: the next takes twice as long.
 */
import { Buffer } from "node:buffer";
import wasm from "./secp256k1.wasm.txt" with { type: "text" };

interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Address of the cell that `recover` reads and writes. */
  cell(): number;
  /** 1 where the cell holds a key afterwards. */
  recover(id: number): number;
}

const CELL_BYTES = 96;

function load(): { readonly cell: Uint8Array; readonly recover: Exports["recover"] } {
  const module = new WebAssembly.Module(new Uint8Array(Buffer.from(wasm, "base64")));
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  return {
    cell: new Uint8Array(exports.memory.buffer, exports.cell(), CELL_BYTES),
    recover: exports.recover,
  };
}

let loaded: ReturnType<typeof load> | undefined;

/**
 * The 64 bytes (x, then y) of the key that signed a 32-byte digest; undefined where `signature` (r, then s,
 * 64 bytes) has none. `id` is the parity of the nonce's point. The bytes hold until the next call.
 */
export function recoverKey(
  signature: Uint8Array,
  id: 0 | 1,
  digest: Uint8Array,
): Uint8Array | undefined {
  const { cell, recover } = loaded ??= load();
  cell.set(signature, 0);
  cell.set(digest, 64);
  return recover(id) === 1 ? cell.subarray(0, 64) : undefined;
}
