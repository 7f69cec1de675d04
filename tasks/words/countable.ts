/**
 * Makes mining/lexicon/countable.txt: nouns that posts put an article before where one of them is meant.
 * `deno run -A tasks/words/countable.ts [POSTS.ndjson.gz]`
 */
import { runTask } from "../run_task.ts";
import { makeOfPosts } from "./posts.ts";

/** A noun is countable if it ends at least this many phrases with an article, and at least this share of its phrases. */
const MIN_TIMES = 20;
const MIN_SHARE = 0.7;

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** What ends a phrase, beside a mark. */
const AFTER = words(
  "for with that which and or to in on is are at from but so if as than because when while i my it you would will can",
);
/** What opens a phrase that has no article. */
const LEAD = words("for with want wants need needs has have had prefer like without get more");
/** Determiners that say nothing of the noun. */
const OTHER = words(
  "the my this your that his her their our its any some no each every one another",
);
/** Words between the opening and the noun. */
const FARTHEST = 3;

const counts = new Map<string, { withArticle: number; bare: number }>();

function count(text: string): void {
  const tokens = text.toLowerCase()
    .match(/[a-z][a-z'-]*|[.,;:!?()\n]/g) ?? [];
  tokens.forEach((noun, at) => {
    const next = tokens[at + 1] ?? ".";
    if (!/^[a-z]{2,}$/.test(noun) || (/^[a-z]/.test(next) && !AFTER.has(next))) return;
    for (let back = 1; back <= FARTHEST; back++) {
      const before = tokens[at - back] ?? ".";
      if (!/^[a-z]/.test(before) || OTHER.has(before)) return;
      const isArticle = before === "a" || before === "an";
      if (isArticle || LEAD.has(before)) {
        const seen = counts.get(noun) ?? { withArticle: 0, bare: 0 };
        counts.set(noun, seen);
        seen[isArticle ? "withArticle" : "bare"] += 1;
        return;
      }
      if (AFTER.has(before)) return;
    }
  });
}

await runTask(() =>
  makeOfPosts({
    path: "mining/lexicon/countable.txt",
    count: ({ title, selftext }) => count(`${title}. ${selftext}`),
    finish: () => {
      const countable = [...counts].filter(([, { withArticle, bare }]) =>
        withArticle >= MIN_TIMES && withArticle >= MIN_SHARE * (withArticle + bare)
      ).map(([noun]) => noun).sort();
      const head = "# Made by tasks/words/countable.ts: nouns that posts put an article before.";
      return { text: `${head}\n${countable.join(" ")}\n`, summary: `${countable.length} nouns` };
    },
  })
);
