/**
 * `deno run -A tasks/image.ts`: the Dockerfile's steps without a container engine. Copies the sources as
 * COPY would, runs each RUN in the copy, lays the final stage's files out in an empty folder, starts the
 * ENTRYPOINT there with its ENV, waits until HEALTHCHECK is content, and stops it as STOPSIGNAL says.
 */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { OperatorError } from "../core/errors.ts";
import { errorLine, runTask } from "./run_task.ts";
import { parseDockerfile } from "./dockerfile.ts";

const root = join(import.meta.dirname ?? ".", "..");
const say = (text: string): void => console.log(`image: ${text}`);

/** What COPY . . would take: what git knows, less .dockerignore, which names nothing git tracks. */
function copySources(target: string): void {
  const { stdout } = new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: root,
  }).outputSync();
  for (const file of new TextDecoder().decode(stdout).split("\0").filter(Boolean)) {
    mkdirSync(join(target, dirname(file)), { recursive: true });
    copyFileSync(join(root, file), join(target, file));
  }
}

await runTask(async () => {
  const [build, final] = parseDockerfile(readFileSync(join(root, "Dockerfile"), "utf8"));
  if (build === undefined || final === undefined) throw new Error("two stages are expected");
  if (final.user === "root") throw new Error("the final stage runs as root");

  const work = mkdtempSync(join(tmpdir(), "demand-image-"));
  try {
    const source = join(work, "src");
    copySources(source);
    // The base image's `deno`, on the PATH.
    const bin = join(work, "bin");
    mkdirSync(bin);
    Deno.symlinkSync(Deno.execPath(), join(bin, "deno"));
    for (const line of build.run) {
      say(`RUN ${line}`);
      const here = line.replaceAll("/src/", `${source}/`);
      const { success, stderr } = new Deno.Command("sh", {
        args: ["-ec", here],
        cwd: source,
        env: { PATH: `${bin}:${Deno.env.get("PATH") ?? ""}` },
      }).outputSync();
      if (!success) {
        const reason = errorLine(new TextDecoder().decode(stderr));
        throw new OperatorError(`image: RUN ${line}: ${reason}`);
      }
    }
    const image = join(work, "image");
    mkdirSync(image);
    for (const { from, to } of final.copies) {
      cpSync(from.replace(/^\/src/, source), join(image, to), { recursive: true });
    }
    say(`the final stage holds ${[...Deno.readDirSync(image)].map(({ name }) => name).join(", ")}`);
    const inside = (path: string): string => join(image, path);
    const env = { ...final.env, HOST: "127.0.0.1", PORT: "8499", DATA_DIR: inside("/data") };
    const [entry = "", ...fixed] = final.entrypoint;
    const service = new Deno.Command(inside(entry), {
      args: [...fixed, ...final.command],
      cwd: inside("/data"),
      env,
      clearEnv: true,
      stdout: "null",
      stderr: "null",
    }).spawn();
    const [probe = "", ...probeArgs] = final.healthcheck;
    const healthy = async (): Promise<boolean> =>
      (await new Deno.Command(inside(probe), { args: probeArgs, env, clearEnv: true }).output())
        .success;
    const deadline = Date.now() + 60_000;
    while (!(await healthy())) {
      if (Date.now() > deadline) throw new Error("HEALTHCHECK was not content within a minute");
      await new Promise((wake) => setTimeout(wake, 500));
    }
    say(`${basename(entry)} is healthy`);
    service.kill("SIGTERM");
    const { code } = await service.status;
    if (code !== 0) throw new Error(`stopped with exit code ${code}`);
    if (await healthy()) throw new Error("HEALTHCHECK was content with a service that is gone");
    say("stopped by SIGTERM with exit code 0");
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
