/** Reading settings from an environment, with complaints a person can act on. */
import { OperatorError } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one setting at a time; every complaint names the setting and what it should be. */
export class Settings {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Unset and empty are the same: an empty line in an env file means "not set". */
  text(name: string): string | null {
    const value = this.#environment[name]?.trim();
    return value === undefined || value === "" ? null : value;
  }

  fail(name: string, rule: string): never {
    throw new OperatorError(`${name}: ${rule}`);
  }

  number(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) {
      this.fail(name, `should be a number from ${min} to ${max}, not "${text}"`);
    }
    return value;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.number(name, fallback, min, max);
    if (!Number.isInteger(value)) this.fail(name, `should be a whole number, not "${value}"`);
    return value;
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const text = this.text(name) ?? fallback;
    const found = choices.find((choice) => choice === text);
    return found ?? this.fail(name, `should be one of ${choices.join(", ")}, not "${text}"`);
  }

  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, fallback ? "true" : "false", ["true", "false"]) === "true";
  }

  /** An absolute address without a trailing slash; secrets inside it are never repeated. */
  url(name: string, protocols: readonly string[]): string | null {
    const text = this.text(name);
    if (text === null) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !protocols.includes(url.protocol)) {
      this.fail(name, `should be an absolute address starting with ${protocols.join(" or ")}//`);
    }
    return text.replace(/\/+$/, "");
  }
}
