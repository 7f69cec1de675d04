import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { gzipSync } from "node:zlib";
import { readLines } from "../../../commands/backup/file.ts";
import { OperatorError } from "../../../core/errors.ts";
import { LineReader } from "../../../mining/sources/archive/lines.ts";
import { fingerprintArchive } from "../../../mining/sources/archive/mod.ts";
import { temporaryDirectory } from "../../support/database.ts";
import { measureReading } from "./archive_memory.ts";
import { brief, CLOCK, concat, linesOf, readAll, submission, withFile } from "./archive_support.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => submission({ id: `p${from + i}` }) + "\n").join(
    "",
  );

async function failure(content: string | Uint8Array) {
  const { lines, error } = await withFile(content, async (path) => {
    const outcome = await readAll(path);
    const message = outcome.error?.message.replace(path, "FILE");
    return { lines: outcome.lines, error: outcome.error && { type: outcome.error, message } };
  });
  assert(error?.type instanceof OperatorError, `got ${error?.type}`);
  assert(!error.message?.includes("\n"));
  return { message: error.message, lines };
}

Deno.test("lines end at byte 0x0A alone; CRLF, blank lines, a BOM and a missing last end do", async () => {
  const text = "\ufeff" + submission({ id: "a1", title: "one\u2028still one\u0085and on" }) +
    "\r\n" +
    "\r\n" + submission({ id: "a2" }) + "\n\n" + submission({ id: "a3" });
  const lines = await linesOf(text);
  assertEquals(brief(lines), ["1 a1", "3 a2", "5 a3"]);
  const first = lines[0];
  assertEquals(first?.kind === "post" && first.post.title, "one\u2028still one\u0085and on");
});

Deno.test("bad lines are told by number and reason, and the others are read", async () => {
  const content = concat(
    bytes(submission({ id: "a1" }) + "\n{oops\n"),
    new Uint8Array([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
    bytes(submission({ id: "a2", title: "café" }) + "\n" + submission({ over_18: true }) + "\n"),
  );
  assertEquals(brief(await linesOf(content)), [
    "1 a1",
    "2 not JSON",
    "3 not valid UTF-8",
    "4 a2",
    "5 adult",
  ]);
});

Deno.test("characters and lines that straddle chunks arrive whole", async () => {
  const body = "é\u{1f375}€".repeat(3_000);
  const text = Array.from({ length: 60 }, (_, i) => submission({ id: `s${i}`, selftext: body }))
    .join("\n");
  for (const content of [bytes(text), new Uint8Array(gzipSync(text))]) {
    const lines = await linesOf(content);
    assertEquals(lines.length, 60);
    for (const line of lines) assert(line.kind === "post" && line.post.body === body);
  }
});

Deno.test("gzip is read on over its members, and over padding after the last", async () => {
  const content = concat(
    gzipSync(numbered(1, 400)),
    gzipSync(numbered(401, 402).slice(0, -1)),
    new Uint8Array(64),
  );
  const lines = await linesOf(content);
  assertEquals(lines.length, 402);
  assertEquals(brief(lines).at(-1), "402 p402");
});

Deno.test("gzip that is cut short gives the lines before the cut, and says where it was", async () => {
  const one = new Uint8Array(gzipSync(numbered(1, 400)));
  const two = new Uint8Array(gzipSync(numbered(401, 800)));
  const cuts = [two.length - 1, two.length - 9, two.length >> 1, 12, 5].map((length) =>
    concat(one, two.subarray(0, length))
  );
  for (const content of [...cuts, one.subarray(0, one.length - 3)]) {
    const { message, lines } = await failure(content);
    assertEquals(message, `FILE: the gzip data is cut short after line ${lines.length}`);
    assert(lines.length >= 400 || content.length < one.length);
  }
  const { message, lines } = await failure(one.subarray(0, 11));
  assertEquals(message, "FILE: the gzip data is cut short, no line could be read");
  assertEquals(lines.length, 0);
});

Deno.test("bytes behind gzip are called that, and every line before them is given", async () => {
  const tail = bytes("-- signed by hand\n");
  for (const text of [numbered(1, 1).slice(0, -1), numbered(1, 3), numbered(1, 4_000)]) {
    const { message, lines } = await failure(concat(gzipSync(text), tail));
    const count = text.trimEnd().split("\n").length;
    assertEquals(lines.length, count);
    assertEquals(
      message,
      `FILE: other bytes follow the end of the gzip data after line ${
        count.toLocaleString("en-US")
      }`,
    );
  }
});

Deno.test("gzip that fails its check ends in a message", async () => {
  const spoil = (content: Uint8Array) => {
    const sum = content.length - 8;
    content[sum] = (content[sum] ?? 0) ^ 1;
    return content;
  };
  const two = concat(gzipSync(numbered(1, 2_000)), spoil(new Uint8Array(gzipSync(numbered(1, 5)))));
  const { message, lines } = await failure(two);
  assertEquals(
    message,
    `FILE: the gzip data is corrupt after line ${
      lines.length.toLocaleString("en-US")
    } (its check failed)`,
  );
  // How much of the last chunk before the failure arrives differs between runtimes.
  assert(lines.length > 300 && lines.length <= 2_000);
  assertEquals(
    (await failure(spoil(new Uint8Array(gzipSync(numbered(1, 5)))))).message,
    "FILE: the gzip data is corrupt, no line could be read (its check failed)",
  );
});

Deno.test("files that are no archive end in one line that names them", async () => {
  const binary = new Uint8Array(5_000).map((_, i) => i % 7);
  const message = async (content: string | Uint8Array) => (await failure(content)).message;
  assertEquals(await message(""), "FILE: is empty");
  assertEquals(
    await message(new Uint8Array(gzipSync(""))),
    "FILE: is empty inside its gzip wrapping",
  );
  assertEquals(
    await message(binary),
    "FILE: is a binary file, not posts as one JSON object per line",
  );
  assertEquals(
    await message(new Uint8Array(gzipSync(binary))),
    "FILE: holds binary data, not posts as one JSON object per line",
  );
  const xz = new Uint8Array([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 1, 2]);
  assertEquals(
    await message(xz),
    "FILE: is packed by xz; only plain text, gzip and zstd are read",
  );
});

Deno.test("missing files and directories end in one line that names them", async () => {
  using directory = temporaryDirectory();
  const missing = `${directory.path}/none\u001b.ndjson`;
  const gone = (await readAll(missing)).error;
  assert(gone instanceof OperatorError);
  assertEquals(gone.message, `${directory.path}/none\\u001b.ndjson: no such file`);
  const folder = (await readAll(directory.path)).error;
  assert(folder instanceof OperatorError);
  assertEquals(folder.message, `${directory.path}: is a directory, not a file`);
  await assertRejects(() => fingerprintArchive(missing), OperatorError, "no such file");
});

Deno.test({
  name: "a pipe is turned down without waiting for somebody to write to it",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    const pipe = `${directory.path}/pipe`;
    assert(new Deno.Command("mkfifo", { args: [pipe] }).outputSync().success);
    const { error } = await readAll(pipe);
    assert(error instanceof OperatorError);
    assertMatch(error.message, /pipe: is not a regular file/);
    await assertRejects(() => readLines(pipe).next(), OperatorError, "is not a regular file");
  },
});

Deno.test("a reading that goes on passes over the lines done, whatever they hold", async () => {
  const text = numbered(1, 300) + "{broken\n\n" + numbered(303, 900);
  for (const content of [bytes(text), new Uint8Array(gzipSync(text))]) {
    const whole = await linesOf(content);
    for (const done of [0, 1, 299, 301, 302, 899, 900, 5_000]) {
      const rest = await linesOf(content, { skipLines: done });
      assertEquals(rest, whole.filter((line) => line.line > done), `after ${done}`);
    }
  }
  const open = submission({ id: "a1" }) + "\n" + submission({ id: "a2" });
  assertEquals(brief(await linesOf(open, { skipLines: 1 })), ["2 a2"]);
  assertEquals(await linesOf(open, { skipLines: 2 }), []);
});

Deno.test("progress is told in bytes of the file, up to its size", async () => {
  const content = new Uint8Array(gzipSync(numbered(1, 2_000)));
  const seen: number[] = [];
  await linesOf(content, { onBytes: (read) => seen.push(read) });
  assertEquals(seen.at(-1), content.length);
});

Deno.test("a fingerprint follows the content, and is the same for the same content", async () => {
  const big = bytes(numbered(1, 12_000));
  const changed = (at: number) => {
    const copy = big.slice();
    copy[at] = 0x20;
    return copy;
  };
  const of = (content: Uint8Array) => withFile(content, fingerprintArchive);
  const one = await of(big);
  assert(big.length > 2_200_000);
  assertEquals(one.size, big.length);
  assertEquals(await of(big), one);
  for (const other of [changed(10), changed(big.length - 10), big.subarray(0, -1)]) {
    assertNotEquals((await of(other)).fingerprint, one.fingerprint);
  }
});

Deno.test("a line of 100 MB is bad, and is never held in memory", async () => {
  const path = await Deno.makeTempFile();
  try {
    const file = await Deno.open(path, { write: true });
    const piece = new Uint8Array(1024 * 1024).fill(0x61);
    await file.write(bytes(submission({ id: "a1" }) + '\n{"selftext":"'));
    for (let i = 0; i < 100; i++) await file.write(piece);
    await file.write(bytes(`"}\n` + submission({ id: "a3" }) + "\n"));
    file.close();
    const { lines, grownMiB } = await measureReading(path, 60);
    assertEquals(lines, ["1 a1", "2 longer than 4 MiB", "3 a3"]);
    assert(grownMiB < 60, `grew by ${grownMiB} MiB`);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("the longest line allowed holds for a line inside one chunk", () => {
  const text = [
    submission({ id: "a1" }),
    "x".repeat(900),
    submission({ id: "a3" }),
    "y".repeat(900),
  ]
    .join("\n");
  const lines = new LineReader({ clock: CLOCK, maxLineBytes: 512, skipLines: 0 });
  assertEquals(brief([...lines.push(bytes(text)), ...lines.finish()]), [
    "1 a1",
    "2 longer than 512 bytes",
    "3 a3",
    "4 longer than 512 bytes",
  ]);
});

Deno.test("of bodies that are far too long, no more is held in memory than is kept", async () => {
  const long = submission({ selftext: "I want a kettle. ".repeat(230_000) }) + "\n";
  const archive = gzipSync(long.repeat(100), { level: 1 });
  const { lines, grownMiB } = await withFile(archive, (path) => measureReading(path, 250));
  assertEquals(lines.length, 100);
  assert(grownMiB < 250, `grown by ${grownMiB} MiB`);
});
