/** `demand import FILE…`: archives of posts into the corpus. */
import { DAY_MS, dayOf } from "../core/clock.ts";
import { sleep } from "../core/deadline.ts";
import { isDiskFull, OperatorError } from "../core/errors.ts";
import { printable } from "../core/log.ts";
import type { Database } from "../db/sql.ts";
import { type CorpusState, corpusState, setAsOf } from "../db/corpus/corpus.ts";
import { countActive } from "../db/corpus/opportunities.ts";
import { type FileResult, importFile } from "../mining/job/import.ts";
import type { Judging } from "../mining/job/ingest.ts";
import { mineAlone } from "../mining/job/miner.ts";
import { judgeInThreads } from "../mining/judging/threads.ts";
import type { MinerDeps, MiningSession } from "../mining/session.ts";
import { freshModelReport, withModel } from "../mining/job/language_model.ts";
import { readAgain } from "../mining/job/reread.ts";
import { checkArchive } from "../mining/sources/archive/mod.ts";
import { type CommandContext, hashKey, silenced, withStorage } from "./context.ts";
import { EXIT_INTERRUPTED, Interrupted, UsageError } from "./usage.ts";
import { openModel } from "./model.ts";
import { type OutputOptions, showCounts, showProgress } from "./reporting.ts";
import { PATIENCE_MS, withoutTurn } from "./mine.ts";

/** What `demand import` is told. */
export interface ImportArguments extends OutputOptions {
  readonly files: readonly string[];
  /** The corpus clock to set, or null: the newest post. */
  readonly asOf: Date | null;
  readonly allCommunities: boolean;
  /** Threads that judge posts; null: as many as the machine has processors for. */
  readonly threads: number | null;
}

interface Outcome {
  readonly files: readonly FileResult[];
  readonly cards: number;
  /** Active opportunities before and after; none before where there was no real corpus. */
  readonly opportunities: { readonly before: number; readonly after: number };
  /** Cards of the demonstration corpus that left with it. */
  readonly demonstrationCards: number;
  /** The corpus clock: what ages count from. Null: the present, or an empty corpus. */
  readonly asOf: string | null;
  /** What a language model has cost, in dollars. */
  readonly modelUsd: number;
  readonly interrupted: boolean;
}

/** The year that the site opened in. */
const FIRST_YEAR = 2005;
/** A corpus clock that moves on by more than this makes old what counted as new. */
const LEAP_MS = 14 * DAY_MS;
/** Columns of the summary's labels. */
const LABEL_WIDTH = 42;

/**
 * Imports the files in order, once all of them were found, and reports what came of each. Gives the
 * exit code.
 * @throws OperatorError naming a file that cannot be read.
 */
export async function runImport(
  context: CommandContext,
  args: ImportArguments,
): Promise<number> {
  if (args.asOf !== null && args.asOf > context.clock.now()) {
    throw new UsageError("--as-of: lies in the future, where every post would be too old to count");
  }
  if (args.asOf !== null && args.asOf.getUTCFullYear() < FIRST_YEAR) {
    throw new UsageError(`--as-of: lies before ${FIRST_YEAR}, when the site had no posts`);
  }
  for (const path of args.files) await checkArchive(path);
  return await withStorage(context, { share: true }, async (database) => {
    try {
      return await importInto(context, database, args);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      throw new OperatorError(
        "the disk of the database is full; what was imported is kept: free some room, then run the same command again",
        { cause: error },
      );
    }
  });
}

async function importInto(
  context: CommandContext,
  database: Database,
  args: ImportArguments,
): Promise<number> {
  const { clock, log, config: { minAuthors } } = context;
  const deps: MinerDeps = { database, clock, log, sleep, minAuthors };
  const outcome = await mineAlone(
    deps,
    { kind: "import", patienceMs: PATIENCE_MS, signal: context.signal, stats: statsOf },
    async (session) =>
      await importAll({
        context: args.asJson ? silenced(context) : context,
        deps,
        session,
        args,
        authorHashKey: await hashKey(context.config, database),
      }),
  );
  if (outcome === null) return withoutTurn(context.signal);
  const useless = outcome.files.filter(isUseless);
  if (args.asJson) context.print(`${JSON.stringify(outcome)}\n`);
  else if (useless.length === 0 || useless.length < outcome.files.length) {
    summarise(context, outcome);
  }
  if (useless.length > 0) throw new OperatorError(useless.map(whyUseless).join("; "));
  return outcome.interrupted ? EXIT_INTERRUPTED : 0;
}

/** Whether no line could be used: such a file is not remembered as imported. */
const isUseless = ({ interrupted, finishedAt }: FileResult): boolean =>
  !interrupted && finishedAt === null;

function whyUseless({ path, badLines: [first] }: FileResult): string {
  const why = first === undefined ? "" : ` (line ${first.line}: ${first.why})`;
  return `${path}: no line of it is a post${why}`;
}

function total(files: readonly FileResult[], field: "posts" | "signals" | "bad" | "skipped") {
  return files.reduce((sum, file) => sum + file[field], 0);
}

function statsOf({ files, cards, modelUsd }: Outcome): Record<string, number> {
  return {
    posts: total(files, "posts"),
    signals: total(files, "signals"),
    cardsChanged: cards,
    modelUsd,
  };
}

/** What an import works with and on. */
interface Work {
  readonly context: CommandContext;
  readonly deps: MinerDeps;
  readonly session: MiningSession;
  readonly args: ImportArguments;
  readonly authorHashKey: string;
}

async function importAll(work: Work): Promise<Outcome> {
  const { context, deps, args } = work;
  const { sql } = deps.database;
  const start = await corpusState(sql);
  const cards = await countActive(sql);
  const before = start.origin === "real" ? cards : 0;
  const { results, broken } = await importFiles(work);
  // The demonstration has a time of its own.
  const isReal = (await corpusState(sql)).origin === "real";
  if (args.asOf !== null && isReal) await setAsOf(sql, args.asOf);
  const { changed, modelUsd } = broken === null && results.every(isUseless)
    ? { changed: 0, modelUsd: 0 }
    : await makeCards(work);
  if (broken !== null) throw broken;
  const end = await corpusState(sql);
  const after = end.origin === "real" ? await countActive(sql) : 0;
  const demonstrationCards = start.origin === "demo" && end.origin === "real" ? cards : 0;
  if (args.asOf === null) warnOfLeap(context, start, end, { before, after });
  const { clock, asOf } = end;
  return {
    files: results,
    cards: changed,
    opportunities: { before, after },
    demonstrationCards,
    asOf: clock === "wall" ? null : asOf?.toISOString() ?? null,
    modelUsd,
    interrupted: context.signal.aborted,
  };
}

/** The files in order, up to the first that cannot be read; `broken` says why it cannot, or is null. */
async function importFiles(
  work: Work,
): Promise<{ readonly results: readonly FileResult[]; readonly broken: OperatorError | null }> {
  const { context: { registry, signal }, args } = work;
  const threads = judgeInThreads(
    { registry, origin: "archive", checkedAt: null },
    args.threads ?? undefined,
  );
  const results: FileResult[] = [];
  try {
    for (const path of args.files) {
      if (signal.aborted) break;
      results.push(await importOne(work, path, threads.judge));
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { results, broken: error };
  } finally {
    threads.close();
  }
  return { results, broken: null };
}

/** Says what one post that is far newer than the others does to the catalogue, and how to undo it. */
function warnOfLeap(
  { log }: CommandContext,
  start: CorpusState,
  end: CorpusState,
  { before, after }: Outcome["opportunities"],
): void {
  const [from, to] = [start.asOf, end.asOf];
  if (from === null || to === null || start.origin !== "real" || end.clock === "wall") return;
  if (to.getTime() - from.getTime() <= LEAP_MS || after * 2 >= before) return;
  log.warn(
    `the newest post moved the corpus clock from ${dayOf(from)} to ${
      dayOf(to)
    }: of ${before} active ` +
      `opportunities ${after} are left, the others are too old now. If that is not meant, run the ` +
      `same command again with --as-of ${from.toISOString()}`,
  );
}

/**
 * The cards of what was imported, with a language model's help where one is configured. Interrupted, it leaves them to
 * whoever makes cards next.
 */
async function makeCards(
  { context, deps, session }: Work,
): Promise<{ readonly changed: number; readonly modelUsd: number }> {
  const { registry, signal } = context;
  const model = openModel(context, deps.database);
  const finish: MiningSession["finish"] = (options) => session.finish({ ...options, signal });
  let modelUsd = 0;
  try {
    signal.throwIfAborted();
    context.print("Making the cards…\n");
    await readAgain(deps, session, { registry }, signal);
    signal.throwIfAborted();
    const { changed } = await (model === null ? finish() : withModel(
      {
        ...deps,
        model,
        session,
        context: { registry, origin: "archive", checkedAt: null },
        signal,
        onCost: (usd) => modelUsd += usd,
      },
      freshModelReport(),
      finish,
    ));
    return { changed, modelUsd };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { changed: 0, modelUsd };
  }
}

async function importOne(
  { context, deps, session, args, authorHashKey }: Work,
  path: string,
  judging: Judging,
): Promise<FileResult> {
  const bar = showProgress(context);
  try {
    return await importFile(deps, session, path, {
      registry: context.registry,
      authorHashKey,
      judging,
      allCommunities: args.allCommunities,
      signal: context.signal,
      onProgress: ({ fraction, posts, signals, bad, skipped, duplicates }) =>
        bar.update({ fraction, count: posts + duplicates, signals, bad, skipped }),
      onBadLine: (line, why) => context.log.warn("bad line", { file: path, line, why }),
    });
  } finally {
    bar.finish();
  }
}

/** Which communities were left out, and how many posts of each. */
function communityLine({ notFollowed, unfollowed }: FileResult): string {
  const most = Object.entries(notFollowed);
  if (most.length === 0) return "";
  const shown = most.map(([name, posts]) => `${printable(name)} ${posts.toLocaleString("en-US")}`);
  const rest = (unfollowed ?? 0) - most.reduce((sum, [, posts]) => sum + posts, 0);
  const more = rest > 0 ? `, others ${rest.toLocaleString("en-US")}` : "";
  return `  Communities not followed: ${shown.join(", ")}${more} (--all-communities reads them).\n`;
}

/** Why lines were bad, the most frequent reason first. */
function reasonLine({ badReasons }: FileResult): string {
  const counts = Object.entries(badReasons).sort(([, a], [, b]) => b - a);
  if (counts.length === 0) return "";
  const shown = counts.map(([why, lines]) => `${why} ${lines.toLocaleString("en-US")}`);
  return `  Bad lines by reason: ${shown.join(", ")}.\n`;
}

/** What was left out: an import that an earlier version began does not tell the reasons apart. */
function leftOutCounts({ skipped, unfollowed }: FileResult): (readonly [string, number])[] {
  return unfollowed === null ? [["left out", skipped]] : [
    ["left out: of communities not followed", unfollowed],
    ["left out: removed, adult, pinned or an ad", skipped - unfollowed],
  ];
}

function summarise(
  context: CommandContext,
  { files, cards, opportunities, demonstrationCards, asOf, interrupted }: Outcome,
): void {
  const { print, config } = context;
  for (const file of files) {
    const lines: readonly (readonly [string, number])[] = [
      ["posts read", file.posts],
      ["signals found", file.signals],
      ["read before", file.duplicates],
      ...leftOutCounts(file),
      ["bad lines", file.bad],
    ];
    if (file.resumedAtLine > 0) {
      const all = file.resumedAtLine === file.linesDone;
      print(all ? "This file was imported before, and has nothing new. What it gave then:\n" : "");
    }
    showCounts(context, lines, LABEL_WIDTH);
    print(reasonLine(file));
    print(communityLine(file));
  }
  showCounts(context, [["cards new, changed or gone", cards]], LABEL_WIDTH);
  const { before, after } = opportunities;
  print(`Active opportunities: ${before} before, ${after} now.\n`);
  if (demonstrationCards > 0) {
    print(`The demonstration corpus left, and its ${demonstrationCards} cards with it.\n`);
  }
  if (after === 0 && total(files, "posts") > 0 && !interrupted) {
    print(
      `No card was made: one needs ${config.minAuthors} people (MIN_AUTHORS) who state the same ` +
        "of late (copies of a text count once), four quotes that ask for it, and facts that " +
        "tell a maker something.\n",
    );
  }
  print(`Ages count from ${asOf ?? "the present"}.\n`);
  if (interrupted) {
    print(
      "Interrupted; run the same command again to go on from here. Cards are made then, or when the service starts.\n",
    );
  }
}
