type Kind = "truncated" | "trailing" | "corrupt" | "unsupported";

/** Compressed data that cannot be read on: cut short, followed by others, or not of its format. */
export class BrokenData extends Error {
  override readonly name = "BrokenData";
  readonly kind: Kind;

  /** `detail` completes "the zstd data is corrupt (…)"; it holds nothing of the data. */
  constructor(kind: Kind, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? {} : { cause });
    this.kind = kind;
  }
}

/** The error for data that is not what its format says. */
export function corrupt(what: string): BrokenData {
  return new BrokenData("corrupt", what);
}
