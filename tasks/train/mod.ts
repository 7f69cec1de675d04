/**
 * `deno task train`: makes mining/classify/weights.txt, mining/extract/weights.txt and
 * mining/extract/product/weights.txt from labelled and unlabelled posts, the same bytes every time. Options:
 * `--labels FILE` (may be given several times), `--posts FILE`, `--out FILE` and `--reader-out FOLDER`;
 * `--only classifier` or `--only reader` makes one of the two. The labels of tasks/train/labels/ teach beside them.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { OperatorError } from "../../core/errors.ts";
import { Model } from "../../mining/classify/model.ts";
import { read } from "../../mining/classify/reading.ts";
import { toClassifierArtefact } from "./artefact.ts";
import { buildCorpus } from "./corpus.ts";
import { DEV, type LabelledPost, readLabelledPosts } from "./data.ts";
import { compare } from "./facts/agreement.ts";
import { toFactsArtefact as writeReader } from "./facts/artefact.ts";
import { learnCompany } from "./facts/gist.ts";
import { readFactLabels } from "./facts/labels.ts";
import { learnLexemes } from "./facts/lexemes.ts";
import { trainReader } from "./facts/train.ts";
import { fit, predict } from "./fit.ts";
import { crossValidate, foldItems } from "./folds.ts";
import {
  describedProducts,
  gatherItems,
  judgedPosts,
  productLabels,
  writtenPosts,
  writtenWithPatterns,
} from "./items.ts";
import { Regressions } from "./regressions.ts";
import { tune } from "./tune.ts";
import { runTask } from "../run_task.ts";

const FOLDS = 5;

function main(): void {
  const tell = (message: string): void => console.error(message);
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      labels: { type: "string", multiple: true, default: [DEV.labels] },
      posts: { type: "string", default: DEV.posts },
      only: { type: "string" },
      "reader-out": {
        type: "string",
        default: new URL("../../mining/extract/", import.meta.url).pathname,
      },
      out: {
        type: "string",
        default: new URL("../../mining/classify/weights.txt", import.meta.url).pathname,
      },
    },
  });
  const { only } = values;
  if (only !== undefined && only !== "reader" && only !== "classifier") {
    throw new OperatorError(`--only: should be reader or classifier, not "${only}"`);
  }
  const read = readLabelledPosts(values.posts);
  if (only !== "reader") makeClassifier(read, values.labels, values.out, tell);
  if (only !== "classifier") makeReader(read, values["reader-out"], tell);
}

/** Trains the built-in reader; cross-validation, whose figures it tells, is part of it. */
function makeReader(
  posts: readonly LabelledPost[],
  out: string,
  tell: (message: string) => void,
): void {
  const labels = readFactLabels();
  const described = describedProducts();
  const { gold, found, reader } = trainReader(
    new Map([...posts, ...writtenPosts(), ...described.posts].map((post) => [post.id, post])),
    labels.filter(({ held }) => held !== true),
    [...productLabels(labels), ...described.products],
    judgedPosts(posts),
    { lexemes: learnLexemes(posts), company: learnCompany(posts) },
    tell,
  );
  const { facts, product } = writeReader(reader);
  Deno.mkdirSync(join(out, "product"), { recursive: true });
  Deno.writeTextFileSync(join(out, "weights.txt"), facts);
  Deno.writeTextFileSync(join(out, "product", "weights.txt"), product);
  const { typed, any, head } = compare(gold, found);
  const share = (value: number): string => value.toFixed(3);
  tell(
    `${out}: ${facts.length} and ${product.length} characters; cross-validated F1 ${
      share(typed.f1)
    } with type, ${share(any.f1)} whatever the type, kind right ${share(head)}`,
  );
}

function makeClassifier(
  given: readonly LabelledPost[],
  labelFiles: readonly string[],
  out: string,
  tell: (message: string) => void,
): void {
  const posts = [...given, ...writtenWithPatterns()];
  const { given: labelled, chance, drawn, written } = gatherItems(labelFiles, posts);
  const items = [...labelled, ...chance, ...drawn, ...written];
  const corpus = buildCorpus(posts);
  tell(`${posts.length} posts, ${items.length} labels, ${corpus.gramKeys.length} word groups`);
  const lists = [labelled, chance, drawn, written];
  const regressions = new Regressions(corpus, items, foldItems(corpus, lists, FOLDS));
  const held = crossValidate(corpus, lists, FOLDS, regressions, tell);
  const [ofGiven, ofChance, ofDrawn] = lists.map((list, l) =>
    list.map(({ label }, i) => ({ label, classes: held[l]!.scores[i]!.classes }))
  );
  const decision = tune([...ofGiven!, ...ofChance!], ofDrawn!);
  tell(`decision: ${JSON.stringify(decision)}`);
  const fitted = fit(corpus, regressions, null);
  const text = toClassifierArtefact(corpus, fitted, decision);
  Deno.writeTextFileSync(out, text);
  const model = new Model(text);
  let apart = 0;
  for (const { row } of items) {
    const stored = model.score(read(posts[row]!)).classes;
    const exact = predict(fitted, corpus, row).classes;
    stored.forEach((p, c) => apart = Math.max(apart, Math.abs(p - exact[c]!)));
  }
  tell(
    `${out}: ${text.length} characters; stored weights move a probability by at most ${
      apart.toFixed(3)
    }`,
  );
}

await runTask(main);
