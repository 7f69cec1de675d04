/**
 * Whether a module's address is of bundled code, where assets and workers lie elsewhere than in the
 * sources.
 */
export function isBundled(moduleUrl: string): boolean {
  return !moduleUrl.endsWith(".ts");
}
