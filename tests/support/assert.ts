/**
 * The names of `@std/assert` that the tests use, with its signatures, over node:assert/strict.
 * deno.json maps "@std/assert" here because that package is on JSR alone and the tests must run
 * where only npm is reachable; where JSR is, point the map at "jsr:@std/assert@1" instead.
 */
import nodeAssert from "node:assert/strict";

export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

function rethrow(check: () => void, msg: string | undefined): void {
  try {
    check();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AssertionError(msg ? `${msg}\n${why}` : why);
  }
}

export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg || `expected a truthy value, got ${String(expr)}`);
}

export function assertFalse(expr: unknown, msg = ""): asserts expr is false {
  if (expr) throw new AssertionError(msg || `expected a falsy value, got ${String(expr)}`);
}

export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  rethrow(() => nodeAssert.deepStrictEqual(actual, expected), msg);
}

export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  rethrow(() => nodeAssert.notDeepStrictEqual(actual, expected), msg);
}

export function assertExists<T>(actual: T, msg = ""): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    throw new AssertionError(msg || "expected a value, got none");
  }
}

export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  rethrow(() => nodeAssert.match(actual, expected), msg);
}

export function assertStringIncludes(actual: string, expected: string, msg = ""): void {
  if (!actual.includes(expected)) {
    throw new AssertionError(msg || `expected ${JSON.stringify(actual)} to include "${expected}"`);
  }
}

export function assertGreater<T>(actual: T, expected: T, msg = ""): void {
  if (!(actual > expected)) throw new AssertionError(msg || `expected ${actual} > ${expected}`);
}

export function assertGreaterOrEqual<T>(actual: T, expected: T, msg = ""): void {
  if (!(actual >= expected)) throw new AssertionError(msg || `expected ${actual} >= ${expected}`);
}

export function assertLess<T>(actual: T, expected: T, msg = ""): void {
  if (!(actual < expected)) throw new AssertionError(msg || `expected ${actual} < ${expected}`);
}

export function assertLessOrEqual<T>(actual: T, expected: T, msg = ""): void {
  if (!(actual <= expected)) throw new AssertionError(msg || `expected ${actual} <= ${expected}`);
}

export function assertAlmostEquals(actual: number, expected: number, tolerance = 1e-7): void {
  if (Math.abs(actual - expected) > tolerance) {
    throw new AssertionError(`expected ${actual} to be within ${tolerance} of ${expected}`);
  }
}

type ErrorClass<E extends Error> = abstract new (...args: never[]) => E;

function checked<E extends Error>(error: unknown, type?: ErrorClass<E>, includes?: string): E {
  if (!(error instanceof Error)) throw new AssertionError("a value that is no Error was thrown");
  if (type && !(error instanceof type)) {
    throw new AssertionError(`expected ${type.name}, got ${error.name}: ${error.message}`);
  }
  if (includes !== undefined) assertStringIncludes(error.message, includes);
  return error as E;
}

const NOTHING = Symbol("nothing thrown");

export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  type?: ErrorClass<E>,
  includes?: string,
): E {
  let thrown: unknown = NOTHING;
  try {
    fn();
  } catch (error) {
    thrown = error;
  }
  if (thrown === NOTHING) throw new AssertionError("expected the function to throw");
  return checked(thrown, type, includes);
}

export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  type?: ErrorClass<E>,
  includes?: string,
): Promise<E> {
  let thrown: unknown = NOTHING;
  try {
    await fn();
  } catch (error) {
    thrown = error;
  }
  if (thrown === NOTHING) throw new AssertionError("expected the promise to reject");
  return checked(thrown, type, includes);
}
