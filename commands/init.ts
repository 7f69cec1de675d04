/** `demand init FOLDER`: a unit, a settings file and proxy examples for this machine. */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import backupService from "../deploy/demand-backup.service" with { type: "text" };
import backupTimer from "../deploy/demand-backup.timer" with { type: "text" };
import caddyfile from "../deploy/Caddyfile" with { type: "text" };
import nginx from "../deploy/nginx.conf" with { type: "text" };
import service from "../deploy/demand.service" with { type: "text" };
import { type Config, readConfig, SETTING_GROUPS } from "../config.ts";
import { errorCode, messageOf, OperatorError } from "../core/errors.ts";
import { type Environment, givenText, type Setting, SettingsError } from "../core/settings.ts";
import { wrapped } from "./output.ts";
import { findSettingIssues } from "./check_settings.ts";

/** What the unit sets itself, or what makes no sense in it. */
const OF_THE_UNIT = new Set(["DATA_DIR", "NO_COLOR"]);

/**
 * A value as systemd, container engines and `.env` all read it. The line ends of a key stay "\n" to systemd, and
 * who reads the key takes them so.
 */
function quoted(text: string): string {
  if (!/["'#\\\r\n]/.test(text)) return text;
  if (!/['\r\n]/.test(text)) return `'${text}'`;
  return `"${text.replaceAll(/[\\"]/g, "\\$&").replaceAll(/\r\n?|\n/g, "\\n")}"`;
}

/**
 * The text of a settings file, as systemd and Docker read it: what is set, and every other setting
 * in a comment with its default. Exported for tests: its caller writes it to a folder with all
 * else.
 */
export function settingsFile(environment: Environment): string {
  const groups = Object.entries(SETTING_GROUPS).map(([title, group]) => {
    const settings = Object.entries<Setting<unknown>>(group)
      .filter(([name]) => !OF_THE_UNIT.has(name))
      .map(([name, { about, fallback, shown }]) => {
        const given = givenText(environment, name);
        const plain = `${about} (default: ${shown})`.replaceAll("`", "");
        const line = given === null ? `#${name}=${fallback ?? ""}` : `${name}=${quoted(given)}`;
        return `${wrapped(plain, 0, "# ").replaceAll(/^ {2}/gm, "# ")}${line}\n`;
      });
    return `## ${title}\n\n${settings.join("\n")}`;
  });
  return `# Settings of demand.service, as /etc/demand.env: NAME=value, one a line. "demand doctor" looks at them.
# DATA_DIR is the unit's own: /var/lib/demand.

${groups.join("\n")}`;
}

const INSTALLED = "/usr/local/bin/demand";

/** The runtime and the sources where they are run; null for an executable. */
function sourcesLine(): string | null {
  const runtime = basename(process.execPath).replace(/\.exe$/, "");
  if (runtime !== "deno" && runtime !== "bun") return null;
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  return [process.execPath, ...(runtime === "deno" ? ["run", "-A"] : []), main].join(" ");
}

/** The files by their names, made for a configuration. */
function filesFor(config: Config, environment: Environment): Readonly<Record<string, string>> {
  const program = sourcesLine() ?? INSTALLED;
  const host = config.hasBaseUrl ? new URL(config.baseUrl).host : "demand.example";
  const here = (text: string): string =>
    text.replaceAll(INSTALLED, program)
      .replaceAll("demand.example", host)
      .replaceAll("127.0.0.1:8402", `127.0.0.1:${config.port}`);
  return {
    "demand.env": settingsFile(environment),
    "demand.service": here(service),
    "demand-backup.service": here(backupService),
    "demand-backup.timer": backupTimer,
    "Caddyfile": here(caddyfile),
    "nginx.conf": here(nginx),
  };
}

/**
 * Writes a unit, a settings file and proxy examples into a folder, and prints how they are
 * installed. Gives the exit code.
 * @throws SettingsError where a start with these settings would refuse them: nothing is written
 * then.
 */
export async function runInit(
  given: Environment,
  folder: string,
  print: (text: string) => void,
): Promise<number> {
  // What the proxy on this machine needs, unless something else is set.
  const environment = { TRUSTED_PROXIES: "127.0.0.1,::1", ...given };
  const issues = await findSettingIssues(environment);
  if (issues.length > 0) throw new SettingsError(issues);
  const config = readConfig(environment);
  const path = resolve(folder);
  try {
    await mkdir(path, { recursive: true });
    for (const [name, text] of Object.entries(filesFor(config, environment))) {
      const isNew = await writeNew(join(path, name), text, name === "demand.env" ? 0o600 : 0o644);
      print(`${isNew ? "wrote    " : "was there"}  ${join(path, name)}\n`);
    }
  } catch (error) {
    throw new OperatorError(`${path}: ${messageOf(error)}`, { cause: error });
  }
  const address = config.hasBaseUrl
    ? ""
    : `  set BASE_URL in demand.env, and its name in the proxy's file\n`;
  const program = sourcesLine() === null && process.execPath !== INSTALLED
    ? `  install -m 755 ${process.execPath} ${INSTALLED}\n`
    : "";
  print(`
Next, as root:
${address}${program}  install -m 600 ${path}/demand.env /etc/demand.env
  install -m 644 ${path}/demand*.service ${path}/demand-backup.timer /etc/systemd/system/
  systemctl daemon-reload
  systemctl enable --now demand.service demand-backup.timer
  then one of: ${path}/Caddyfile to /etc/caddy/, ${path}/nginx.conf to /etc/nginx/conf.d/demand.conf
`);
  return 0;
}

/** Writes a file that is not there; false where it is. */
async function writeNew(path: string, text: string, mode: number): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}
