/**
 * Makes gauge/words/common.txt: words of ordinary posts by how common they are.
 * `deno run -A tasks/words/common.ts [POSTS.ndjson.gz]`
 */
import { runTask } from "../run_task.ts";
import { makeOfPosts } from "./posts.ts";

/** Lower bounds of the tiers, as a share of posts; the last tier is of words that are merely known. */
const TIERS = [0.08, 0.03, 0.01, 0.004, 0.0015, 0];
const MIN_POSTS = 40;

await runTask(async () => {
  const posts = new Map<string, number>();
  let total = 0;
  await makeOfPosts({
    path: "gauge/words/common.txt",
    count: ({ title, selftext }) => {
      const words = `${title} ${selftext}`.toLowerCase().match(/[a-z]{2,}/g) ?? [];
      for (const word of new Set(words)) posts.set(word, (posts.get(word) ?? 0) + 1);
      total += 1;
    },
    finish: () => {
      const tiers = TIERS.map((): string[] => []);
      for (const [word, n] of posts) {
        const tier = TIERS.findIndex((share) => n / total >= share);
        if (n >= MIN_POSTS) tiers[tier]?.push(word);
      }
      const text = [
        "# Made by tasks/words/common.ts: words by how many posts hold them, one tier a line, the most common first.",
        ...tiers.map((words) => words.sort().join(" ")),
        "",
      ].join("\n");
      return {
        text,
        summary: `${tiers.map((words) => words.length).join(" ")} words of ${total} posts`,
      };
    },
  });
});
