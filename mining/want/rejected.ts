/** Which of the brands that a post names it does not want: naming a brand is not asking for it. */
import type { Words } from "./tokens.ts";

/** Words that reject the brand right after them. */
const AGAINST = phrases(
  "no|anti|avoid|avoids|avoided|avoiding|hate|hates|hated|hating|despise|loathe|dislike|disliked|except|besides|" +
    "isnt|arent|never|not|instead of|other than|rather than|apart from|aside from|anything but|never again|" +
    "steer clear of|stay away from|stayed away from|staying away from|not a fan of|not a huge fan of|" +
    "not a big fan of|not interested in|not into|fed up with|sick of|tired of|cant stand|cannot stand|" +
    "refuse to|refuse to buy|no more",
);
/** These reject nothing after one of those: "why not", "if not", "any reason not to buy". */
const BARE = new Set(["not", "isnt", "arent"]);
const ASKING = new Set(["why", "or", "if", "but", "whether", "reason", "reasons"]);
/** "not" with one of the verbs after it rejects what follows: "do not like", "wouldn't buy another". */
const NOTS = new Set("not dont doesnt didnt wont wouldnt never".split(" "));
const VERBS = new Set(
  "like want need trust buy consider recommend love enjoy touch".split(" "),
);
/** What may stand between: "don't want to buy another of those". */
const BETWEEN = new Set(
  "a an the any another more to buy buying get getting own owning use using go going with for from by of my"
    .split(
      " ",
    ),
);
const BETWEEN_MOST = 4;

/** What rejects the brand before it: "and hates it", "never again". */
const AFTERWARDS = phrases("never again|hate it|hates it|hated it|hate them|hates them|hated them");
const AFTER_REACH = 10;
/** Between two brands they say that what follows is about the second. */
const PARTING = new Set(["and", "or", "but", "than", "vs", "while"]);

/** Joins the brands of one list. */
const JOINS = new Set(["or", "nor", "and"]);

function phrases(text: string): readonly (readonly string[])[] {
  return text.split("|").map((phrase) => phrase.split(" "));
}

/**
 * The places among `brands`, in order, each with the words it begins and ends at, that the post rejects: a
 * negation right before the brand, or before the list it stands in ("no X, Y or Z"), or its like after it.
 */
export function rejectedAt(
  words: Words,
  brands: readonly { readonly start: number; readonly end: number }[],
): ReadonlySet<number> {
  const rejected = new Set<number>();
  brands.forEach((brand, index) => {
    const before = brands[index - 1];
    const listed = before !== undefined && rejected.has(before.start) &&
      inOneList(words, before.end, brand.start, brands[index + 1]?.start);
    if (listed || negatedBefore(words, brand.start)) rejected.add(brand.start);
    else if (negatedAfter(words, brand.end, brands[index + 1]?.start)) rejected.add(brand.start);
  });
  return rejected;
}

/** Whether only "or" stands between two brands, or a comma whose list goes on to an "or". */
function inOneList(
  { word, breakAfter, sentence }: Words,
  end: number,
  start: number,
  next: number | undefined,
): boolean {
  if (sentence[end - 1] !== sentence[start] || start - end > 2) return false;
  for (let i = end; i < start; i += 1) {
    if (!JOINS.has(word[i] ?? "") && !BETWEEN.has(word[i] ?? "")) return false;
  }
  // "no X or Y", "no X/Y"; but "no X, Y is fine".
  if (start > end || breakAfter[end - 1] !== true) return true;
  return next !== undefined && next - start <= 3 && sentence[next] === sentence[start] &&
    word.slice(start, next).some((between) => JOINS.has(between));
}

function negatedBefore({ word, breakAfter }: Words, start: number): boolean {
  const joined = (at: number): boolean => at > 0 && breakAfter[at - 1] !== true;
  let at = start;
  for (let passed = 0; passed <= BETWEEN_MOST; passed += 1) {
    if (!joined(at)) return false;
    for (const phrase of AGAINST) {
      const from = at - phrase.length;
      if (from < 0 || phrase.some((part, i) => word[from + i] !== part)) continue;
      const asked = BARE.has(phrase.join(" ")) && joined(from) && ASKING.has(word[from - 1] ?? "");
      // "should I avoid"
      return !asked && word[from - 2] !== "should";
    }
    const last = word[at - 1] ?? "";
    if (VERBS.has(last) && joined(at - 1) && NOTS.has(word[at - 2] ?? "")) return true;
    if (!BETWEEN.has(last)) return false;
    at -= 1;
  }
  return false;
}

function negatedAfter(
  { word, breakAfter, sentence }: Words,
  end: number,
  next: number | undefined,
): boolean {
  const limit = Math.min(end + AFTER_REACH, word.length);
  let apart = breakAfter[end - 1] === true;
  for (let at = end; at < limit && sentence[at] === sentence[end - 1]; at += 1) {
    // "an X with a Y and hates it" means X as well, "an X, a Y, and hates it" does not.
    if (at === next && apart) return false;
    if (AFTERWARDS.some((phrase) => phrase.every((part, i) => word[at + i] === part))) return true;
    apart ||= breakAfter[at] === true || PARTING.has(word[at] ?? "");
  }
  return false;
}
