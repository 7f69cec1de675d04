/** The wait for one's turn: one process mines a corpus at a time. */
import { OperatorError } from "../core/errors.ts";
import { EXIT_INTERRUPTED } from "./exit_codes.ts";

/** How long a command waits until the other process is done. */
export const PATIENCE_MS = 300_000;

/**
 * The exit code of a command whose wait for its turn was interrupted.
 * @throws OperatorError where it waited in vain.
 */
export function withoutTurn(signal: AbortSignal): number {
  if (signal.aborted) return EXIT_INTERRUPTED;
  throw new OperatorError("another process is mining this corpus; try again when it is done");
}
