/** What a failed reading means for the run: go on, leave the community for a day, or end. */
import { SourceError } from "../sources/errors.ts";

/** `closed`: this community does not let us read it. `outage`: the source as a whole. `other`: this reading alone. */
type Consequence = "closed" | "outage" | "other" | "end";

/** After this many outages in a row the source itself counts as down. */
const OUTAGES = 3;

/** A closed community is asked for again after this. */
export const CLOSED_MS = 24 * 3_600_000;

/** The first pause after a run that the source broke; it doubles with each further one. */
const PAUSE_MS = 2 * 60_000;
/** Short enough that the checks of served quotes are in time again. */
const MAX_PAUSE_MS = 2 * 3_600_000;

/** What a failure of this kind means for the run. */
function consequenceOf(error: SourceError): Consequence {
  switch (error.kind) {
    case "not_found":
      return "closed";
    case "forbidden":
      // A refusal by the source's gate says nothing of the community.
      return error.reason === "blocked" ? "outage" : "closed";
    case "unauthorized":
      return "end";
    case "rate_limited":
      // The client has waited for longer than any of the source's periods.
      return "end";
    case "unavailable":
    case "timeout":
      return "outage";
    case "malformed":
    case "too_large":
      return "other";
  }
}

/** Why a community is closed to us, as it is recorded. */
export const reasonOf = (error: SourceError): string => error.reason ?? error.kind;

/** Milliseconds for which the source is left alone after `failures` broken runs in a row: at least what it asked for. */
export function pauseAfter(failures: number, askedSeconds = 0): number {
  const grown = Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (failures - 1));
  return Math.max(grown, askedSeconds * 1000);
}

/** Counts failures by kind, and tells when they are an outage. */
export class Failures {
  readonly counts: Record<string, number> = {};
  #inARow = 0;
  #outage: SourceError | null = null;

  /** The failure that ended the run, or null. */
  get outage(): SourceError | null {
    return this.#outage;
  }

  /** The source answered. */
  succeeded(): void {
    this.#inARow = 0;
  }

  /** Rethrows errors that are not failures of the source. */
  note(error: unknown): { readonly error: SourceError; readonly consequence: Consequence } {
    if (!(error instanceof SourceError)) throw error;
    this.counts[error.kind] = (this.counts[error.kind] ?? 0) + 1;
    const consequence = consequenceOf(error);
    this.#inARow = consequence === "outage" ? this.#inARow + 1 : 0;
    if (consequence === "end" || this.#inARow >= OUTAGES) this.#outage = error;
    return { error, consequence };
  }
}
