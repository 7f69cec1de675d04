/** Archives of posts into the corpus: resumable, repeatable, in bounded memory. */
import { createHash } from "node:crypto";
import { dayOf } from "../../core/clock.ts";
import { orAborted } from "../../core/deadline.ts";
import { OperatorError } from "../../core/errors.ts";
import { advanceAsOf } from "../../db/corpus/corpus.ts";
import {
  countNotFollowed,
  type ImportProgress,
  importProgress,
  keepMostNotFollowed,
  mostNotFollowed,
  saveImport,
} from "../../db/corpus/imports.ts";
import type { Tx } from "../../db/sql.ts";
import type { Registry } from "../communities/registry.ts";
import { type ArchiveLine, fingerprintArchive, readArchive } from "../sources/archive/mod.ts";
import type { Post } from "../types.ts";
import { judgeBatch, type JudgedBatch, type JudgingOptions, storeBatch } from "./ingest.ts";
import { type MinerDeps, type MiningSession, withReconnect } from "../session.ts";

/** `judging` reads posts as an archive's, with the same registry. */
interface ImportOptions extends JudgingOptions {
  readonly registry: Registry;
  /** Posts of communities outside the registry are taken too. */
  readonly allCommunities: boolean;
  /** Stops the import once no batch is being stored; what is done stays done. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FileProgress) => void;
  /** Called with the first bad lines, by number and reason. */
  readonly onBadLine: (line: number, why: string) => void;
}

interface BadLine {
  /** From 1. */
  readonly line: number;
  readonly why: string;
}

interface FileProgress extends ImportProgress {
  /** Share of the file's bytes read, 0-1. */
  readonly fraction: number;
}

export interface FileResult extends ImportProgress {
  readonly path: string;
  /** The first of the bad lines that this call met. */
  readonly badLines: readonly BadLine[];
  /** How many of them this call met, by reason. */
  readonly badReasons: Readonly<Record<string, number>>;
  /** The 20 communities not followed with the most posts, these first; own pages count as one. */
  readonly notFollowed: Readonly<Record<string, number>>;
  /** Lines that earlier calls had done; the counts include theirs. */
  readonly resumedAtLine: number;
  readonly interrupted: boolean;
}

const BATCH = 500;
/** Batches judged while one is stored: with two, no thread is without work between them. */
const AHEAD = 2;
const SHOWN_BAD_LINES = 10;
const SHOWN_COMMUNITIES = 20;
/** A person's own page is named after its owner, and such names are not stored. */
const PERSONAL = /^u_/i;
const PERSONAL_PAGES = "u_*";

const START: ImportProgress = {
  linesDone: 0,
  posts: 0,
  signals: 0,
  duplicates: 0,
  skipped: 0,
  unfollowed: 0,
  bad: 0,
  finishedAt: null,
};

/** A file is the same work only with the same communities: others make other posts count. */
function workKey(fingerprint: string, { registry, allCommunities }: ImportOptions): string {
  const names = registry.communities.map(({ name }) => name.toLowerCase()).sort().join(",");
  return createHash("sha256").update(`${fingerprint}|${allCommunities ? "*" : names}`).digest(
    "hex",
  );
}

/** Whether nothing that was read could be used: another kind of file, most likely. */
const isUseless = ({ posts, duplicates, skipped }: ImportProgress): boolean =>
  posts + duplicates + skipped === 0;

/**
 * Imports one file; a file that was done before is not read again, unless nothing of it could be used. The
 * demonstration corpus leaves before the first post that is taken.
 * @throws OperatorError for a file that cannot be read (what came before the fault is kept) and the
 * database's own errors.
 */
export async function importFile(
  deps: MinerDeps,
  session: MiningSession,
  path: string,
  options: ImportOptions,
): Promise<FileResult> {
  const { database, clock } = deps;
  const { fingerprint, size } = await fingerprintArchive(path);
  const key = workKey(fingerprint, options);
  const stored = await importProgress(database.sql, key);
  let progress = stored === null || isUseless(stored) ? START : stored;
  const resumedAtLine = progress.linesDone;
  const badLines: BadLine[] = [];
  const badReasons: Record<string, number> = {};
  const result = async (interrupted: boolean): Promise<FileResult> => ({
    ...progress,
    path,
    badLines,
    badReasons,
    notFollowed: await mostNotFollowed(database.sql, key, SHOWN_COMMUNITIES),
    resumedAtLine,
    interrupted,
  });
  if (progress.finishedAt !== null) return await result(false);
  const keep = createKeep(deps, session, {
    load: () => importProgress(database.sql, key),
    save: async (tx, next, notFollowed) => {
      await saveImport(tx, key, path, next);
      await countNotFollowed(tx, key, notFollowed);
    },
  });
  let bytes = 0;
  const archive = readArchive(path, {
    clock,
    skipLines: progress.linesDone,
    onBytes: (read) => bytes = read,
  });
  const { signal } = options;
  const judged = ahead(
    inBatches(archive),
    (lines) => orAborted(signal, () => judgeLines(deps, lines, options)),
    AHEAD,
  );
  try {
    for await (const batch of judged) {
      progress = await keep(batch, progress);
      for (const bad of batch.bad) {
        badReasons[bad.why] = (badReasons[bad.why] ?? 0) + 1;
        if (badLines.length === SHOWN_BAD_LINES) continue;
        badLines.push(bad);
        options.onBadLine(bad.line, bad.why);
      }
      options.onProgress({ ...progress, fraction: size === 0 ? 1 : Math.min(1, bytes / size) });
      signal.throwIfAborted();
    }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    return await result(true);
  }
  if (!isUseless(progress)) {
    progress = { ...progress, finishedAt: clock.now() };
    await withReconnect(deps, () =>
      database.sql.begin(async (tx) => {
        await session.assertLease(tx);
        await saveImport(tx, key, path, progress);
        await keepMostNotFollowed(tx, key, SHOWN_COMMUNITIES);
      }));
  }
  return await result(false);
}

/** An archive's lines by the batch. What came before a fault of the file comes before the fault. */
async function* inBatches(
  archive: AsyncIterable<readonly ArchiveLine[]>,
): AsyncGenerator<readonly ArchiveLine[], void, undefined> {
  let lines: ArchiveLine[] = [];
  try {
    for await (const chunk of archive) {
      for (const line of chunk) {
        lines.push(line);
        if (lines.length < BATCH) continue;
        yield lines;
        lines = [];
      }
    }
  } catch (error) {
    if (error instanceof OperatorError && lines.length > 0) yield lines;
    throw error;
  }
  if (lines.length > 0) yield lines;
}

/** A batch of an archive with what its posts say of demand. */
async function judgeLines(
  deps: MinerDeps,
  lines: readonly ArchiveLine[],
  options: ImportOptions,
): Promise<ReadLines> {
  const { posts, ...sorted } = sortLines(lines, options);
  const judged = await withReconnect(
    deps,
    () => judgeBatch(deps.database, posts, options),
  );
  const newest = Math.max(0, ...posts.map(({ createdAt }) => createdAt.getTime()));
  return { ...sorted, judged, newest };
}

/**
 * The results of `work`, in the order of its values; `count` of them are begun while the one before is in use. A
 * fault of the values comes after all results before it.
 */
async function* ahead<T, R>(
  values: AsyncIterable<T>,
  work: (value: T) => Promise<R>,
  count: number,
): AsyncGenerator<R, void, undefined> {
  const begun: Promise<R>[] = [];
  for await (const { result } of begin(values, work)) {
    // Rejects when its turn comes, if it does.
    result.catch(() => {});
    begun.push(result);
    if (begun.length > count) yield await begun.shift()!;
  }
  for (const result of begun) yield await result;
}

/** Begins to work on each value, in an object so that nobody awaits the result yet. */
async function* begin<T, R>(
  values: AsyncIterable<T>,
  work: (value: T) => Promise<R>,
): AsyncGenerator<{ readonly result: Promise<R> }, void, undefined> {
  try {
    for await (const value of values) yield { result: work(value) };
  } catch (error) {
    yield { result: Promise.reject(error) };
  }
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** How far a file is, as it is stored. */
interface StoredProgress {
  readonly load: () => Promise<ImportProgress | null>;
  /** In the transaction of a batch. */
  readonly save: (
    tx: Tx,
    progress: ImportProgress,
    notFollowed: ReadonlyMap<string, number>,
  ) => Promise<void>;
}

/** Makes what stores a batch and how far the file is then, in one transaction; it gives the latter. */
function createKeep(
  deps: MinerDeps,
  session: MiningSession,
  { load, save }: StoredProgress,
): (batch: ReadLines, progress: ImportProgress) => Promise<ImportProgress> {
  const { database, clock } = deps;
  let isReal = false;
  return (batch, progress) => {
    let attempts = 0;
    return withReconnect(deps, async () => {
      // A connection may be lost after the batch was committed: its posts would all be counted as read before.
      const stored = attempts++ === 0 ? null : await load();
      if (stored !== null && stored.linesDone >= batch.lastLine) return stored;
      if (batch.judged.posts > 0 && !isReal) {
        await session.makeReal("archive");
        isReal = true;
      }
      let next = progress;
      await storeBatch(database, batch.judged, dayOf(clock.now()), async (tx, result) => {
        await session.assertLease(tx);
        if (batch.newest > 0) await advanceAsOf(tx, new Date(batch.newest));
        next = {
          linesDone: batch.lastLine,
          posts: progress.posts + result.fresh,
          signals: progress.signals + result.signals,
          duplicates: progress.duplicates + result.duplicates,
          skipped: progress.skipped + batch.skipped,
          unfollowed: progress.unfollowed === null
            ? null
            : progress.unfollowed + sumOf(batch.notFollowed),
          bad: progress.bad + batch.bad.length,
          finishedAt: null,
        };
        await save(tx, next, batch.notFollowed);
      });
      return next;
    });
  };
}

/** A batch of lines, read. */
interface ReadLines extends Omit<SortedLines, "posts"> {
  readonly judged: JudgedBatch;
  /** When the newest post was written; 0 without posts. */
  readonly newest: number;
}

interface SortedLines {
  readonly posts: readonly Post[];
  readonly skipped: number;
  /** Posts left out for their communities, by community. */
  readonly notFollowed: ReadonlyMap<string, number>;
  readonly bad: readonly BadLine[];
  readonly lastLine: number;
}

function sortLines(
  lines: readonly ArchiveLine[],
  { registry, allCommunities }: ImportOptions,
): SortedLines {
  const posts: Post[] = [];
  const bad: BadLine[] = [];
  const notFollowed = new Map<string, number>();
  let skipped = 0;
  for (const line of lines) {
    if (line.kind === "bad") bad.push({ line: line.line, why: line.why });
    else if (line.kind === "skip") skipped++;
    else if (!allCommunities && registry.find(line.post.community) === undefined) {
      skipped++;
      const name = PERSONAL.test(line.post.community) ? PERSONAL_PAGES : line.post.community;
      notFollowed.set(name, (notFollowed.get(name) ?? 0) + 1);
    } else posts.push(line.post);
  }
  return { posts, skipped, notFollowed, bad, lastLine: lines.at(-1)?.line ?? 0 };
}
