/** Archives of submissions: NDJSON, plain, gzip or zstd, read in bounded memory. */
import type { Clock } from "../../../core/clock.ts";
import { BrokenData } from "./broken.ts";
import {
  type ArchiveFormat,
  chunksOf,
  fileError,
  formatOf,
  isBinary,
  type OpenFile,
  openFile,
} from "./file.ts";
import { gunzip } from "./gzip.ts";
import { LineReader } from "./lines.ts";
import type { ArchiveLine } from "./record.ts";
import { unzstd } from "./zstd/mod.ts";

export type { ArchiveLine } from "./record.ts";
export { fingerprintArchive } from "./file.ts";

export interface ArchiveOptions {
  /** Tells which posts lie in the future. */
  readonly clock: Clock;
  /** Resume: this many lines were done before and are passed over without being parsed. */
  readonly skipLines?: number;
  /** Called with the bytes of the file (packed, where it is) read so far. */
  readonly onBytes?: (read: number) => void;
}

const HEAD_BYTES = 1024;
/** A longer line is bad, and not held in memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

const UNPACK: Readonly<
  Record<ArchiveFormat, (open: () => AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>>
> = { plain: (open) => open(), gzip: gunzip, zstd: (open) => unzstd(open()) };

function brokenMessage(format: ArchiveFormat, error: BrokenData, linesDone: number): string {
  const where = linesDone === 0
    ? ", no line could be read"
    : ` after line ${linesDone.toLocaleString("en-US")}`;
  if (error.kind === "trailing") return `other bytes follow the end of the ${format} data${where}`;
  if (error.kind === "truncated") return `the ${format} data is cut short${where}`;
  const what = error.kind === "corrupt" ? "is corrupt" : "is of a kind that is not read";
  return `the ${format} data ${what}${where} (${error.message})`;
}

/** The beginning of what is inside; empty where the packing is broken, which reading says in full. */
async function headOf(path: string, file: OpenFile, format: ArchiveFormat): Promise<Uint8Array> {
  try {
    for await (const chunk of UNPACK[format](() => chunksOf(path, file, () => {}))) {
      if (chunk.length > 0) return chunk.slice(0, HEAD_BYTES);
    }
  } catch (error) {
    if (!(error instanceof BrokenData)) throw error;
  }
  return new Uint8Array();
}

/** What the text is instead of posts, by its beginning; null where it may be posts. */
function foreignText(head: Uint8Array): string | null {
  const text = new TextDecoder().decode(head).trimStart();
  if (/^\{"format":\s*"demand-backup"/.test(text)) {
    return "is a backup of the service, not posts: use demand restore";
  }
  return text.startsWith("[")
    ? "is a JSON array, not one JSON object a line: write each of its posts on a line of its own"
    : null;
}

/**
 * Opens an archive and looks at its beginning.
 * @throws OperatorError, one line that names the file, for one that is missing, empty, a directory, not
 * readable, packed in a way that is not read, or plainly something else.
 */
export async function checkArchive(path: string): Promise<void> {
  const file = await openFile(path);
  try {
    const head = await headOf(path, file, await formatOf(path, file));
    const foreign = foreignText(head);
    if (foreign !== null) throw fileError(path, foreign);
  } finally {
    await file.handle.close();
  }
}

/**
 * Reads an archive of submissions in batches of lines, in file order, as many as a chunk of the
 * file holds; blank lines give nothing. Only as much is read as the caller asks for.
 * @throws OperatorError, one line that names the file: it is missing, empty, a directory, not readable,
 * binary, or its compressed data is cut short or corrupt (the lines before it are delivered first).
 */
export async function* readArchive(
  path: string,
  options: ArchiveOptions,
): AsyncGenerator<readonly ArchiveLine[]> {
  const lines = new LineReader({
    clock: options.clock,
    maxLineBytes: MAX_LINE_BYTES,
    skipLines: options.skipLines ?? 0,
  });
  const file = await openFile(path);
  try {
    const format = await formatOf(path, file);
    const chunks = UNPACK[format](() => chunksOf(path, file, options.onBytes ?? (() => {})));
    let first = true;
    try {
      for await (const chunk of chunks) {
        if (chunk.length === 0) continue;
        if (first && isBinary(chunk)) {
          const inside = format === "plain" ? "is a binary file" : "holds binary data";
          throw fileError(path, `${inside}, not posts as one JSON object per line`);
        }
        first = false;
        const batch = lines.push(chunk);
        if (batch.length > 0) yield batch;
      }
    } catch (error) {
      if (!(error instanceof BrokenData)) throw error;
      // Nothing is missing then: a line without a line end is whole.
      const last = error.kind === "trailing" ? lines.finish() : [];
      if (last.length > 0) yield last;
      throw fileError(path, brokenMessage(format, error, lines.linesDone), error);
    }
    if (first) throw fileError(path, `is empty inside its ${format} wrapping`);
    const last = lines.finish();
    if (last.length > 0) yield last;
  } finally {
    await file.handle.close();
  }
}
