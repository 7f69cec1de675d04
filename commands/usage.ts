/** How commands end where they are not done, and how they speak of wrong arguments. */

/** The exit code of a command that is not done, as `demand --help` lists it. */
export const EXIT_FAILED = 1;
/** The exit code of a command whose arguments are wrong. */
export const EXIT_USAGE = 2;
/** The exit code after a signal, as shells say it: 128 and the number of SIGINT. */
export const EXIT_INTERRUPTED = 130;

/** The arguments themselves are wrong: exit code 2 and a pointer to the help. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A signal ended the command, as the reason of its context's `signal`: exit code 130 and no complaint. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  override readonly message = "interrupted by a signal";
}

/** Refuses any argument. @throws UsageError naming the first. */
export function noArguments(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unexpected argument "${args[0]}"`);
}

/**
 * The one argument of a command; `name` says what it is.
 * @throws UsageError for none, and for more.
 */
export function oneArgument(args: readonly string[], name: string): string {
  const [first, second] = args;
  if (first === undefined) throw new UsageError(`name the ${name}`);
  if (second !== undefined) throw new UsageError(`unexpected argument "${second}"`);
  return first;
}
