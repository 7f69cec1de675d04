/**
 * `deno task eval`: how right the classifier and the reader are. Without files it cross-validates on the
 * development labels, whole communities held out; with `--labels FILE --posts FILE…` it tests the shipped
 * weights on them, nothing trained. `--json` prints one JSON object;
 * `--learning-curve` adds what fewer labels would give. `--verdicts FILE` only gauges the queries of a file (such as
 * tasks/eval/queries/held.ndjson) on the posts; see tasks/eval/verdicts.ts. `--facts FILE --posts FILE` tests the built-in reader
 * on labels of facts, with `--reader model` the answers kept in tasks/eval/replay.ndjson; `--facts` alone cross-validates the
 * built-in reader on the repository's.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { OperatorError } from "../../core/errors.ts";
import { classify } from "../../mining/classify/mod.ts";
import { type Demand, PATTERNS, type PostText } from "../../mining/types.ts";
import { crossValidateFacts, evaluateFacts, factsTable, READERS } from "./facts.ts";
import { judgeHeldOut } from "./held_out.ts";
import { figures, levels, type Pair } from "./metrics.ts";
import { type Evaluation, table } from "./report.ts";
import { type VerdictOptions, verdictsIn, verdictsOf } from "./verdicts.ts";
import { buildCorpus } from "../train/corpus.ts";
import {
  DEV,
  type Label,
  type LabelledPost,
  readLabelledPosts,
  requireFile,
} from "../train/data.ts";
import { gatherItems, type Items, writtenWithPatterns } from "../train/items.ts";
import { runTask } from "../run_task.ts";

const FOLDS = 5;
const CURVE = [0.125, 0.25, 0.5];

type Answers = readonly (Demand | null)[];

/** What the answers came from, beside the answers themselves. */
interface Answered extends Pick<Evaluation, "method" | "chance" | "learningCurve"> {
  /** One for each given label. */
  readonly answers: Answers;
}

/** `--facts` with its file, or with "" where none follows. */
function withFacts(args: readonly string[]): string[] {
  const at = args.indexOf("--facts");
  const next = args[at + 1];
  if (at < 0 || (next !== undefined && !next.startsWith("-"))) return [...args];
  return [...args.slice(0, at), "--facts=", ...args.slice(at + 1)];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: withFacts(Deno.args),
    allowPositionals: true,
    options: {
      labels: { type: "string", multiple: true },
      posts: { type: "string", multiple: true },
      facts: { type: "string" },
      reader: { type: "string", default: "built-in" },
      json: { type: "boolean", default: false },
      "learning-curve": { type: "boolean", default: false },
      verdicts: { type: "string" },
      quotes: { type: "boolean", default: false },
      half: { type: "string" },
    },
  });
  if (values.verdicts !== undefined) {
    const { half } = values;
    const options = {
      quotes: values.quotes,
      half: half === "odd" || half === "even" ? half : null,
    } as const;
    const posts = values.posts?.[0] ?? DEV.posts;
    return console.log(await verdicts(posts, values.verdicts, options));
  }
  if (values.facts !== undefined) {
    const read = [...values.posts ?? [DEV.posts], ...positionals].flatMap(readLabelledPosts);
    const reader = READERS.find((name) => name === values.reader);
    if (reader === undefined) throw new OperatorError(`--reader: ${READERS.join(" or ")}`);
    const facts = values.facts === ""
      ? crossValidateFacts(read, (message) => console.error(message))
      : evaluateFacts(values.facts, read, reader);
    console.log(values.json ? JSON.stringify(facts) : factsTable(facts));
    return;
  }
  const given = values.labels !== undefined || values.posts !== undefined;
  if (given && (values.labels === undefined || values.posts === undefined)) {
    throw new OperatorError("--labels and --posts go together");
  }
  if (positionals.length > 0 && values.posts === undefined) {
    throw new OperatorError(`what is ${positionals[0]}? Post files follow --posts`);
  }
  const posts = [...values.posts ?? [DEV.posts], ...positionals].flatMap(readLabelledPosts);
  if (!given) posts.push(...writtenWithPatterns());
  const byId = new Map(posts.map((post) => [post.id, post]));
  const items = gatherItems(values.labels ?? [DEV.labels], posts);
  const labels = items.given.map((item) => item.label);
  const answered = given
    ? byShippedWeights(labels, byId)
    : byHeldOutWeights(posts, items, values["learning-curve"]);
  const evaluation: Evaluation = {
    ...evaluate(labels, answered),
    postsPerSecond: measureSpeed(posts),
  };
  console.log(values.json ? JSON.stringify(evaluation) : table(evaluation));
}

/** The verdicts on what CORPUS_DATABASE_URL names, or else on the posts of a file. */
function verdicts(posts: string, queries: string, options: VerdictOptions): Promise<string> {
  const corpus = Deno.env.get("CORPUS_DATABASE_URL");
  return corpus === undefined
    ? verdictsOf(requireFile(posts), requireFile(queries), options)
    : verdictsIn(corpus, queries, options);
}

function byShippedWeights(
  labels: readonly Label[],
  byId: ReadonlyMap<string, PostText>,
): Answered {
  return {
    method: "the shipped weights, nothing trained",
    answers: labels.map((label) => classify(byId.get(label.id)!)),
  };
}

function byHeldOutWeights(
  posts: readonly LabelledPost[],
  items: Items,
  withCurve: boolean,
): Answered {
  const tell = (message: string): void => console.error(message);
  const corpus = buildCorpus(posts);
  const labels = items.given.map((item) => item.label);
  const held = judgeHeldOut(corpus, items, FOLDS, 1, tell);
  const natural = figures(pairsOf(items.chance.map((item) => item.label), held.chance));
  const point = (share: number, answers: Answers) => {
    const { demand, macroF1 } = figures(pairsOf(labels, answers));
    const all = labels.length + items.chance.length + items.drawn.length;
    const trained = Math.round(all * (1 - 1 / FOLDS) * share);
    return { labels: trained, demandF1: demand.f1, macroF1 };
  };
  const curve = () => [
    ...CURVE.map((share) => point(share, judgeHeldOut(corpus, items, FOLDS, share, tell).given)),
    point(1, held.given),
  ];
  return {
    method: `cross-validated over ${FOLDS} folds, communities held out`,
    answers: held.given,
    chance: { posts: natural.posts, demand: natural.demand },
    ...(withCurve ? { learningCurve: curve() } : {}),
  };
}

/** Every figure but the speed. */
function evaluate(
  labels: readonly Label[],
  { answers, ...about }: Answered,
): Omit<Evaluation, "postsPerSecond"> {
  const both = labels.flatMap((label, i) => {
    const demand = answers[i];
    return demand && label.pattern !== null ? [{ label, demand }] : [];
  });
  const intensity = levels(both.map((b) => b.label.intensity), both.map((b) => b.demand.intensity));
  const wtp = levels(both.map((b) => b.label.wtp), both.map((b) => b.demand.wtp));
  return {
    ...about,
    ...figures(pairsOf(labels, answers)),
    intensityMae: intensity.mae,
    intensityRank: intensity.rank,
    wtpMae: wtp.mae,
    wtpRank: wtp.rank,
    alsoF1: alsoF1(labels, answers),
  };
}

function pairsOf(labels: readonly Label[], answers: Answers): Pair[] {
  return labels.map(({ pattern }, i) => {
    const demand = answers[i] ?? null;
    return {
      gold: pattern === null ? -1 : PATTERNS.indexOf(pattern),
      found: demand === null ? -1 : PATTERNS.indexOf(demand.pattern),
      confidence: demand?.confidence ?? 0,
    };
  });
}

function alsoF1(labels: readonly Label[], answers: Answers): number {
  let hit = 0;
  let size = 0;
  labels.forEach(({ also }, i) => {
    const found = answers[i]?.also ?? null;
    if (also !== null) size++;
    if (found !== null) size++;
    if (also !== null && also === found) hit++;
  });
  return size === 0 ? 0 : 2 * hit / size;
}

/** Posts a second of processor time: the best of three passes over up to 4,000 posts, after one to warm up. */
function measureSpeed(posts: readonly PostText[]): number {
  const sample = posts.slice(0, 4000);
  let best = 0;
  for (let pass = 0; pass < 4; pass++) {
    const before = process.cpuUsage();
    for (const post of sample) classify(post);
    const { user, system } = process.cpuUsage(before);
    if (pass > 0) best = Math.max(best, sample.length / ((user + system) / 1e6));
  }
  return Math.round(best);
}

await runTask(main);
