/**
 * Makes gauge/words/common.txt: words of ordinary posts by how common they are.
 * `deno run -A tasks/gauge_words.ts [POSTS.ndjson.gz]`
 */
import { existsSync, writeFileSync } from "node:fs";
import { DEV, linesOf } from "./train/data.ts";

/** Lower bounds of the tiers, as a share of posts; the last tier is of words that are merely known. */
const TIERS = [0.08, 0.03, 0.01, 0.004, 0.0015, 0];
const MIN_POSTS = 40;
const OUT = "gauge/words/common.txt";

const path = Deno.args[0] ?? DEV.posts;
if (!existsSync(path)) {
  console.error(`${path} is not here: name a file of posts`);
  Deno.exit(1);
}
const posts = new Map<string, number>();
let total = 0;

function count(line: string): void {
  const post: { title: string; selftext: string } = JSON.parse(line);
  const words = `${post.title} ${post.selftext}`.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  for (const word of new Set(words)) posts.set(word, (posts.get(word) ?? 0) + 1);
  total += 1;
}

for await (const line of linesOf(path)) count(line);

const tiers = TIERS.map((): string[] => []);
for (const [word, n] of posts) {
  const tier = TIERS.findIndex((share) => n / total >= share);
  if (n >= MIN_POSTS) tiers[tier]?.push(word);
}
writeFileSync(
  OUT,
  [
    "# Made by tasks/gauge_words.ts: words by how many posts hold them, one tier a line, the most common first.",
    ...tiers.map((words) => words.sort().join(" ")),
    "",
  ].join("\n"),
);
console.log(`${OUT}: ${tiers.map((words) => words.length).join(" ")} words of ${total} posts`);
