/** What one look of the doctor found. */
import { messageOf } from "../../core/errors.ts";

/** What a check found, and how bad it is. */
export interface Finding {
  readonly level: "ok" | "warn" | "fail";
  readonly says: string;
  /** What to do about it; for everything that is not ok. */
  readonly advice?: string;
}

/** Something to look at. What `look` throws is a finding of level "fail". */
export interface Check {
  readonly name: string;
  readonly look: () => Promise<Finding> | Finding;
}

/** A finding that all is well. */
export const ok = (says: string): Finding => ({ level: "ok", says });
/** One that an operator should know of, and what to do; the service works. */
export const warn = (says: string, advice: string): Finding => ({ level: "warn", says, advice });
/** One with which the service does not work as it is set, and what to do. */
export const fail = (says: string, advice: string): Finding => ({ level: "fail", says, advice });

/** The first line of an error's message, with that of its cause behind it. */
export function firstLineOf(error: unknown): string {
  const text = messageOf(error);
  const cause = error instanceof Error && error.cause instanceof Error
    ? ` (${error.cause.message})`
    : "";
  return `${text}${cause}`.split("\n")[0] ?? "";
}
