/** Who made do: posts that state a want and show what their authors built to meet it. */
import type { MakeshiftPost } from "../../db/corpus/makeshifts.ts";
import type { Makers } from "./types.ts";
import { quotable } from "../classify/mod.ts";

const EVIDENCE = 3;

/**
 * A making that was done, in the author's own name: most posts of the pattern ask whether something could be
 * built, or wish that it were.
 */
const MADE =
  /\b(?:i|we)(?:'ve| have| had)?(?: (?:just|finally|actually|recently|ended up|eventually|also|then))* (?:built|made|sewed|sewn|welded|machined|printed|3d[ -]printed|rigged|modded|modified|converted|hacked|designed|soldered|wired|carved|knitted|crocheted|fashioned|cobbled|macgyvered|diy'?e?d|building|making|rigging|converting|designing|modding|modifying) (?:my own|our own|a|an|one|it|this|these|some|up|together|the|mine|two|out)\b/i;
/** What else is made: it through the night, mistakes, albums; and what is asked. */
const NOT_DONE =
  /\bit (?:through|to|work|home|out)\b|\b(?:mistake|decision|purchase|order|switch|sense|money|offer|call|post|thread|album|video|list|script)\b|\?/i;

/** Whether a sentence shows something that its author built. */
export const showsMaking = (sentence: string): boolean => {
  const found = MADE.exec(sentence);
  return found !== null && !NOT_DONE.test(sentence.slice(found.index));
};

/** The makers among the authors of these posts, the newest post first; null where there is none. */
export function makersOf(posts: readonly MakeshiftPost[]): Makers | null {
  const shown = posts.flatMap((post) => {
    const sentences = quotable(post, { pattern: "workaround", also: null });
    const sentence = sentences.find(({ quote }) => showsMaking(quote));
    return sentence === undefined ? [] : [{ ...post, quote: sentence.quote }];
  });
  const [newest] = shown;
  if (newest === undefined) return null;
  const quoted = shown.slice(0, EVIDENCE);
  return {
    makers: shown.length,
    newest: newest.createdAt.toISOString(),
    evidence: quoted.map(({ quote, permalink, upvotes, community, createdAt }) => ({
      quote,
      permalink,
      upvotes,
      subreddit: community,
      postedAt: createdAt.toISOString(),
    })),
    postIds: quoted.map(({ postId }) => postId),
  };
}
