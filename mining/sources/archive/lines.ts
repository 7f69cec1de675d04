/** Chunks of bytes to lines: split at byte 0x0A alone (U+2028 and U+0085 occur inside posts). */
import type { Clock } from "../../../core/clock.ts";
import { type ArchiveLine, readLine } from "./record.ts";

const LF = 0x0a;

/** A limit as people write it. */
function sized(bytes: number): string {
  const mib = bytes / 1_048_576;
  return mib >= 1 ? `${Number(mib.toFixed(1))} MiB` : `${bytes} bytes`;
}

/**
 * Collects lines over chunks. A chunk's memory may be reused after `push` returns. At most
 * `maxLineBytes` of an unfinished line are held; of a longer one nothing is, and it counts as bad.
 */
export class LineReader {
  readonly #maxLineBytes: number;
  /** Lines up to this number are passed over without being decoded. */
  readonly #skipLines: number;
  readonly #clock: Clock;
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #done = 0;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Whether any byte of an unfinished line was seen, kept or not. */
  #unfinished = false;
  #tooLong = false;

  constructor(
    options: {
      readonly clock: Clock;
      readonly maxLineBytes: number;
      readonly skipLines: number;
    },
  ) {
    this.#clock = options.clock;
    this.#maxLineBytes = options.maxLineBytes;
    this.#skipLines = options.skipLines;
  }

  /** Number of complete lines seen, skipped ones included. */
  get linesDone(): number {
    return this.#done;
  }

  /** Takes the next bytes and returns what the lines that end in them hold. */
  push(chunk: Uint8Array): ArchiveLine[] {
    const out: ArchiveLine[] = [];
    let start = 0;
    while (this.#done < this.#skipLines) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) {
        if (start < chunk.length) this.#unfinished = true;
        return out;
      }
      this.#done++;
      this.#unfinished = false;
      start = end + 1;
    }
    if (this.#unfinished) {
      const end = chunk.indexOf(LF, start);
      this.#keep(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0) return out;
      this.#endLine(out);
      start = end + 1;
    }
    const last = chunk.lastIndexOf(LF);
    if (last >= start) {
      this.#wholeLines(chunk.subarray(start, last), out);
      start = last + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return out;
  }

  /** Ends the text: a last line without a line end counts. */
  finish(): ArchiveLine[] {
    const out: ArchiveLine[] = [];
    if (!this.#unfinished) return out;
    if (this.#done < this.#skipLines) this.#done++;
    else this.#endLine(out);
    return out;
  }

  #keep(piece: Uint8Array): void {
    this.#unfinished = true;
    if (this.#tooLong) return;
    if (this.#pendingBytes + piece.length > this.#maxLineBytes) {
      this.#tooLong = true;
      this.#pending = [];
      this.#pendingBytes = 0;
      return;
    }
    this.#pending.push(piece.slice());
    this.#pendingBytes += piece.length;
  }

  #endLine(out: ArchiveLine[]): void {
    if (this.#tooLong) {
      this.#done++;
      out.push(this.#overlong());
    } else {
      const whole = new Uint8Array(this.#pendingBytes);
      let at = 0;
      for (const piece of this.#pending) {
        whole.set(piece, at);
        at += piece.length;
      }
      this.#oneLine(whole, out);
    }
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#tooLong = false;
    this.#unfinished = false;
  }

  #overlong(): ArchiveLine {
    const why = `longer than ${sized(this.#maxLineBytes)}`;
    return { kind: "bad", line: this.#done, why };
  }

  /** Lines without the last one's line end. One decode for all of them, unless one is at fault. */
  #wholeLines(bytes: Uint8Array, out: ArchiveLine[]): void {
    const text = bytes.length <= this.#maxLineBytes ? this.#decode(bytes) : null;
    if (text === null) {
      for (let start = 0; start <= bytes.length;) {
        const found = bytes.indexOf(LF, start);
        const end = found < 0 ? bytes.length : found;
        this.#oneLine(bytes.subarray(start, end), out);
        start = end + 1;
      }
      return;
    }
    for (let start = 0; start <= text.length;) {
      const found = text.indexOf("\n", start);
      const end = found < 0 ? text.length : found;
      this.#done++;
      const read = readLine(text.slice(start, end), this.#done, this.#clock);
      if (read) out.push(read);
      start = end + 1;
    }
  }

  #oneLine(bytes: Uint8Array, out: ArchiveLine[]): void {
    this.#done++;
    if (bytes.length > this.#maxLineBytes) {
      out.push(this.#overlong());
      return;
    }
    const text = this.#decode(bytes);
    const read: ArchiveLine | null = text === null
      ? { kind: "bad", line: this.#done, why: "not valid UTF-8" }
      : readLine(text, this.#done, this.#clock);
    if (read) out.push(read);
  }

  #decode(bytes: Uint8Array): string | null {
    try {
      return this.#utf8.decode(bytes);
    } catch {
      return null;
    }
  }
}
