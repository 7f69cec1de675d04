/**
 * The container image of an executable as an OCI archive, without a container engine: the Dockerfile's final
 * stage, with the C library of this machine in place of its base. `podman load` and `skopeo` take it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseDockerfile } from "./dockerfile.ts";

interface Labels {
  readonly dockerfile: string;
  readonly version: string;
  readonly commit: string | null;
}

/** Distroless images' own number for the user `nonroot`. */
const NONROOT = 65_532;
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };
const TAR = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];

/** The shared libraries that an executable asks for, as this machine has them. */
function libraries(executable: string): string[] {
  const said = execFileSync("ldd", [executable], { encoding: "utf8" });
  return [...said.matchAll(/(\/\S+) \(0x[0-9a-f]+\)/g)].map(([, path = ""]) => path);
}

/** Writes the image of `executable` to the file `output`. */
export function writeImage(executable: string, output: string, labels: Labels): void {
  const final = parseDockerfile(labels.dockerfile).at(-1);
  if (final === undefined) throw new Error("the Dockerfile has no stage");
  const work = mkdtempSync(join(tmpdir(), "demand-image-"));
  try {
    const root = join(work, "root");
    const place = (from: string, to: string): void => {
      mkdirSync(dirname(join(root, to)), { recursive: true });
      copyFileSync(from, join(root, to));
    };
    for (const library of libraries(executable)) place(library, library);
    place(executable, final.entrypoint[0] ?? "/demand");
    for (const folder of ["data", "tmp", "etc"]) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "etc", "passwd"), `nonroot:x:${NONROOT}:${NONROOT}::/data:/none\n`);
    // What whoever runs the machine trusts, for calls to the outside.
    const certificates = "/etc/ssl/certs/ca-certificates.crt";
    try {
      place(certificates, certificates);
    } catch {
      // The runtimes carry roots of their own.
    }
    const layer = join(work, "layer.tar");
    execFileSync("tar", [
      ...TAR,
      "--exclude=./data",
      "--exclude=./tmp",
      "-cf",
      layer,
      "-C",
      root,
      ".",
    ]);
    const own = ["--owner=65532", "--group=65532", "--numeric-owner", "--mtime=@0"];
    execFileSync("tar", [...own, "--mode=0700", "-rf", layer, "-C", root, "./data"]);
    execFileSync("tar", [...own, "--mode=1777", "-rf", layer, "-C", root, "./tmp"]);
    pack(layer, output, final, labels, join(work, "oci"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The archive of an image with one layer, as the OCI image layout has it. */
function pack(
  layer: string,
  output: string,
  final: ReturnType<typeof parseDockerfile>[number],
  { version, commit }: Labels,
  folder: string,
): void {
  const blobs = join(folder, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  const put = (bytes: Uint8Array, mediaType: string) => {
    const digest = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(blobs, digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const bytes = readFileSync(layer);
  const stored = put(bytes, "application/vnd.oci.image.layer.v1.tar");
  const annotations = {
    "org.opencontainers.image.title": "demand",
    "org.opencontainers.image.version": version,
    ...(commit === null ? {} : { "org.opencontainers.image.revision": commit }),
  };
  const config = put(
    text({
      architecture: ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch,
      os: "linux",
      config: {
        User: String(NONROOT),
        Env: Object.entries(final.env).map(([name, value]) => `${name}=${value}`),
        Entrypoint: final.entrypoint,
        Cmd: final.command,
        ExposedPorts: { [`${final.env.PORT ?? final.exposed}/tcp`]: {} },
        Volumes: { "/data": {} },
        WorkingDir: "/data",
        StopSignal: "SIGTERM",
        Healthcheck: {
          Test: ["CMD", ...final.healthcheck],
          Interval: 15e9,
          Timeout: 5e9,
          StartPeriod: 30e9,
        },
        Labels: annotations,
      },
      rootfs: { type: "layers", diff_ids: [stored.digest] },
    }),
    "application/vnd.oci.image.config.v1+json",
  );
  const manifest = put(
    text({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config,
      layers: [stored],
      annotations,
    }),
    "application/vnd.oci.image.manifest.v1+json",
  );
  const named = { ...manifest, annotations: { "org.opencontainers.image.ref.name": version } };
  writeFileSync(join(folder, "oci-layout"), text({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(folder, "index.json"), text({ schemaVersion: 2, manifests: [named] }));
  execFileSync("tar", [...TAR, "-cf", output, "-C", folder, "."]);
}
