/** Values that are made when they are first asked for, and then kept. */

/** Makes a function that calls `make` at its first call and gives that result at every one. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
