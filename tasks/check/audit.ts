/**
 * `deno run -A tasks/check/audit.ts`: asks the registry for known weaknesses of our dependencies, and fails for
 * one that is high or critical in what the program itself uses. Exit code 0: checked, none grave; 1: grave
 * ones are known; 3: not checked, since the registry could not be asked or keeps no advisories.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Report {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly severity: string; readonly range: string }>
  >;
}

const NOT_CHECKED = 3;

const root = join(import.meta.dirname ?? ".", "..", "..");
const folder = mkdtempSync(join(tmpdir(), "demand-audit-"));

function npm(...args: string[]): { ok: boolean; stdout: string } {
  const { success, stdout } = new Deno.Command("npm", {
    args,
    cwd: folder,
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return { ok: success, stdout: new TextDecoder().decode(stdout) };
}

function audit(): number {
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  const lock = npm("install", "--package-lock-only", "--omit=dev", "--ignore-scripts", "--no-fund");
  if (!lock.ok) {
    console.log("audit: NOT CHECKED: the registry could not be asked for the dependencies");
    return NOT_CHECKED;
  }
  const { stdout } = npm("audit", "--omit=dev", "--json");
  let report: Report = {};
  try {
    report = JSON.parse(stdout);
  } catch {
    // No report: said below.
  }
  if (report.vulnerabilities === undefined) {
    console.log("audit: NOT CHECKED: the registry gives no advisories here");
    return NOT_CHECKED;
  }
  const found = Object.entries(report.vulnerabilities);
  for (const [name, { severity, range }] of found) {
    console.log(`audit: ${severity}: ${name} ${range}`);
  }
  const grave = found.filter(([, { severity }]) => ["high", "critical"].includes(severity));
  console.log(`audit: ${found.length} known weaknesses, ${grave.length} of them grave`);
  return grave.length === 0 ? 0 : 1;
}

const code = audit();
rmSync(folder, { recursive: true, force: true });
Deno.exit(code);
