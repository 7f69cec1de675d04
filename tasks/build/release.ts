/**
 * `deno task release [--all]`: everything of a version in dist/release: an archive for each target (this
 * machine alone without `--all`) made by Deno and by Bun, a bill of materials, a container image as an OCI
 * archive, and the checksums of all of it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../core/errors.ts";
import { runTask } from "../run_task.ts";
import { VERSION } from "../../version.ts";
import { commit, DIST, ROOT, run } from "./stage.ts";
import { billOfMaterials } from "./bill.ts";
import { writeImage } from "./image.ts";

const OUT = join(DIST, "release");
const all = Deno.args.includes("--all") ? ["--all"] : [];
const made = commit();

/** Beside the executable: what an operator reads and installs. */
const BESIDE = ["README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "docs", "deploy"];

/** One archive for an executable; the same bytes for the same contents. */
function archive(executable: string): void {
  const target = executable.replace(/\.exe$/, "").replace(/^demand-?/, "") || Deno.build.target;
  const name = `demand-${VERSION}-${target === "bun" ? `bun-${Deno.build.target}` : target}`;
  const folder = join(OUT, name);
  mkdirSync(folder);
  const inside = executable.endsWith(".exe") ? "demand.exe" : "demand";
  copyFileSync(join(DIST, executable), join(folder, inside));
  for (const file of BESIDE) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  execFileSync("tar", [
    ...["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"],
    ...["-I", "gzip -9n", "-cf", `${name}.tar.gz`, name],
  ], { cwd: OUT });
  rmSync(folder, { recursive: true });
}

await runTask(() => {
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  if (
    !changelog.split("\n").some((line) => line.split(" ").slice(0, 2).join(" ") === `## ${VERSION}`)
  ) {
    throw new OperatorError(`CHANGELOG.md has no entry "## ${VERSION}"`);
  }

  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  for (const name of readdirSync(DIST)) {
    if (/^demand(-|$|\.exe)/.test(name)) rmSync(join(DIST, name), { recursive: true });
  }
  for (const task of ["compile", "compile_bun"]) {
    run(Deno.execPath(), ["run", "-A", `tasks/build/${task}.ts`, ...all], ROOT);
  }

  const executables = readdirSync(DIST).filter((name) => /^demand(-|$|\.exe)/.test(name));
  for (const executable of executables) archive(executable);

  writeFileSync(
    join(OUT, `demand-${VERSION}.cdx.json`),
    `${
      JSON.stringify(
        billOfMaterials(join(ROOT, "package.json"), { version: VERSION, commit: made }),
        null,
        2,
      )
    }\n`,
  );

  if (existsSync(join(DIST, "demand"))) {
    writeImage(join(DIST, "demand"), join(OUT, `demand-${VERSION}-image.tar`), {
      dockerfile: readFileSync(join(ROOT, "Dockerfile"), "utf8"),
      version: VERSION,
      commit: made,
    });
  }

  const sums = readdirSync(OUT).sort().map((name) => {
    const sum = createHash("sha256").update(readFileSync(join(OUT, name))).digest("hex");
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(OUT, "SHA256SUMS"), sums.join(""));
  for (const line of sums) console.log(line.trimEnd());
});
