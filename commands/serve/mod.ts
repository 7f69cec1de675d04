/** `demand serve`: the service, from the first line on the terminal to the last drained request. */
import { orAborted, sleep, withDeadline } from "../../core/deadline.ts";
import { inAddress } from "../../core/host.ts";
import type { Log } from "../../core/log.ts";
import { corpusState, firstStart } from "../../db/corpus/corpus.ts";
import { pruneVerdicts } from "../../db/corpus/verdicts.ts";
import { holdsDatabase } from "../../db/embedded/directory.ts";
import type { Database } from "../../db/sql.ts";
import { type LiveCatalogue, watchCatalogue } from "../../mining/cards/live_catalogue.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { possibleDemand } from "../../mining/classify/mod.ts";
import { mineDemo, removeDemo } from "../../mining/job/demo.ts";
import { ensureSample, isBehind } from "../../mining/job/finish.ts";
import type { MinerDeps } from "../../mining/session.ts";
import { startModelWork } from "../../mining/job/language_model.ts";
import { startMovingOver } from "../../mining/job/reread.ts";
import { WITHHOLD_AFTER_MS } from "../../mining/removal/policy.ts";
import { lexicon } from "../../mining/lexicon/lexicon.ts";
import type { Source } from "../../mining/sources/types.ts";
import type { LanguageModel } from "../../model/mod.ts";
import { currentRuntime, type HttpServer } from "../../runtime/mod.ts";
import { VERSION } from "../../version.ts";
import type { Payments } from "../../payment/mod.ts";
import { PAID_ROUTES } from "../../routes/all.ts";
import { assemblePayments, demoAllowed } from "./assemble.ts";
import { type CheckedSettings, checkSettings, missingPublicAddress } from "../check_settings.ts";
import { type CommandContext, hashKey, openStorage, untilOver } from "../context.ts";
import { listen, requireFreePorts } from "./listen.ts";
import { serveMetrics } from "./metrics.ts";
import { scheduleMining } from "../mine.ts";
import { openModel } from "../model.ts";
import { assembleService } from "./service.ts";
import { Interrupted } from "../usage.ts";

const WARM_UP_MS = 1_000;
/** For the work that nobody pays for: its transactions are taken back, and the next start goes on. */
const BACKGROUND_MS = 20_000;
/** For closing the database: an embedded one writes what it holds, and one that went silent never answers. */
const CLOSE_MS = 15_000;
const PRUNE_EVERY_MS = 3_600_000;

/**
 * Serves until a signal, or the end of the database. Gives the exit code. What is in flight then
 * may take `drainMs` milliseconds, or `longestCallMs` where nothing is said.
 * @throws OperatorError for settings, files or addresses with which it cannot serve.
 */
export async function runServe(context: CommandContext, drainMs?: number): Promise<number> {
  const { config, log } = context;
  const checked = await checkSettings(context);
  await requireFreePorts(config);
  const runtime = currentRuntime();
  log.info("starting", { version: VERSION, runtime: `${runtime.name} ${runtime.version}` });
  const unreachable = missingPublicAddress(config);
  if (unreachable !== null) log.warn(unreachable);
  const isFirst = config.storage.databaseUrl === null && !holdsDatabase(config.storage.dataDir);
  const opening = openStorage(context, { share: false });
  if (isFirst && demoAllowed(config)) readAhead();
  const started = new AsyncDisposableStack();
  let code = 0;
  try {
    const database = await opening;
    started.defer(() => database.close());
    const service = await startService(context, database, checked, started);
    const stopBackground = startBackground(context, service);
    code = await untilOver(context, database);
    await drain(service, stopBackground, drainMs ?? longestCallMs(service.payments));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    await end(started, log);
  }
  log.info("stopped");
  return code;
}

/** A service that answers requests. */
interface Service {
  readonly miner: MinerDeps;
  readonly source: Source | null;
  readonly model: LanguageModel | null;
  readonly catalogue: LiveCatalogue;
  readonly payments: Payments;
  readonly server: HttpServer;
}

/** Starts all that answers requests; `started` ends what there is of it, whatever stopped the start. */
async function startService(
  context: CommandContext,
  database: Database,
  { settings, source }: CheckedSettings,
  started: AsyncDisposableStack,
): Promise<Service> {
  const { clock, config, log, registry, signal } = context;
  const miner: MinerDeps = { database, clock, log, sleep, minAuthors: config.minAuthors };
  await prepareCorpus(context, miner);
  await ensureSample(miner);
  signal.throwIfAborted();
  const withholdAfterMs = source === null ? null : WITHHOLD_AFTER_MS;
  const catalogue = await watchCatalogue({ database, registry, clock, log, withholdAfterMs });
  // Not waited for: what it still waits for on a silent connection, the database's close cuts.
  started.defer(() => void catalogue.stop());
  const payments = await assemblePayments(context, database);
  const model = openModel(context, database);
  if (settings.synthesis === "none") {
    log.warn("OPENAI_API_KEY is not set: without a language model no verdict is sold");
  }
  // Calls were waited for by then, or nobody made any.
  started.defer(() => payments.stop(Promise.resolve()));
  await orAborted(signal, () => payments.start());
  const { handler, metrics } = assembleService(context, {
    database,
    settings,
    source,
    model,
    catalogue,
    payments,
    isAccepting: () => !signal.aborted,
  });
  const metricsServer = await serveMetrics(context, metrics);
  started.defer(() => metricsServer?.close());
  const server = await listen(context, handler);
  started.defer(() => server.close());
  await greet(context, server, catalogue.current());
  return { miner, source, model, catalogue, payments, server };
}

/** Starts the work that nobody waits for; gives what stops it. */
function startBackground(
  context: CommandContext,
  { miner, source, model, catalogue }: Service,
): () => Promise<unknown> {
  const { registry } = context;
  const { database } = miner;
  const refresh = (): void => {
    catalogue.refresh().catch(() => {});
  };
  const mining = source === null ? null : scheduleMining(context, database, source, model, refresh);
  const pruning = startPruning(miner);
  const moving = startMovingOver(miner, { registry }, refresh);
  const reading = { registry, origin: "archive", checkedAt: null } as const;
  // Where a source is mined, each run lets the model work.
  const modelWork = source !== null || model === null
    ? null
    : startModelWork({ ...miner, model, context: reading }, refresh);
  // Read ahead of the first verdict or mining run, which would wait for it, and after the first requests.
  const warmUp = setTimeout(lexicon, WARM_UP_MS);
  return async () => {
    clearTimeout(warmUp);
    pruning.stop();
    await Promise.all([mining?.stop(), moving.stop(), modelWork?.stop()]);
  };
}

/**
 * Sells nothing new, and waits for the requests in flight and for the background to end: `drainMs` at most, so that
 * the deadline holds for all that was sold.
 */
async function drain(
  { miner: { log }, payments, server }: Service,
  stopBackground: () => Promise<unknown>,
  drainMs: number,
): Promise<void> {
  payments.close();
  const done = new AbortController();
  const deadline = sleep(drainMs, done.signal).catch(() => {});
  const background = withDeadline(BACKGROUND_MS, done.signal, stopBackground).catch(() => {});
  await Promise.race([Promise.all([server.drain(), background]), deadline]);
  await payments.stop(deadline);
  done.abort();
  const { inFlight } = payments.status();
  if (inFlight > 0) log.warn("the time to stop is over: calls in flight are aborted", { inFlight });
}

/** Ends what was started, the last first; the end of the process cuts what takes too long. */
async function end(started: AsyncDisposableStack, log: Log): Promise<void> {
  try {
    await withDeadline(CLOSE_MS, null, () => started.disposeAsync());
  } catch (error) {
    log.warn("the database could not be closed; what was committed is kept", { error });
  }
}

/**
 * Milliseconds of the longest paid call: its computation, and what payment takes around it.
 * Exported for the test that compares it with the patience of systemd and Docker.
 */
export function longestCallMs({ tailMs }: Pick<Payments, "tailMs">): number {
  const seconds = Math.max(...PAID_ROUTES.map(({ row }) => row.computeSeconds));
  return seconds * 1000 + tailMs;
}

/**
 * Deletes verdicts that ended, now and then every `everyMs` milliseconds (an hour), whether
 * anything is mined or not. A failure is logged, and tried again then. Exported for tests: its
 * caller is the whole service.
 */
export function startPruning(
  { database, clock, log }: Pick<MinerDeps, "database" | "clock" | "log">,
  everyMs = PRUNE_EVERY_MS,
): { stop(): void } {
  const once = (): void =>
    void pruneVerdicts(database.sql, clock.now()).catch((error) => {
      log.warn("outdated rows could not be deleted", { error });
    });
  once();
  const timer = setInterval(once, everyMs);
  return { stop: () => clearInterval(timer) };
}

/** Loads what judging posts needs, while the database's thread makes the database they will go into. */
function readAhead(): void {
  lexicon();
  possibleDemand({ community: "", title: "", body: "" });
}

/** An empty corpus with nothing configured gets the demonstration; anything real ends it. */
async function prepareCorpus(context: CommandContext, miner: MinerDeps): Promise<void> {
  const { config, clock, log, signal } = context;
  const { sql } = miner.database;
  const started = await firstStart(sql, clock.now());
  if (!demoAllowed(config)) {
    if (await removeDemo(miner, signal)) log.info("the demonstration corpus is removed");
    return;
  }
  const { origin } = await corpusState(sql);
  // The demonstration of an earlier version is made anew: its posts differ.
  const replace = origin === "demo" && await isBehind(miner);
  if (!replace && origin !== "none") return;
  log.info(
    replace
      ? "mining this version's demonstration corpus"
      : "nothing mined yet and no source: mining the built-in demonstration corpus",
  );
  const key = await hashKey(config, miner.database);
  const result = await mineDemo(miner, started, key, { replace, signal });
  if (result !== null) log.info("demonstration corpus mined", { ...result });
}

async function greet(
  { config, print, isTerminal, log }: CommandContext,
  server: HttpServer,
  catalogue: Catalogue,
): Promise<void> {
  log.info("serving", {
    address: `http://${inAddress(server.hostname)}:${server.port}`,
    paymentMode: config.payment.mode,
    cards: catalogue.cards.length,
    signals: catalogue.signalCount,
  });
  if (!isTerminal) return;
  const base = config.port === 0 ? `http://127.0.0.1:${server.port}` : config.baseUrl;
  const commands = ["/v1/categories", "/v1/sample/opportunity"].map((path) =>
    `  curl ${base}${path}\n`
  );
  const unpaid = `  curl -i ${base}/v1/opportunities/trending\n`;
  // The log is written a turn later; the commands come after it.
  await sleep(1);
  print(`\nTry:\n${commands.join("")}${unpaid}\n`);
}
