import { readFileSync } from "node:fs";
import { assertEquals } from "@std/assert";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));

Deno.test("tests run with the program's own packages and type rules", () => {
  const { dependencies } = read("package.json") as { dependencies: Record<string, string> };
  const { imports, compilerOptions, unstable } = read("deno.test.json");
  for (const [name, version] of Object.entries(dependencies)) {
    assertEquals(imports[name], `npm:${name}@${version}`);
  }
  const program = read("deno.json");
  assertEquals({ compilerOptions, unstable }, {
    compilerOptions: program.compilerOptions,
    unstable: program.unstable,
  });
  const locked = (name: string) => Object.keys(read(name).npm) as string[];
  const known = new Set(locked("tests/deno.lock").map((id) => id.split("_")[0]));
  assertEquals(locked("deno.lock").filter((id) => !known.has(id.split("_")[0] ?? "")), []);
});
