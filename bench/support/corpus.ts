/** Posts for benchmarks: the shared real ones where they are. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { lines, writeArchive } from "../../tests/support/archive.ts";

const SHARED_POSTS = "../shared/posts/dev.ndjson.gz";
/** Made-up posts in place of them. */
const MADE_UP = 50_000;

/** An archive: the shared posts, or one of made-up ones, which is written into `folder`. */
export function archiveIn(folder: string): string {
  if (existsSync(SHARED_POSTS)) return SHARED_POSTS;
  const path = join(folder, "posts.ndjson.gz");
  writeArchive(path, lines(MADE_UP));
  return path;
}
