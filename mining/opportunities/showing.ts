/** What the author of a post has made: a build, a workaround or a launch, by the grammar of the sentence that says so. */
import type { Extraction } from "../extract/types.ts";
import { singular } from "../lexicon/grammar.ts";
import { lexicon } from "../lexicon/lexicon.ts";
import { phraseWords } from "../lexicon/tokens.ts";
import { kindNameOf } from "../extract/product/names.ts";

/**
 * Verbs whose object comes into being, or becomes another thing, by what they say: those of building and of
 * turning into in Levin's "English Verb Classes" (26.1, 26.6) that take a product, and those of bringing one out. What
 * is created is mostly no thing: a list, a page, a survey.
 */
const MADE =
  "assembled|built|carved|cobbled|constructed|converted|crafted|crocheted|customi[sz]ed|designed|fabricated|fashioned|forged|invented|knit|knitted|launched|machined|made|manufactured|modded|modified|mou?lded|printed|prototyped|released|sewed|sewn|welded|whittled|wove|woven";
const MAKING =
  "assembling|building|carving|constructing|converting|crafting|crocheting|customi[sz]ing|designing|fabricating|fashioning|forging|knitting|machining|making|manufacturing|modding|modifying|printing|prototyping|sewing|welding|weaving";
/** Whose work it is: a title leaves its author out. */
const MAKER =
  "(?:\\b(?:i|we|my (?:\\w+ and i|wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|dad|father|mom|mum|mother|brother|sister|son|daughter|friend|buddy|team|company))|^\\W*(?:(?:so|just|finally|recently|today|and)\\W+)*(?=\\w))";
/** Between the two stands nothing that takes back that it is done: no "could", "never" or "want to". */
const DONE =
  "(?:['’](?:ve|d)| have| had| just| finally| actually| recently| eventually| also| then| even| already| decided to and)*";
const SAID = new RegExp(
  `${MAKER}${DONE} ?(?:(?:(?:custom|hand|home|scratch|3d)[ -]?)?(?:${MADE})(?: up| together)?|(?:ended up|finished|completed|done|spent [\\w ]{1,24}?) (?:${MAKING})) `,
  "gi",
);
/** What was made: "my own", or a noun phrase of somebody's, new to the reader or made here. */
const OBJECT =
  /^(?:(?:him|her|me|us|myself|ourselves|them) )?(?:((?:my|our) own)\b(?=\W*$|[,.!:;(]| (?:out of|from|by hand|with|for|using|and|in)\b)|(my|our|a|an|the|this|these|some|two|three|her|his) ((?:[\p{L}\p{N}'’/+-]+ ?){1,8}))/iu;
/**
 * What is said to be handmade, where the sentence begins with it or presents it. "DIY" and "homemade" are what others
 * are told to make as well: it is the author's own where the words say whose.
 */
const HANDMADE =
  /^\W*(?:(?:here(?:['’]s| is| are)|this is|these are|finished|completed|just|finally|some|my|our|first|new|latest|attempt at)\W+)*(?:hand[ -]?made|self[ -]?made|scratch[ -]built|(?<=\b(?:my|our|first|finished|completed)\W+)(?:diy(?:'?ed)?|home[ -]?(?:made|built))) ((?:[\p{L}\p{N}][\p{L}\p{N}'’/+-]* ?){1,5})/iu;
/** A reading whose kind is less likely than this does not say what was made. */
const LEAST_KIND = 0.6;
/** Where a noun phrase ends. */
const AFTER =
  /[^\p{L}\p{N}'’/+ -]| (?:for|with|to|that|which|in|on|from|of|at|while|when|because|instead|like|by|out|using|and|so|but|or|into|as|last|since|if|is|was|i|we|it|today|yesterday|over|based|inspired|about|where|who|after|before|during|via|without|made|up|more|around|lets) /iu;
/** "Made the bed", "made my decision": what was there before is made in the way of speaking alone. */
const IDIOM = /\bmade (?:up |together )?$/i;

/** What a sentence says was made, as it is called; null where "my own" stands for it. */
function thingsMade(sentence: string): (string | null)[] {
  // Questions ask what could be made, or who has made it.
  const mark = sentence.lastIndexOf("?");
  if (mark !== -1 && !/\w/.test(sentence.slice(mark))) return [];
  const things: (string | null)[] = [];
  for (const found of sentence.matchAll(SAID)) {
    const object = OBJECT.exec(sentence.slice(found.index + found[0].length));
    if (object === null) continue;
    const [, pronoun, determiner = "", phrase = ""] = object;
    if (pronoun !== undefined) things.push(null);
    else if (!(IDIOM.test(found[0]) && idiomatic(determiner, phrase))) {
      things.push(nounPhrase(phrase));
    }
  }
  const handmade = HANDMADE.exec(sentence)?.[1];
  if (handmade !== undefined) things.push(nounPhrase(handmade));
  return things.filter((name) => name !== "");
}

const idiomatic = (determiner: string, phrase: string): boolean =>
  /^(?:the|our|my|her|his)$/i.test(determiner) && !/^(?:own|first)\b/i.test(phrase);

/** The noun phrase that words begin with; "" where it measures something else, as a pot of chili does. */
function nounPhrase(words: string): string {
  const text = ` ${words} `;
  const end = AFTER.exec(text);
  if (end?.[0].toLowerCase() === " of ") return "";
  return text.slice(0, end?.index).trim();
}

/**
 * Whether a sentence says that its author, or somebody near, made something ("we built a shelf",
 * "handmade knives"). By patterns alone, so that every sentence of every post can be asked.
 * Questions are none.
 */
export const saysMade = (sentence: string): boolean => thingsMade(sentence).length > 0;

/**
 * Whether a sentence says that something was made which the word lists know as a product, or "my
 * own": a video, a mistake or a call is none.
 */
export const saysProductMade = (sentence: string): boolean =>
  thingsMade(sentence).some((name) =>
    name === null || lexicon().terms.get(phraseWords(kindNameOf(name))) !== undefined
  );

/**
 * Whether a sentence of a post says that the product which the post was read to be about was made.
 * What was made has the kind of the reading, or it is its author's "own" where the sentence or the
 * title names the product. False where the kind is less likely than `LEAST_KIND`.
 */
export function showsProduct(
  sentence: string,
  title: string,
  { kind, kindCertainty, productSpan }: Extraction,
): boolean {
  if (kindCertainty < LEAST_KIND) return false;
  return thingsMade(sentence).some((name) =>
    name !== null ? kindNameOf(name) === kind : sentence.toLowerCase().includes(kind) ||
      (productSpan !== null && productSpan.start < title.length)
  );
}

/**
 * The words by which a want is compared with what somebody shows: lower case, singular, each once,
 * in the order of the text.
 */
export function comparedWords(text: string): string[] {
  return [...new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular))];
}
