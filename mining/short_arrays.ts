/** Short arrays of numbers that are made by the million. */

type Numbers = Float64Array | Float32Array | Int32Array | Uint8Array;

/** Numbers of which pieces are cut. */
const ROOM = 1 << 12;

/**
 * Makes a function that gives arrays of zeros, of the length asked for. They are pieces of a longer one, since the
 * engine takes ten times as long to make a short array by itself. A piece that is kept keeps the whole of it in memory:
 * none should be kept longer than a post is worked on.
 */
function pieces<T extends Numbers>(make: (length: number) => T): (length: number) => T {
  let room = make(ROOM);
  let at = 0;
  return (length) => {
    if (at + length > room.length) {
      room = make(Math.max(ROOM, length));
      at = 0;
    }
    return room.subarray(at, at += length) as T;
  };
}

export const float64s: (length: number) => Float64Array = pieces((length) =>
  new Float64Array(length)
);
export const float32s: (length: number) => Float32Array = pieces((length) =>
  new Float32Array(length)
);
export const int32s: (length: number) => Int32Array = pieces((length) => new Int32Array(length));
export const bytes: (length: number) => Uint8Array = pieces((length) => new Uint8Array(length));
