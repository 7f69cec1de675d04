/** Reading settings from an environment, with complaints a person can act on. */
import { OperatorError } from "./errors.ts";
import { slips } from "./edit_distance.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A name in the environment that is no setting and looks like one that is not set. */
export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** One slip in four letters, and two at most: HOME is not taken for HOST. */
const slipsIn = (name: string): number => Math.min(2, Math.floor(name.length / 4));

/** Reads one setting at a time; every complaint names the setting and what it should be. */
export class Settings {
  readonly #environment: Environment;
  readonly #asked = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Unset and empty are the same: an empty line in an env file means "not set". */
  text(name: string): string | null {
    this.#asked.add(name);
    const value = this.#environment[name]?.trim();
    return value === undefined || value === "" ? null : value;
  }

  /** What is set in vain, as far as can be told by the names read so far. */
  misspelled(): Misspelling[] {
    const unset = [...this.#asked].filter((name) => this.text(name) === null);
    const unknown = Object.keys(this.#environment).filter((name) => !this.#asked.has(name));
    return unknown.flatMap((name) => {
      const meant = unset.find((known) =>
        slips(name.toUpperCase(), known, slipsIn(known)) <= slipsIn(known)
      );
      return meant === undefined ? [] : [{ name, meant }];
    });
  }

  /**
   * What goes into an HTTP header: another character would be refused at each call, in words that repeat it.
   */
  token(name: string): string | null {
    const text = this.text(name);
    if (text !== null && !/^[\x21-\x7e]+$/.test(text)) {
      this.fail(name, "should be one word of printable ASCII characters");
    }
    return text;
  }

  /** @throws OperatorError that names the setting and says what it should be. */
  fail(name: string, rule: string): never {
    throw new OperatorError(`${name}: ${rule}`);
  }

  /** A number of decimal digits, from `min` to `max`. */
  number(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (!(value >= min && value <= max)) {
      this.fail(name, `should be a number from ${min} to ${max}, not "${text}"`);
    }
    return value;
  }

  /** The same, without a fraction. */
  integer(name: string, fallback: number, min: number, max: number): number {
    const value = this.number(name, fallback, min, max);
    if (!Number.isInteger(value)) this.fail(name, `should be a whole number, not "${value}"`);
    return value;
  }

  /** One of a few words, in this spelling alone. */
  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const text = this.text(name) ?? fallback;
    const found = choices.find((choice) => choice === text);
    return found ?? this.fail(name, `should be one of ${choices.join(", ")}, not "${text}"`);
  }

  /** `true` or `false`, and no other word for either. */
  flag(name: string, fallback: boolean): boolean {
    return this.choice(name, fallback ? "true" : "false", ["true", "false"]) === "true";
  }

  /**
   * An absolute address without a trailing slash; secrets inside it are never repeated. One of the web
   * holds no user and password: it is printed, and no client of ours would send them.
   */
  url(name: string, protocols: readonly string[]): string | null {
    const text = this.text(name);
    if (text === null) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !protocols.includes(url.protocol)) {
      this.fail(name, `should be an absolute address starting with ${protocols.join(" or ")}//`);
    }
    const isOfWeb = url.protocol === "http:" || url.protocol === "https:";
    if (isOfWeb && (url.username !== "" || url.password !== "")) {
      this.fail(name, "should hold no user or password (what stands before the @)");
    }
    return text.replace(/\/+$/, "");
  }

  /** An address as `url` takes it, to whose end paths are added. */
  base(name: string, protocols: readonly string[]): string | null {
    const text = this.url(name, protocols);
    if (text !== null && /[?#]/.test(text)) {
      this.fail(name, "should end before parameters (?) and fragment (#): paths are added to it");
    }
    return text;
  }
}
