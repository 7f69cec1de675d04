/** What a release holds besides executables: the bill of materials and the container image. */
import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { billOfMaterials } from "../../tasks/build/bill.ts";
import { writeImage } from "../../tasks/build/image.ts";
import { temporaryDirectory } from "../support/database.ts";

const ROOT = join(import.meta.dirname ?? ".", "..", "..");

Deno.test("the bill names every package that running needs, each once, and none that only tests need", () => {
  const bill = billOfMaterials(join(ROOT, "package.json"), { version: "1.2.3", commit: "abc" });
  const { components } = bill as { components: { name: string; version: string; purl: string }[] };
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const names = components.map(({ name }) => name);
  for (const name of Object.keys(dependencies)) assert(names.includes(name), name);
  for (const name of ["solc", "typescript", "mppx"]) {
    assert(!names.includes(name), name);
  }
  assertEquals(new Set(components.map(({ purl }) => purl)).size, components.length);
  for (const { name, version } of components) assert(/^\d+\./.test(version), name);
});

Deno.test({
  name:
    "the image is an OCI archive whose parts are what their digests say, and whose program runs in it",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    using folder = temporaryDirectory();
    const file = join(folder.path, "image.tar");
    const labels = {
      dockerfile: readFileSync(join(ROOT, "Dockerfile"), "utf8"),
      version: "1.2.3",
      commit: "abc",
    };
    writeImage("/bin/echo", file, labels);
    const first = readFileSync(file);
    writeImage("/bin/echo", file, labels);
    assertEquals(Buffer.compare(first, readFileSync(file)), 0);
    const unpack = (archive: string, to: string): void => {
      Deno.mkdirSync(to);
      const { success } = new Deno.Command("tar", { args: ["-xf", archive, "-C", to] })
        .outputSync();
      assert(success);
    };
    const image = join(folder.path, "image");
    unpack(file, image);
    const blob = (digest: string): string => {
      const path = join(image, "blobs", ...digest.split(":"));
      const sum = createHash("sha256").update(readFileSync(path)).digest("hex");
      assertEquals(`sha256:${sum}`, digest);
      return path;
    };
    const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));
    const manifest = json(blob(json(join(image, "index.json")).manifests[0].digest));
    const { config, rootfs } = json(blob(manifest.config.digest));
    assertEquals([config.User, config.Entrypoint, config.Cmd], ["65532", ["/demand"], ["serve"]]);
    assertEquals(config.Healthcheck.Test, ["CMD", "/demand", "healthcheck"]);
    assertEquals(rootfs.diff_ids, [manifest.layers[0].digest]);
    const root = join(folder.path, "root");
    unpack(blob(manifest.layers[0].digest), root);
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name).includes("data"), true);
    if (Deno.uid() !== 0) return;
    const { stdout } = new Deno.Command("chroot", { args: [root, "/demand", "it", "runs"] })
      .outputSync();
    assertEquals(new TextDecoder().decode(stdout), "it runs\n");
  },
});
