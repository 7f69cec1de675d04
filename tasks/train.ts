/**
 * `deno task train`: makes mining/classify/weights.txt from labelled and unlabelled posts, the same bytes every
 * time. Options: `--labels FILE` (may be given several times), `--posts FILE`, `--out FILE`. The labels of
 * tasks/train/labels/ teach beside them.
 */
import { parseArgs } from "node:util";
import { OperatorError } from "../core/errors.ts";
import { Model } from "../mining/classify/model.ts";
import { read } from "../mining/classify/reading.ts";
import { toArtefact } from "./train/artefact.ts";
import { buildCorpus } from "./train/corpus.ts";
import { readPosts } from "./train/data.ts";
import { fit, predict } from "./train/fit.ts";
import { crossValidate, foldItems } from "./train/folds.ts";
import { gatherItems, writtenPosts } from "./train/items.ts";
import { Regressions } from "./train/regressions.ts";
import { tune } from "./train/tune.ts";

const FOLDS = 5;

function main(): void {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      labels: { type: "string", multiple: true, default: ["../shared/labels/dev.tsv"] },
      posts: { type: "string", default: "../shared/posts/dev.ndjson.gz" },
      out: {
        type: "string",
        default: new URL("../mining/classify/weights.txt", import.meta.url).pathname,
      },
    },
  });
  const tell = (message: string): void => console.error(message);
  const posts = [...readPosts(values.posts), ...writtenPosts()];
  const { given, chance, drawn, written } = gatherItems(values.labels, posts);
  const items = [...given, ...chance, ...drawn, ...written];
  const corpus = buildCorpus(posts);
  tell(`${posts.length} posts, ${items.length} labels, ${corpus.gramKeys.length} word groups`);
  const lists = [given, chance, drawn, written];
  const regressions = new Regressions(corpus, items, foldItems(corpus, lists, FOLDS));
  const held = crossValidate(corpus, lists, FOLDS, regressions, tell);
  const [ofGiven, ofChance, ofDrawn] = lists.map((list, l) =>
    list.map(({ label }, i) => ({ label, classes: held[l]!.scores[i]!.classes }))
  );
  const decision = tune([...ofGiven!, ...ofChance!], ofDrawn!);
  tell(`decision: ${JSON.stringify(decision)}`);
  const fitted = fit(corpus, regressions, null);
  const text = toArtefact(corpus, fitted, decision);
  Deno.writeTextFileSync(values.out, text);
  const model = new Model(text);
  let apart = 0;
  for (const { row } of items) {
    const stored = model.score(read(posts[row]!)).classes;
    const exact = predict(fitted, corpus, row).classes;
    stored.forEach((p, c) => apart = Math.max(apart, Math.abs(p - exact[c]!)));
  }
  tell(
    `${values.out}: ${text.length} characters; stored weights move a probability by at most ${
      apart.toFixed(3)
    }`,
  );
}

try {
  main();
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  Deno.exit(1);
}
