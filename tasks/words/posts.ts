/** How a list of words is made of posts: each post is counted, then the list is written. */
import { createReadStream, writeFileSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { DEV, requireFile } from "../train/data.ts";

/** A post as archives have it. */
interface ArchivedPost {
  readonly title: string;
  readonly selftext: string;
}

/** A list that is made of posts. */
interface PostsList {
  /** Where it is written, from the root of the repository. */
  readonly path: string;
  readonly count: (post: ArchivedPost) => void;
  /** What the file holds, and how much that is, once every post was counted. */
  readonly finish: () => { readonly text: string; readonly summary: string };
}

/** The lines of a gzip file, one at a time: the posts of an archive do not fit into a string. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of createReadStream(path).pipe(createGunzip())) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/**
 * Makes a list of the posts in the gzip file (NDJSON) that the command line names, or of the development set.
 * @throws OperatorError where that file is not there.
 */
export async function makeOfPosts({ path, count, finish }: PostsList): Promise<void> {
  for await (const line of linesOf(requireFile(Deno.args[0] ?? DEV.posts))) count(JSON.parse(line));
  const { text, summary } = finish();
  writeFileSync(path, text);
  console.log(`${path}: ${summary}`);
}
