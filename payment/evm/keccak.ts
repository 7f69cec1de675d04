/**
 * keccak-256, the hash of Ethereum, several times faster than in JavaScript: the permutation is assembled
 * to WebAssembly when the module loads, so that there is no binary to ship. Source: the Keccak reference,
 * version 3.0, with rate 1088 and the original padding (0x01, not SHA-3's 0x06).
 */

const RATE = 136;
const WORDS = 25;
const ROUNDS = 24;

/** Rotation of each lane x + 5y (rho). */
const ROTATIONS = rotations();

function rotations(): number[] {
  const offsets = new Array<number>(WORDS).fill(0);
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    offsets[x + 5 * y] = ((t + 1) * (t + 2) / 2) % 64;
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return offsets;
}

/** The constants of iota, from their shift register. */
function roundConstants(): bigint[] {
  let register = 1;
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (register & 1) constant |= 1n << BigInt((1 << j) - 1);
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return constant;
  });
}

/** Unsigned LEB128, as WebAssembly writes its numbers. */
function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)];
}

// Locals: the byte offset of the round's constant (i32), then the lanes A and B, and the columns C (i64).
const ROUND = 0;
const A = (lane: number): number => 1 + lane;
const B = (lane: number): number => 1 + WORDS + lane;
const C = (column: number): number => 1 + 2 * WORDS + column % 5;
const I64_LOCALS = 2 * WORDS + 5;

const get = (local: number): number[] => [0x20, ...leb(local)];
const set = (local: number): number[] => [0x21, ...leb(local)];
const XOR = 0x85;
const AND = 0x83;
/** Rotation by a constant below 64, which signed LEB128 writes in two bytes. */
const rotate = (by: number): number[] => [0x42, by | 0x80, 0x00, 0x89];
const NOT = [0x42, 0x7f, XOR];

function roundCode(): number[] {
  const code: number[] = [];
  for (let x = 0; x < 5; x++) {
    code.push(...get(A(x)));
    for (let y = 1; y < 5; y++) code.push(...get(A(x + 5 * y)), XOR);
    code.push(...set(C(x)));
  }
  for (let lane = 0; lane < WORDS; lane++) {
    const [x, y] = [lane % 5, Math.floor(lane / 5)];
    code.push(...get(C(x + 4)), ...get(C(x + 1)), ...rotate(1), XOR, ...get(A(lane)), XOR);
    code.push(...rotate(ROTATIONS[lane] ?? 0), ...set(B(y + 5 * ((2 * x + 3 * y) % 5))));
  }
  for (let lane = 0; lane < WORDS; lane++) {
    const [x, row] = [lane % 5, lane - lane % 5];
    code.push(...get(B(row + (x + 1) % 5)), ...NOT, ...get(B(row + (x + 2) % 5)), AND);
    code.push(...get(B(lane)), XOR);
    if (lane === 0) code.push(...get(ROUND), 0x29, 3, ...leb(WORDS * 8), XOR);
    code.push(...set(A(lane)));
  }
  return code;
}

/** A module with a memory `m` (state, then round constants) and a function `f` that permutes the state. */
function assemble(): Uint8Array<ArrayBuffer> {
  const lanes = Array.from({ length: WORDS }, (_, lane) => lane);
  const load = lanes.flatMap((lane) => [0x41, 0, 0x29, 3, ...leb(lane * 8), ...set(A(lane))]);
  const store = lanes.flatMap((lane) => [0x41, 0, ...get(A(lane)), 0x37, 3, ...leb(lane * 8)]);
  const next = [...get(ROUND), 0x41, 8, 0x6a, 0x22, ROUND, 0x41, ...leb(ROUNDS * 8), 0x49];
  const loop = [0x03, 0x40, ...roundCode(), ...next, 0x0d, 0, 0x0b];
  const locals = [2, 1, 0x7f, ...leb(I64_LOCALS), 0x7e];
  const body = [...locals, ...load, ...loop, ...store, 0x0b];
  const section = (id: number, bytes: number[]): number[] => [id, ...leb(bytes.length), ...bytes];
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 0, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
  ]);
}

const { m: memory, f: permute } = new WebAssembly.Instance(new WebAssembly.Module(assemble()))
  .exports as { readonly m: WebAssembly.Memory; readonly f: () => void };
new BigUint64Array(memory.buffer, WORDS * 8, ROUNDS).set(roundConstants());
const state = new Uint8Array(memory.buffer, 0, WORDS * 8);

/** keccak-256 of bytes: 32 bytes. */
export function keccak(bytes: Uint8Array): Uint8Array {
  state.fill(0);
  let at = 0;
  for (; bytes.length - at >= RATE; at += RATE) {
    for (let i = 0; i < RATE; i++) state[i] = (state[i] ?? 0) ^ (bytes[at + i] ?? 0);
    permute();
  }
  const rest = bytes.length - at;
  if (at === 0) state.set(bytes);
  else for (let i = 0; i < rest; i++) state[i] = (state[i] ?? 0) ^ (bytes[at + i] ?? 0);
  state[rest] = (state[rest] ?? 0) ^ 0x01;
  state[RATE - 1] = (state[RATE - 1] ?? 0) ^ 0x80;
  permute();
  return state.slice(0, 32);
}
