/** `demand settings`: every setting, its default, and what is set now, without secrets. */
import { inspectConfig, SETTING_GROUPS } from "../config.ts";
import { printable } from "../core/log.ts";
import { type Environment, givenText, type Setting, SettingsError } from "../core/settings.ts";
import { wrapped } from "./output.ts";
import { findSettingIssues } from "./check_settings.ts";
import type { OutputOptions } from "./reporting.ts";

/** Markdown without its marks. */
const plain = (text: string): string => text.replaceAll("`", "");

/** What is set, as far as it may be shown. */
function shownValue(text: string, { secrecy }: Setting<unknown>): string {
  if (secrecy === null) return printable(text);
  if (secrecy === "all" || !URL.canParse(text)) return "(set, not shown)";
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}/… (the rest is not shown)`;
}

/**
 * Prints every setting, its default, and what is set, without secrets. Gives the exit code.
 * @throws SettingsError with a line for each wrong one, after all were printed.
 */
export async function runSettings(
  environment: Environment,
  print: (text: string) => void,
  { asJson }: OutputOptions,
): Promise<number> {
  const { config } = inspectConfig(environment);
  const issues = await findSettingIssues(environment);
  const groups = Object.entries(SETTING_GROUPS).map(([title, group]) => ({
    title,
    settings: Object.entries<Setting<unknown>>(group).map(([name, setting]) => {
      const text = givenText(environment, name);
      return {
        name,
        set: text === null ? null : shownValue(text, setting),
        default: plain(setting.shown),
        about: plain(setting.about),
        wrong: issues.find((issue) => issue.name === name)?.rule ?? null,
      };
    }),
  }));
  if (asJson) print(`${JSON.stringify({ groups, misspelled: config.misspelled })}\n`);
  else {
    for (const { title, settings } of groups) {
      print(`${title}\n`);
      for (const { name, set, default: usual, about, wrong } of settings) {
        print(`  ${name} = ${set ?? `${usual} (default)`}\n`);
        if (wrong !== null) print(`      WRONG: ${printable(wrong)}\n`);
        print(wrapped(about, 6));
      }
      print("\n");
    }
    for (const { name, meant } of config.misspelled) {
      print(`${name} is not a setting and changes nothing; did you mean ${meant}?\n`);
    }
  }
  if (issues.length > 0) throw new SettingsError(issues);
  return 0;
}
