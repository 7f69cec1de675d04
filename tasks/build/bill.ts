/** What goes into the executables, as a bill of materials (CycloneDX 1.6). */
import { OperatorError } from "../../core/errors.ts";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

const manifest = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  license: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});

interface Component {
  readonly type: "library";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly expression: string }[];
}

/** Where a package that another one needs is installed, as Node looks for it; null where it is not. */
function installed(name: string, from: string): string | null {
  for (let folder = from;; folder = dirname(folder)) {
    try {
      return realpathSync(join(folder, "node_modules", name));
    } catch {
      if (folder === dirname(folder)) return null;
    }
  }
}

/** Every package that running needs, whatever needs it, by name and version. */
function components(file: string): Component[] {
  const found = new Map<string, Component>();
  const visit = (path: string): void => {
    const { dependencies = {} } = manifest.parse(JSON.parse(readFileSync(path, "utf8")));
    for (const name of Object.keys(dependencies)) {
      const folder = installed(name, dirname(realpathSync(path)));
      if (folder === null) throw new OperatorError(`${name} is not installed: run deno install`);
      const own = join(folder, "package.json");
      const { version = "", license } = manifest.parse(JSON.parse(readFileSync(own, "utf8")));
      const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
      if (found.has(purl)) continue;
      const licenses = license === undefined ? [] : [{ expression: license }];
      found.set(purl, { type: "library", name, version, purl, licenses });
      visit(own);
    }
  };
  visit(file);
  return [...found.values()].sort((a, b) => a.purl < b.purl ? -1 : 1);
}

/** The bill of a version; `file` is the package.json whose dependencies running needs. */
export function billOfMaterials(
  file: string,
  { version, commit }: { readonly version: string; readonly commit: string | null },
): Readonly<Record<string, unknown>> {
  const properties = commit === null ? [] : [{ name: "commit", value: commit }];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "demand", version, properties } },
    components: components(file),
  };
}
