/** Values that are made when they are first asked for, and then kept. */

/** Makes a function that calls `make` at its first call and gives that result at every one. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Makes a function that keeps the results of a pure function of a text for the texts asked for of late: `most` to twice as many. */
export function remembered<T>(most: number, make: (text: string) => T): (text: string) => T {
  let recent = new Map<string, { readonly value: T }>();
  let former = recent;
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known.value;
    if (recent.size >= most) {
      former = recent;
      recent = new Map();
    }
    const kept = former.get(text) ?? { value: make(text) };
    recent.set(text, kept);
    return kept.value;
  };
}
