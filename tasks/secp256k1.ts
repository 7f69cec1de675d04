/**
 * `deno run -A tasks/secp256k1.ts CHECKOUT`: makes payment/secp256k1.wasm.txt of a git checkout of
 * libsecp256k1 (https://github.com/bitcoin-core/secp256k1) at the commit below, with clang and wasm-ld of
 * version 14. The same sources and tools make the same bytes; `--check` says whether they are those in
 * the repository.
 */
import { Buffer } from "node:buffer";
import { join } from "node:path";

/** Release v0.8.0. */
const COMMIT = "6e2c8bc4ecdc6e71dbe7a368f360d8d453ce435d";
const TARGET = new URL("../payment/secp256k1.wasm.txt", import.meta.url);
const OURS = join(import.meta.dirname ?? ".", "secp256k1");
/** Windows of 8 bits: larger tables are hardly faster, and crowd the caches that the calls share. */
const FLAGS = [
  "--target=wasm32-unknown-unknown",
  "-nostdlib",
  "-w",
  "-isystem",
  join(OURS, "include"),
];
const LIBRARY_FLAGS = [
  "-O3",
  "-flto",
  "-DENABLE_MODULE_RECOVERY=1",
  "-DECMULT_WINDOW_SIZE=8",
  "-DECMULT_GEN_KB=2",
  "-DUSE_FORCE_WIDEMUL_INT64=1",
  "-DUSE_EXTERNAL_DEFAULT_CALLBACKS=1",
];

function run(program: string, args: readonly string[], cwd?: string): string {
  const { success, stdout, stderr } = new Deno.Command(program, {
    args: [...args],
    ...(cwd === undefined ? {} : { cwd }),
  }).outputSync();
  const text = new TextDecoder();
  if (!success) throw new Error(`${program}: ${text.decode(stderr)}`);
  return text.decode(stdout).trim();
}

const checkout = Deno.args.find((arg) => !arg.startsWith("--"));
if (checkout === undefined) {
  console.error("Name a checkout of libsecp256k1.");
  Deno.exit(2);
}
const commit = run("git", ["-C", checkout, "rev-parse", "HEAD"]);
if (commit !== COMMIT) {
  console.error(`${checkout} is at ${commit}: check out ${COMMIT}.`);
  Deno.exit(1);
}
const work = Deno.makeTempDirSync();
try {
  const compile = (source: string, object: string, flags: readonly string[]): void => {
    run("clang-14", [...FLAGS, ...flags, "-c", join(OURS, source), "-o", join(work, object)]);
  };
  compile("recover.c", "recover.o", [`-I${checkout}`, `-I${checkout}/include`, ...LIBRARY_FLAGS]);
  compile("memory.c", "memory.o", ["-O2", "-fno-builtin"]);
  run("wasm-ld-14", [
    "--no-entry",
    "--strip-all",
    "--gc-sections",
    "--lto-O3",
    "recover.o",
    "memory.o",
    "-o",
    "made.wasm",
  ], work);
  const bytes = Deno.readFileSync(join(work, "made.wasm"));
  const text = Buffer.from(bytes).toString("base64").replace(/.{100}/g, "$&\n") + "\n";
  if (Deno.args.includes("--check")) {
    const isSame = text === Deno.readTextFileSync(TARGET);
    console.log(isSame ? "the same" : "different");
    Deno.exitCode = isSame ? 0 : 1;
  } else {
    Deno.writeTextFileSync(TARGET, text);
    console.log(`${bytes.length} bytes`);
  }
} finally {
  Deno.removeSync(work, { recursive: true });
}
