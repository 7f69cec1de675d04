/** Whether `moduleUrl` is the address of bundled code and not of a source file. */
export function isBundled(moduleUrl: string): boolean {
  return !moduleUrl.endsWith(".ts");
}
