/** Turns of phrase that say of the noun beside them whether it is wanted, failed, or circumstance. */
import { PhraseBook } from "./phrases.ts";
import { phraseWords } from "./tokens.ts";

/** What a turn of phrase says of the noun beside it. */
export type Cue =
  /** The thing wanted comes right after ("looking for a …"). */
  | "wanted"
  /** The thing that failed stands just before ("… keeps dying"). */
  | "failed"
  /** What comes after is circumstance, not the want ("for my …"). */
  | "context";

const WANTED =
  `looking for, look for, in search of, searching for, search for, hunting for, shopping for, in the market for,
recommend, recommend me, recommendation for, recommendations for, recommendation on, recommendations on, suggest,
suggestion for, suggestions for, suggestions on, advice on, advice for, help with, opinions on, thoughts on, best, good, great, decent, cheap,
affordable, budget, quality, durable, reliable, comfortable, need a, need an, need some, need new, need a new, want a,
want an, want some, want to buy, want to get, wanting a, buy, buying, purchase, purchasing, get a, get some, getting a,
replace, replacing, replacement for, replacement, replacements for, alternative to, alternatives to, alternative for,
alternatives for, alternative, new, which, what, what kind of, what type of, find a, find an, find some, finding a, finding,
find, make a, makes a, is there a, is there an, are there any, i wish, wish there was a, upgrade my, upgrading my, upgrade,
help choosing, help picking, help finding, choosing a, picking a, help me find, help me pick, help me choose, favorite,
favourite, pair of, set of, brand of, brands of, kind of, type of, types of, style of, need help with, tired of, sick of,
hate, hates, frustrated with, disappointed with, problem with, problems with, issue with, issues with, trouble with, my new, invest in,
experience with, tried, own a, have a, ordered, ordered a, bought, bought a, should i get, go with, trying to find, interested in, anyone use, anyone used,
does anyone make, why dont, why doesnt, why isnt there, there any, any, building a, build a, first, a new, our new, your favorite`;

const FAILED =
  `broke, broken, breaks, breaking, died, dies, dying, dead, failed, failing, fails, fell apart, falling apart,
falls apart, cracked, snapped, ripped, ripping, tore, torn, worn out, wore out, wearing out, stopped working, keeps, keep,
leaks, leaking, leaked, frayed, fraying, gave out, quit working, wont work, doesnt work, isnt working, not working, wont turn on,
crapped out, finally died, finally broke, recommendations, recommendation, suggestions, suggestion, advice, help, question, questions,
recommended, suggested, needed, wanted, under, for under, that, for, with, vs, or, without, brands, brand, options, replacement, replacements, upgrade, issue, issues, problem, problems, help needed,
alternatives, alternative, choices, sizing, is, are, has, have, does, do, which`;

const CONTEXT =
  `for, on, for my, for the, for a, for an, on my, on the, on a, in my, in the, in a, with my, with the, to my, to the, to a,
from my, from the, from a, into my, into the, using my, through my, at my, off my, of my, of the, inside my, under my, for your, for our, in our, on our, onto my,
between my, and my, own a, have a, got a, i have a, i have an, use a, using a, drive a, ive got a, my, out of my, out of the, behind my, over my, connected to, connect to, plugged into, via, by the, by my, near my, against my, like a, like the`;

function book(text: string): PhraseBook<true> {
  const phrases = new PhraseBook<true>();
  for (const phrase of text.split(",")) phrases.add(phraseWords(phrase), true);
  return phrases;
}

const BOOKS: Readonly<Record<Cue, PhraseBook<true>>> = {
  wanted: book(WANTED),
  failed: book(FAILED),
  context: book(CONTEXT),
};

/** The end of the cue that begins at word `at`, or -1. */
export function cueEnd(
  cue: Cue,
  words: readonly string[],
  breakAfter: readonly boolean[],
  at: number,
): number {
  return BOOKS[cue].at(words, breakAfter, at)?.end ?? -1;
}

/** Right after a product they make a place or a program of it: "bike shop", "camera app". */
export const PLACES: ReadonlySet<string> = new Set(
  "shop shops store stores dealer dealers dealership app apps software".split(" "),
);

/** Words that cannot be part of a product's name: a noun phrase ends before them. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a an the this that these those my your his her its our their i you he she it we they me him them us who whom whose which what
where when why how and or but nor so yet if then than as at by for from in into of off on onto out over to under up with without about
after before between during through until upon via per vs versus is are was were be been being am do does did done doing have has had
having can could will would shall should may might must not no nor only just also too very really quite rather such some any each every
either neither both all most more many much few less least other another same own there here now ever never always often again once
because while though although since unless except instead like get got getting gets make makes made making use used using uses want wants
wanted need needs needed looking look looks buy buying bought find found finding go going goes went come comes came take takes took
know think thought please thanks thank hi hello hey guys guy anyone someone everyone anybody somebody everybody something anything
everything nothing one ones two three new old im ive id ill dont doesnt didnt cant couldnt wont isnt arent wasnt havent hasnt its thats
theres well still even back first last next let lets help able around away however maybe perhaps probably actually basically currently
recently lately already else etc edit tldr tl dr reddit sub subreddit question questions advice recommend recommends recommended
recommendation recommendations suggest suggestions suggestion try trying tried seem seems seemed say says said see saw seen tell told
give gave given work works worked working broke broken break breaks die died dies keep keeps kept wear wearing wore that'll whats
best better good great nice decent cheap cheaper affordable worth right wrong big small long short high low under less`
    .split(/\s+/),
);
