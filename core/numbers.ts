/** Numbers that every runtime agrees on. */

/**
 * A number to `digits` decimals: the last bits of logarithms and powers differ between runtimes,
 * and must decide nothing.
 */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
