/** Words for products that are verbs as well ("a watch", "to watch"): told apart by their neighbours. */
import type { Words } from "./tokens.ts";

const BOTH = new Set(
  "watch ring forge iron press dress pack pump saw drill grill lock mount stand mask brush comb polish vacuum mop bow hammer clip print plug whisk bike ski skate light cover frame hook swing walk wrap throw strap filter sink torch axe file switch pan scope"
    .split(" "),
);
/** A bare noun of one thing hardly follows these, a verb does. */
const BEFORE_VERBS = new Set(
  "to can could will would should might must cant couldnt wont dont didnt doesnt never always i ill id you we they please lets"
    .split(" "),
);
/** What takes a noun after "to". */
const TO_NOUN = new Set(
  "go alternative alternatives compared similar close next switch switched switching upgrade upgrading upgraded due prior addition opposed"
    .split(" "),
);
const BEFORE_NOUNS = new Set(
  "a an the this that my your our his her their any some new good best better which what".split(
    " ",
  ),
);
/** Whom something is done to. */
const OBJECTS = new Set("me us him them myself yourself it".split(" "));
/** At the end of a phrase they belong to a verb ("anything to watch for?"). */
const STRANDED = new Set("for out over at".split(" "));

/** Whether the word at `at` does something here instead of being something. */
export function isVerb({ word, breakAfter }: Words, at: number): boolean {
  if (!BOTH.has(word[at] ?? "")) return false;
  const joined = at > 0 && breakAfter[at - 1] !== true;
  const before = joined ? word[at - 1] ?? "" : "";
  if (BEFORE_NOUNS.has(before)) return false;
  if (before === "to" && TO_NOUN.has(word[at - 2] ?? "")) return false;
  if (BEFORE_VERBS.has(before)) return true;
  if (breakAfter[at] === true) return false;
  const after = word[at + 1] ?? "";
  return OBJECTS.has(after) || (STRANDED.has(after) && breakAfter[at + 1] === true);
}
