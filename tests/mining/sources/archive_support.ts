/** Files and lines for the tests of the archive reader. */
import type { Clock } from "../../../core/clock.ts";
import {
  type ArchiveLine,
  type ArchiveOptions,
  readArchive,
} from "../../../mining/sources/archive/mod.ts";

/** A day on which no post of these tests lies in the future. */
export const CLOCK: Clock = { now: () => new Date("2026-11-20T12:00:00.000Z") };

/** A submission as public archives spell it, with the fields given replaced (undefined: left out). */
export function submission(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    id: "1kettle",
    subreddit: "tea",
    title: "My kettle leaks at the seam",
    selftext: "Third one this year. I would pay more for one that lasts.",
    author: "teapot_tom",
    created_utc: 1_700_000_000,
    score: 12,
    num_comments: 3,
    permalink: "/r/tea/comments/1kettle/my_kettle_leaks_at_the_seam/",
    over_18: false,
    ...fields,
  });
}

/** Runs `use` with the path of a file that holds `content`, and removes it afterwards. */
export async function withFile<T>(
  content: string | Uint8Array,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = await Deno.makeTempFile({ prefix: "archive-test-" });
  try {
    await Deno.writeFile(
      path,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    return await use(path);
  } finally {
    await Deno.remove(path);
  }
}

export interface Outcome {
  readonly lines: readonly ArchiveLine[];
  /** What the reading ended with, if not with the end of the file. */
  readonly error: Error | null;
}

/** Reads all of a file, and keeps what came before a failure. */
export async function readAll(
  path: string,
  options: Partial<ArchiveOptions> = {},
): Promise<Outcome> {
  const lines: ArchiveLine[] = [];
  try {
    for await (const batch of readArchive(path, { clock: CLOCK, ...options })) lines.push(...batch);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { lines, error };
  }
  return { lines, error: null };
}

/** Reads content that has to be read without failure. */
export async function linesOf(
  content: string | Uint8Array,
  options: Partial<ArchiveOptions> = {},
): Promise<readonly ArchiveLine[]> {
  const { lines, error } = await withFile(content, (path) => readAll(path, options));
  if (error) throw error;
  return lines;
}

/** Each line in a word: the post's id, or its reason. */
export function brief(lines: readonly ArchiveLine[]): string[] {
  return lines.map((l) =>
    `${l.line} ${l.kind === "post" ? l.post.id : l.kind === "skip" ? l.reason : l.why}`
  );
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
