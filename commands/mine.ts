/** `demand mine [--once]`: new posts of every community, removal checks, and the cards of it all. */
import { sleep } from "../core/deadline.ts";
import { OperatorError } from "../core/errors.ts";
import { duration } from "./reporting.ts";
import type { Database } from "../db/sql.ts";
import { mine, type MineDeps } from "../mining/job/mine.ts";
import type { MineReport } from "../mining/job/report.ts";
import { type Miner, startMiner } from "../mining/job/schedule.ts";
import type { Source } from "../mining/sources/types.ts";
import type { LanguageModel } from "../model/mod.ts";
import { currentRuntime } from "../runtime/mod.ts";
import { type CommandContext, hashKey, silenced, untilOver, withStorage } from "./context.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED } from "./usage.ts";
import { openModel } from "./model.ts";
import { type OutputOptions, showCounts, showProgress } from "./reporting.ts";
import { openSource } from "./source.ts";

/** Milliseconds that a command waits for its turn while another process mines. */
export const PATIENCE_MS = 300_000;

/**
 * The exit code of a command that did not get its turn since its wait was interrupted.
 * @throws OperatorError where it waited in vain.
 */
export function withoutTurn(signal: AbortSignal): number {
  if (signal.aborted) return EXIT_INTERRUPTED;
  throw new OperatorError(
    "another process mines or imports into this corpus; try again when it is done",
  );
}

/** Columns of the summary's labels. */
const LABEL_WIDTH = 28;

/**
 * Mines once, or by MINE_CRON until a signal, and reports each run. Gives the exit code: 1 where
 * the source was out of order.
 * @throws OperatorError where no source is configured, or, with `once`, another process mines for
 * longer than `PATIENCE_MS`.
 */
export async function runMine(
  context: CommandContext,
  { once, ...options }: OutputOptions & { readonly once: boolean },
): Promise<number> {
  const source = openSource(context);
  if (source === null) {
    throw new OperatorError(
      "SOURCE: there is none to mine; set REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET and REDDIT_USER_AGENT",
    );
  }
  return await withStorage(context, { share: true }, async (database) => {
    const model = openModel(context, database);
    if (once) {
      return await mineOnce(context, mineDeps(context, database, source, model), options);
    }
    const miner = scheduleMining(context, database, source, model);
    const code = await untilOver(context, database);
    await miner.stop();
    return code;
  });
}

/**
 * Mines on MINE_CRON, and at once with MINE_ON_START, until the miner that it gives is stopped;
 * `onRun` hears of each run.
 */
export function scheduleMining(
  context: CommandContext,
  database: Database,
  source: Source,
  model: LanguageModel | null,
  onRun: (report: MineReport) => void = () => {},
): Miner {
  const { mineCron, mineOnStart } = context.config;
  return startMiner(mineDeps(context, database, source, model), {
    cron: currentRuntime().cron,
    schedule: mineCron,
    onStart: mineOnStart,
    onRun,
  });
}

function mineDeps(
  { config, clock, log, registry }: CommandContext,
  database: Database,
  source: Source,
  model: LanguageModel | null,
): MineDeps {
  return {
    database,
    clock,
    log,
    sleep,
    minAuthors: config.minAuthors,
    source,
    registry,
    hashKey: () => hashKey(config, database),
    model,
  };
}

async function mineOnce(
  context: CommandContext,
  deps: MineDeps,
  { asJson }: OutputOptions,
): Promise<number> {
  const shown = asJson ? silenced(context) : context;
  const bar = showProgress(shown);
  let report: MineReport | null;
  try {
    report = await mine(deps, {
      signal: context.signal,
      patienceMs: PATIENCE_MS,
      scheduled: false,
      onProgress: (made) =>
        bar.update({
          fraction: made.communities === 0 ? 1 : (made.read + made.closed) / made.communities,
          count: made.posts + made.duplicates,
          signals: made.signals,
          skipped: made.leftOut,
        }),
    });
  } finally {
    bar.finish();
  }
  if (report === null) return withoutTurn(context.signal);
  if (asJson) context.print(`${JSON.stringify(report)}\n`);
  else summarise(context, report);
  if (report.interrupted) return EXIT_INTERRUPTED;
  return report.outage === null ? 0 : EXIT_FAILED;
}

function summarise(context: CommandContext, report: MineReport): void {
  const { print } = context;
  const lines: [string, number][] = [
    ["communities", report.read],
    ["closed to us", report.closed],
    ["new posts", report.posts],
    ["read before", report.duplicates],
    ["left out", report.leftOut],
    ["signals found", report.signals],
    ["looked up", report.checked],
    ["edited", report.edited],
    ["removed", report.removed],
    ["cards new, changed or gone", report.cardsChanged],
  ];
  if (report.model !== null) {
    const { postsRead, dropped, unusable, cardsReviewed, unlisted, narrowed } = report.model;
    const { written, refused } = report.model;
    lines.push(["model read", postsRead], ["  no demand", dropped], ["  unusable", unusable]);
    lines.push(["cards reviewed", cardsReviewed], ["  not listed", unlisted]);
    lines.push(["  fewer quotes", narrowed], ["words written", written], ["  refused", refused]);
  }
  showCounts(context, lines, LABEL_WIDTH);
  const errors = Object.entries(report.errors).map(([kind, count]) => `${count} ${kind}`);
  if (errors.length > 0) print(`Failed readings: ${errors.join(", ")}.\n`);
  if (report.missed.length > 0) {
    print(`The site lists no further back; posts were missed in ${report.missed.join(", ")}.\n`);
  }
  if (report.outage !== null) {
    print(`The source is out of order (${report.outage}). What was read is kept.\n`);
  }
  if (report.interrupted) print("Interrupted; the next run goes on from here.\n");
  const spent = report.modelUsd === 0 ? "" : `; the model cost $${report.modelUsd.toFixed(4)}`;
  print(`Took ${duration(report.durationMs / 1000)}${spent}.\n`);
}
