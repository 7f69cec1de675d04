/** Wrong arguments, and how every command speaks of them. */

/** The arguments themselves are wrong: exit code 2 and a pointer to the help. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws UsageError if there are any. */
export function noArguments(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unexpected argument "${args[0]}"`);
}

/** The one argument of a command. @throws UsageError for none or more. */
export function oneArgument(args: readonly string[], name: string): string {
  const [first, second] = args;
  if (first === undefined) throw new UsageError(`name the ${name}`);
  if (second !== undefined) throw new UsageError(`unexpected argument "${second}"`);
  return first;
}
