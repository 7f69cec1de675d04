/**
 * Merges what readers of facts wrote into tasks/train/labels/facts.ndjson:
 * `deno run -A tasks/train/facts/merge_labels.ts --posts POSTS --held FILE --gold FILE READER-FILE…`. `--posts` may be given several
 * times; the posts written for this project are always there. Rows of `--held` are kept for testing; rows of both
 * files, and those that the repository has already, stand against a reader's rows of the same posts, which are hidden
 * controls and are dropped. Posts whose ids begin with a `--held-prefix` are kept for testing as well: a writer's, say.
 * Posts are kept as ids and offsets, without their text.
 *
 * `--learn DIR` instead writes what the labels of the repository teach of values and of kinds' names to
 * DIR/aliases.txt and DIR/heads.txt: proposals, of which the reviewed ones go into mining/extract/.
 */
import { kindNameOf, nameOf } from "../../../mining/extract/product/names.ts";
import { BODY_CHARS } from "../../../mining/extract/tokens.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import { knownValue } from "../../../mining/extract/values.ts";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { OperatorError } from "../../../core/errors.ts";
import { DEV, readLabelledPosts } from "../data.ts";
import { describedProducts, writtenPosts } from "../items.ts";
import { learnAliases, learnHeads } from "./aliases.ts";
import { type FactLabel, type ReaderRow, readFactLabels, readRows, toLabel } from "./labels.ts";
import { runTask } from "../../run_task.ts";

/** Posts that a value must have to be worth a line. */
const LEAST = 2;

function main(): void {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      posts: { type: "string", multiple: true, default: [DEV.posts] },
      held: { type: "string", multiple: true, default: [] },
      "held-prefix": { type: "string", multiple: true, default: [] },
      gold: { type: "string", multiple: true, default: [] },
      learn: { type: "string" },
      out: {
        type: "string",
        default: new URL("../labels/facts.ndjson", import.meta.url).pathname,
      },
    },
  });
  const posts = new Map(
    [
      ...values.posts.flatMap((path) => readLabelledPosts(path)),
      ...writtenPosts(),
      ...describedProducts().posts,
    ].map((post) => [post.id, post]),
  );
  if (values.learn !== undefined) {
    const taught = readFactLabels().filter(({ held }) => held !== true);
    const merge = (type: string, value: string): string => {
      const known = FACT_TYPES.find((one) => one === type);
      return known === undefined ? value : knownValue(known, value);
    };
    const write = (name: string, lines: readonly string[]): void =>
      Deno.writeTextFileSync(`${values.learn}/${name}`, lines.join("\n") + "\n");
    write("aliases.txt", learnAliases(taught, posts, merge, LEAST));
    write("heads.txt", learnHeads(taught, posts, nameOf, kindNameOf));
    return;
  }
  const labels = new Map(
    existsSync(values.out) ? readFactLabels(values.out).map((label) => [label.id, label]) : [],
  );
  const add = (path: string, held: boolean): void => {
    for (const row of readRows<ReaderRow>(path)) {
      const post = posts.get(row.id);
      if (post === undefined) throw new OperatorError(`${path}: ${row.id} is no post of the file`);
      if (labels.has(row.id)) continue;
      const label = toLabel(row, { ...post, body: post.body.slice(0, BODY_CHARS) });
      const kept = held || values["held-prefix"].some((prefix) => row.id.startsWith(prefix));
      labels.set(row.id, kept ? { ...label, held: true } : label);
    }
  };
  for (const path of values.held) add(path, true);
  for (const path of values.gold) add(path, false);
  for (const path of positionals.toSorted()) add(path, false);
  const lines = [...labels.values()].sort((a, b) => a.id < b.id ? -1 : 1).map((label) =>
    JSON.stringify(lineOf(label))
  );
  Deno.writeTextFileSync(values.out, lines.join("\n") + "\n");
  console.error(`${values.out}: ${lines.length} labels`);
}

function lineOf({ id, demand, held, ...rest }: FactLabel): Partial<FactLabel> {
  return { id, demand, ...(demand === 1 ? rest : {}), ...(held === true ? { held } : {}) };
}

await runTask(main);
