/** Posts for benchmarks: the shared real ones where they are, recombined into as many as are wanted. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readArchive } from "../../mining/sources/archive/mod.ts";
import type { Post } from "../../mining/types.ts";
import { lines, submission, writeArchive } from "../../tests/support/archive.ts";

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

/** The real posts, or made-up ones where there are none. */
export async function seedPosts(): Promise<Post[]> {
  if (!existsSync(SHARED_POSTS)) {
    return Array.from({ length: MADE_UP }, (_, n) => {
      const { id, subreddit, title, selftext, author, created_utc, score, num_comments } =
        submission(n);
      return {
        id,
        community: subreddit,
        title,
        body: selftext,
        author,
        createdAt: new Date(created_utc * 1000),
        upvotes: score,
        comments: num_comments,
        permalink: `https://example.com/${id}`,
      };
    });
  }
  const posts: Post[] = [];
  for await (const batch of readArchive(SHARED_POSTS)) {
    for (const line of batch) if (line.kind === "post") posts.push(line.post);
  }
  return posts;
}

/** Post `n` of an endless stream: one real title with the halves of two real bodies. */
export function recombined(seeds: readonly Post[], n: number): Post {
  const pick = (step: number): Post => {
    const seed = seeds[(n * step + step) % seeds.length];
    if (seed === undefined) throw new Error("no seed posts");
    return seed;
  };
  const [first, second] = [pick(1), pick(7919)];
  const half = Math.floor(second.body.length / 2);
  return {
    ...first,
    id: `r${n.toString(36)}`,
    author: `author${n % 200_003}`,
    body: `${first.body.slice(0, Math.ceil(first.body.length / 2))}\n\n${second.body.slice(half)}`,
    permalink: `https://example.com/r${n.toString(36)}`,
  };
}
