/** Numbers that every runtime agrees on. */

/** To so many decimals: the last bits of logarithms and powers differ between runtimes, and may decide nothing. */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
