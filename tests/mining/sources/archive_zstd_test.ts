import { assert, assertEquals, assertRejects } from "@std/assert";
import { BrokenData } from "../../../mining/sources/archive/broken.ts";
import { unzstd } from "../../../mining/sources/archive/zstd/mod.ts";
import { Xxh64 } from "../../../mining/sources/archive/zstd/xxhash.ts";
import { measureReading } from "./archive_memory.ts";
import { brief, concat, linesOf, readAll, withFile } from "./archive_support.ts";
import { LONG_27, LONG_31, TWO_FRAMES } from "./archive_zstd_fixtures.ts";

const decode = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const ids = Array.from({ length: 60 }, (_, i) => `${i + 1} z${i + 1}`);

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
    buffer.fill(0xee);
  }
}

async function unpack(bytes: Uint8Array, size = 4_096): Promise<string> {
  const out: Uint8Array[] = [];
  for await (const chunk of unzstd(pieces(bytes, size))) out.push(chunk.slice());
  return new TextDecoder().decode(concat(...out));
}

/**
 * A frame of raw and repeated-byte blocks, which need no entropy coding; no checksum. Its window is `eighths` eighths
 * longer than two to the power `windowLog`.
 */
function frame(
  windowLog: number,
  blocks: readonly (readonly [number, Uint8Array, number])[],
  eighths = 0,
) {
  const head = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3 | eighths]);
  const parts = blocks.map(([kind, bytes, size], i) => {
    const word = (size << 3) | (kind << 1) | (i === blocks.length - 1 ? 1 : 0);
    return concat(new Uint8Array([word & 255, (word >> 8) & 255, word >> 16]), bytes);
  });
  return concat(head, ...parts);
}

Deno.test("zstd is read over several frames and past skippable ones", async () => {
  const lines = await linesOf(decode(TWO_FRAMES));
  assertEquals(brief(lines), ids);
  const last = lines.at(-1);
  assert(last?.kind === "post");
  assertEquals(last.post.title, "Kettle number 60 drips from its lid");
  assertEquals(
    last.post.body,
    "Bought it 60 weeks ago. The lid of the red one drips. Thé à l'ancienne.",
  );
});

Deno.test("zstd comes out the same however the file is cut into chunks", async () => {
  const packed = decode(TWO_FRAMES);
  const text = await unpack(packed);
  for (const size of [1, 2, 7, 100]) assertEquals(await unpack(packed, size), text);
});

Deno.test("long windows are read in the memory their content needs", async () => {
  for (const packed of [LONG_27, LONG_31]) {
    const { lines, grownMiB } = await withFile(decode(packed), (path) => measureReading(path, 60));
    assertEquals(lines, ids);
    assert(grownMiB < 60, `grew by ${grownMiB} MiB`);
  }
});

Deno.test("a reading of zstd that goes on passes over the lines done", async () => {
  assertEquals(brief(await linesOf(decode(TWO_FRAMES), { skipLines: 44 })), ids.slice(44));
});

Deno.test("zstd cut short anywhere gives whole lines before the cut, and says so", async () => {
  const packed = decode(TWO_FRAMES);
  for (let length = packed.length - 1; length > 30; length -= 97) {
    await withFile(packed.subarray(0, length), async (path) => {
      const { lines, error } = await readAll(path);
      assertEquals(brief(lines), ids.slice(0, lines.length));
      const where = lines.length === 0 ? ", no line could be read" : ` after line ${lines.length}`;
      assertEquals(error?.message, `${path}: the zstd data is cut short${where}`);
    });
  }
});

Deno.test("a byte of zstd that is wrong is found, or changes nothing", async () => {
  const packed = decode(LONG_27);
  const text = await unpack(packed);
  let [found, harmless] = [0, 0];
  // Past the magic number and the window, which can be other valid ones.
  for (let at = 6; at < packed.length; at += 3) {
    const copy = packed.slice();
    copy[at] = (copy[at] ?? 0) ^ 0x10;
    try {
      assertEquals(await unpack(copy), text, `byte ${at}`);
      harmless++;
    } catch (error) {
      assert(error instanceof BrokenData, String(error));
      found++;
    }
  }
  assert(harmless < 5 && found > 250, `${found} found, ${harmless} harmless`);
  await assertRejects(() => unpack(concat(packed, decode("Z2FyYmFnZQ=="))), BrokenData, "follows");
});

Deno.test("a window of more than 2 GiB, and a dictionary, are refused by name", async () => {
  const wide = frame(32, [[0, new Uint8Array([65]), 1]]);
  assertEquals(
    (await assertRejects(() => unpack(wide), BrokenData)).message,
    "its window is 4096 MiB",
  );
  const dictionary = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 1, 0, 7, 1, 0, 0]);
  const error = await assertRejects(() => unpack(dictionary), BrokenData);
  assertEquals([error.kind, error.message], ["unsupported", "it needs a dictionary"]);
});

Deno.test("a frame much longer than its window is read in the memory of the window", async () => {
  const letter = (i: number) => new Uint8Array([97 + i % 26]);
  const size = 128 * 1024;
  const packed = frame(17, Array.from({ length: 800 }, (_, i) => [1, letter(i), size] as const));
  let [total, block] = [0, 0];
  for await (const chunk of unzstd(pieces(packed, 4_096))) {
    const byte = 97 + block % 26;
    assertEquals([chunk[0], chunk.at(-1), chunk.length], [byte, byte, size]);
    total += chunk.length;
    block++;
  }
  assertEquals(total, 800 * size);
  const { lines, grownMiB } = await withFile(packed, (path) => measureReading(path, 40));
  assertEquals(lines, ["1 longer than 4 MiB"]);
  assert(grownMiB < 40, `grew by ${grownMiB} MiB`);
});

Deno.test("a window of any length that the format knows is read whole", async () => {
  const size = 128 * 1024 - 10;
  const raw = Array.from({ length: 10 }, (_, i) => new Uint8Array(size).fill(97 + i));
  for (let eighths = 0; eighths < 8; eighths++) {
    for (const kind of [0, 1]) {
      const blocks = raw.map((bytes) =>
        [kind, kind === 0 ? bytes : bytes.slice(0, 1), size] as const
      );
      let total = 0;
      for await (const chunk of unzstd(pieces(frame(19, blocks, eighths), 4_096))) {
        assertEquals([chunk[0], chunk.at(-1)], [97 + total / size, 97 + total / size]);
        total += chunk.length;
      }
      assertEquals(total, 10 * size, `${eighths} eighths, kind ${kind}`);
    }
  }
});

Deno.test("the checksum is XXH64, in one piece or in several", () => {
  const bytes = Uint8Array.from({ length: 101 }, (_, i) => (i * 37 + 11) & 255);
  const hash = (...parts: readonly Uint8Array[]) => {
    const xxh = new Xxh64();
    for (const part of parts) xxh.update(part);
    return xxh.digest32();
  };
  assertEquals(hash(), 0x51d8e999);
  // The published value for "abc" is 44bc2cf5ad770999.
  assertEquals(hash(new TextEncoder().encode("abc")), 0xad770999);
  for (const cut of [0, 1, 31, 32, 33, 64, 100]) {
    assertEquals(hash(bytes.subarray(0, cut), bytes.subarray(cut)), hash(bytes));
  }
});
