/**
 * Makes mining/lexicon/countable.txt: nouns that posts put an article before where one of them is meant.
 * `deno run -A tasks/countable.ts [POSTS.ndjson.gz]`
 */
import { existsSync, writeFileSync } from "node:fs";
import { DEV, linesOf } from "./train/data.ts";

/** A noun is countable if it ends at least this many phrases with an article, and at least this share of its phrases. */
const MIN_TIMES = 20;
const MIN_SHARE = 0.7;
const OUT = "mining/lexicon/countable.txt";

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

const path = Deno.args[0] ?? DEV.posts;
if (!existsSync(path)) {
  console.error(`${path} is not here: name a file of posts`);
  Deno.exit(1);
}
const counts = new Map<string, { withArticle: number; bare: number }>();

function count(line: string): void {
  const post: { title: string; selftext: string } = JSON.parse(line);
  const tokens = `${post.title}. ${post.selftext}`.toLowerCase()
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

for await (const line of linesOf(path)) count(line);

const countable = [...counts].filter(([, { withArticle, bare }]) =>
  withArticle >= MIN_TIMES && withArticle >= MIN_SHARE * (withArticle + bare)
).map(([noun]) => noun).sort();
writeFileSync(
  OUT,
  `# Made by tasks/countable.ts: nouns that posts put an article before.\n${countable.join(" ")}\n`,
);
console.log(`${OUT}: ${countable.length} nouns`);
