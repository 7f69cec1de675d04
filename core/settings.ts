/** A table of settings, and an environment read against it: every issue is collected, none hides another. */
import type { z } from "zod";
import { editDistance } from "./edit_distance.ts";
import { OperatorError } from "./errors.ts";

/** Texts by the names of settings, as a process gets them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a setting holds that may not be shown: all of it, or what follows the host of an address. */
type Secrecy = "all" | "address";

/** One setting: how its text is read, and what documents and commands say of it. */
export interface Setting<T> {
  /** What it is for, in a sentence of Markdown without a full stop. */
  readonly about: string;
  /** The text that is read where nothing is set; null where the value is then null. */
  readonly fallback: string | null;
  /** What the documents show as the default, in Markdown. */
  readonly shown: string;
  readonly secrecy: Secrecy | null;
  readonly form: z.ZodType<T, string>;
}

interface Details {
  /** What the documents show as the default, where that is not plain text. */
  readonly shown?: string;
  readonly secrecy?: Secrecy;
}

/** A setting that always has a value. */
export function setting<T>(
  form: z.ZodType<T, string>,
  fallback: string,
  about: string,
  { shown = `\`${fallback}\``, secrecy }: Details = {},
): Setting<T> & { readonly fallback: string } {
  return { form, fallback, about, shown, secrecy: secrecy ?? null };
}

/** A setting that is null where it is not set. */
export function optional<T>(
  form: z.ZodType<T, string>,
  about: string,
  { shown = "none", secrecy }: Details = {},
): Setting<T> & { readonly fallback: null } {
  return { form, fallback: null, about, shown, secrecy: secrecy ?? null };
}

type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

type ValueOf<S> = S extends Setting<infer T>
  ? S extends { readonly fallback: string } ? T : T | null
  : never;

/** What a table's settings are read into. */
export type SettingValues<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: ValueOf<Table[Name]>;
};

/** A setting that is wrong, and what it should be. */
export interface SettingIssue {
  readonly name: string;
  readonly rule: string;
}

/** Settings that are wrong: a line for each. */
export class SettingsError extends OperatorError {
  constructor(readonly issues: readonly SettingIssue[], options?: ErrorOptions) {
    super(issues.map(({ name, rule }) => `${name}: ${rule}`).join("\n"), options);
  }
}

/** One setting that is wrong. */
export const wrongSetting = (name: string, rule: string, options?: ErrorOptions): SettingsError =>
  new SettingsError([{ name, rule }], options);

/** Unset and empty are the same: an empty line in an env file means "not set". */
export function givenText(environment: Environment, name: string): string | null {
  const text = environment[name]?.trim();
  return text === undefined || text === "" ? null : text;
}

/** Reads every setting of the table; one that is wrong has its default's value, and an issue. */
export function parseSettings<Table extends SettingsTable>(
  table: Table,
  environment: Environment,
): { readonly values: SettingValues<Table>; readonly issues: readonly SettingIssue[] } {
  const issues: SettingIssue[] = [];
  const read = ([name, { form, fallback }]: [string, Setting<unknown>]): [string, unknown] => {
    const text = givenText(environment, name);
    if (text !== null) {
      const { success, data, error } = form.safeParse(text);
      if (success) return [name, data];
      issues.push({ name, rule: error.issues[0]?.message ?? "is wrong" });
    }
    return [name, fallback === null ? null : form.parse(fallback)];
  };
  const values = Object.fromEntries(Object.entries(table).map(read)) as SettingValues<Table>;
  return { values, issues };
}

/** A name in the environment that is not a setting, but looks like one that is not set. */
export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** One slip in four letters, and two at most: HOME is not taken for HOST. */
const editsIn = (name: string): number => Math.min(2, Math.floor(name.length / 4));

/** What is set and has no effect. */
export function misspelledNames(
  known: readonly string[],
  environment: Environment,
): readonly Misspelling[] {
  const unset = known.filter((name) => givenText(environment, name) === null);
  const unknown = Object.keys(environment).filter((name) => !known.includes(name));
  return unknown.flatMap((name) => {
    const meant = unset.find((one) =>
      editDistance(name.toUpperCase(), one, editsIn(one)) <= editsIn(one)
    );
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** Gathers what several checks find, so that one wrong setting does not hide another. */
export class SettingChecks {
  readonly #issues: SettingIssue[] = [];

  /** All that was found, each once. */
  get issues(): readonly SettingIssue[] {
    return this.#issues;
  }

  /** Runs a check; undefined where it throws a SettingsError. Any other error is thrown on. */
  check<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.#add(error);
    }
  }

  /** Runs a check that takes time, like `check`. */
  async checkLater<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      return this.#add(error);
    }
  }

  #add(error: unknown): undefined {
    if (!(error instanceof SettingsError)) throw error;
    const isKnown = (found: SettingIssue): boolean =>
      this.#issues.some(({ name, rule }) => name === found.name && rule === found.rule);
    this.#issues.push(...error.issues.filter((issue) => !isKnown(issue)));
  }
}
