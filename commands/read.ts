/** `demand read FILE…`: what the built-in reader makes of posts, one JSON object a line, without a database. */
import { possibleDemand } from "../mining/classify/mod.ts";
import { extract, isDemand } from "../mining/extract/mod.ts";
import { checkArchive, readArchive } from "../mining/sources/archive/mod.ts";
import type { Post } from "../mining/types.ts";
import { OperatorError } from "../core/errors.ts";
import type { CommandContext } from "./context.ts";
import { EXIT_INTERRUPTED } from "./usage.ts";

const SHOWN_BAD_LINES = 10;

/**
 * Reads the posts of files in order, once all of them were found, and prints what the built-in
 * reader makes of each: one JSON object a line. Gives the exit code.
 * @throws OperatorError naming a file that cannot be read.
 */
export async function runRead(context: CommandContext, files: readonly string[]): Promise<number> {
  for (const path of files) await checkArchive(path);
  const useless: string[] = [];
  for (const path of files) {
    const { posts, bad } = await readFile(context, path);
    if (context.signal.aborted) return EXIT_INTERRUPTED;
    if (posts === 0) {
      useless.push(`${path}: no line of it is a post${bad === null ? "" : ` (${bad})`}`);
    }
  }
  if (useless.length > 0) throw new OperatorError(useless.join("; "));
  return 0;
}

/** Prints a file's readings; how many posts it held, and what was wrong with the first bad line. */
async function readFile(
  { print, log, clock, signal }: CommandContext,
  path: string,
): Promise<{ readonly posts: number; readonly bad: string | null }> {
  let posts = 0;
  let wrong = 0;
  let bad: string | null = null;
  for await (const lines of readArchive(path, { clock })) {
    let out = "";
    for (const line of lines) {
      if (line.kind === "bad") {
        bad ??= `line ${line.line}: ${line.why}`;
        if (wrong++ < SHOWN_BAD_LINES) {
          log.warn("bad line", { file: path, line: line.line, why: line.why });
        }
        continue;
      }
      posts++;
      if (line.kind === "post") out += `${JSON.stringify(readingOf(line.post))}\n`;
    }
    print(out);
    if (signal.aborted) break;
  }
  return { posts, bad };
}

/** A post's reading in the form of the reading guidelines (docs/extraction.md). */
function readingOf(post: Post): Record<string, unknown> {
  const demand = possibleDemand(post);
  const read = demand === null ? null : extract(post, demand);
  if (demand === null || read === null || !isDemand(read)) return { id: post.id, demand: 0 };
  const { product, kind, productSpan: span, facts } = read;
  const text = `${post.title}\n${post.body}`;
  return {
    id: post.id,
    demand: 1,
    pattern: demand.pattern,
    product,
    head: kind,
    product_span: span === null ? "" : text.slice(span.start, span.end),
    facts: facts.map(({ type, span, value }) => ({ type, span, value })),
  };
}
