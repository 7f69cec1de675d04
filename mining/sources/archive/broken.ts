/** Compressed data that cannot be read on: cut short, or not what its format says. */
export class BrokenData extends Error {
  override readonly name = "BrokenData";
  readonly kind: "truncated" | "corrupt" | "unsupported";

  /** `detail` completes "the zstd data is corrupt (…)"; it holds nothing of the data. */
  constructor(kind: "truncated" | "corrupt" | "unsupported", detail: string, cause?: unknown) {
    super(detail, cause === undefined ? {} : { cause });
    this.kind = kind;
  }
}

/** The error for data that is not what its format says. */
export function corrupt(what: string): BrokenData {
  return new BrokenData("corrupt", what);
}
