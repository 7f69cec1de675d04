/**
 * Parts what a query asks for from the words that ask and from what else it says: "find people who want a kettle", "cooks
 * who hate noise are after a kettle". It knows words of grammar, of asking and of people; products are told by `findKinds`.
 */
import {
  ARTICLES,
  AUXILIARIES,
  EMPTY_WORDS,
  isNoGood,
  isPeople,
  namesService,
  onlyAsks,
  PRONOUNS,
  wordSet,
} from "../../words/word_classes.ts";
import { isAnyProduct } from "../../words/same.ts";
import { anyOf, wording } from "../../words/wording.ts";
import {
  asking,
  type Clause,
  clausesOf,
  isEmpty,
  joinedTitle,
  kindsIn,
  onlyProduct,
  PHRASE_END,
  productFirst,
  spelledOut,
  splitSentences,
  telling,
  withoutEmptyEnds,
} from "./clause.ts";
import { type FindKinds, isUnnamed } from "../head.ts";
import { foldedWords } from "../../input.ts";
import { namesKind } from "../kinds.ts";
import { askedByWhich, withProduct } from "./which.ts";

/** What follows a verb that asks: "to buy", "to get hold of". */
const TO_HAVE = wording` to (?:buy|get|purchase|find|have|own|order|know|hear)
  (?: (?:hold of|(?:my|our|their) hands on))?`;

/** Words that ask, before what is asked for. */
const ASKING = anyOf(
  // "I want to buy a kettle", "I'd love a kettle"; who wants to lace asks for no lace.
  wording`(?:(?:want|need|require)(?:s|ed|ing)?|(?:would|should|'d) (?:like|love))
    (?:${TO_HAVE}|(?! to\b))`,
  // "Shopping around for a kettle", "looking to buy a kettle".
  wording`(?:look|shopp?|search|ask)(?:s|ed|ing)? (?:around )?(?:for|into)`,
  `looking${TO_HAVE}`,
  "seek(?:s|ing)?",
  // "Others are hunting for a kettle", but no boots "for hunting for ducks".
  wording`(?<=^\s*|\b(?:am|are|is|also|people|others|folks|anyone|anybody) |'(?:m|re) )
    hunting (?:around )?for`,
  // "It is hard to find a kettle".
  wording`(?:can'?t|cannot|couldn'?t|hard to|struggl(?:e|es|ing) to|trouble) find(?:ing)?`,
  // "Point me to a kettle", "recommend us a kettle".
  wording`(?:point|direct) (?:me|us) (?:to|towards?|at)`,
  wording`(?:show|find|recommend|suggest) (?:me|us)`,
  // "I'm looking at kettles", but no "binoculars for looking at the sky".
  wording`(?<=^\s*|\b(?:am|are) |'(?:m|re) )looking at`,
  // "Where can I buy a kettle", "where to get a kettle".
  wording`where (?:(?:do|can|could|should|would) (?:i|we|you|one|people)|to) (?:find|buy|get)`,
  wording`(?:is|are) there(?= (?:an?|any|some)\b)`,
  wording`in (?:need|search) of`,
  wording`in the market for`,
  wording`(?:am|is|are|be|others|anyone|anybody|people|folks|'m|'re) after`,
  wording`(?:demand|market)(?: exists?)? for`,
  wording`interest(?:ed)? in`,
  // "Replacing a kettle", but no "tongs for picking ice".
  wording`(?<!\b(?:for|of|by) )(?:replac|choos|pick|buy)ing(?! up\b)`,
);
const ASKS = new RegExp(wording`\b${ASKING} `, "i");
/** Those of them that ask about demand itself. */
const ASKS_DEMAND = /^(?:demand|market|interest)\b/i;

/** What those do who would make or sell something, without its ending. */
const MAKE = anyOf(
  ..."mak sell build design launch develop manufactur produc import stock consider explor offer introduc"
    .split(" "),
);
const TO_MAKE = `${MAKE}(?:e|ing)?`;
const PLANNING = "plan(?:s|ning)?|hop(?:e|ing)|think(?:ing)?|going|intend(?:ing)?";

/**
 * Words that say what those would have, or make, of whom a sentence speaks, before it: verbs of desire (Levin, "English
 * Verb Classes", 32) and of buying, and what a market is said to have.
 */
const WOULD_HAVE = new RegExp(
  String.raw`\b` + anyOf(
    // "Is there a gap for a kettle", "any need for a kettle", "saving up for a kettle"; no hutch "with room for a kettle".
    anyOf(
      wording`(?<!\bwith (?:an? )?)(?:gap|room|call|appetite)`,
      wording`(?<=\b(?:an?|the|any|no) )(?:want|need)`,
      wording`wish|long|yearn|hope|sav(?:e|ing) up`,
    ) + wording`(?:s|es|ed|ing)? for`,
    ASKING,
    "(?:buy|request|prefer|demand)(?:s|ing)?",
    "(?:purchas|hir|crav|desir)(?:es?|ing)",
    // "They plan to get a kettle", "we would swap it for a kettle".
    wording`(?:plan|hop|intend|aim)(?:e|s|es|ed|ing|ning)?${TO_HAVE}`,
    wording`(?:swap|trad|exchang|replac)(?:e|es|ed|p?ing)? (?:\S+ ){1,3}?(?:for|with|by)(?= an?\b)`,
    // "Would cooks also take a kettle", "they will get a kettle", but nothing that "will get a cork out of a bottle".
    wording`(?:would|will) (?:(?!not\b|never\b)\S+ ){1,3}?(?:take|go for)(?= an?\b)`,
    wording`(?:would|will) (?:(?!not\b|never\b)\S+ ){1,2}get(?! (?:\S+ ){1,3}(?:out|off|from)\b)`,
    wording`pay (?:\S+ ){0,2}?for`,
    wording`(?:open|switching) to`,
    // No "usb switch to share a keyboard".
    wording`switch to(?= an?\b)`,
    wording`ask(?:s|ed|ing)? about`,
    wording`rather have`,
    wording`keen on`,
    // "Thinking of kettles", "thinking about getting myself a kettle".
    wording`think(?:ing)? (?:of|about)(?: (?:add|gett|buy|${MAKE})ing(?: \S+sel(?:f|ves))?)?`,
    // "They plan to sell a kettle".
    wording`(?:${PLANNING}) (?:to|of|about|on) (?:${TO_MAKE}|add(?:ing)?)`,
  ) + String.raw`\s+`,
  "gi",
);
/** Those of them that are said of things, too: "laptops need a battery". */
const SAID_OF_THINGS = /^(?:need|requir|hir|demand)/i;
/** A denial right before one of these. */
const DENIED =
  /\b(?:not|never|no longer|cannot|can['’]?t|(?:do|does|did|wo)n['’]?t)(?:\s+(?:really|even))?\s*$/i;
/** Where whoever writes begins a clause after other ones: "my desk is full and now I". */
const OWN_CLAUSE = /(?:[,.]|\b(?:and|so|but))\s+(?:now\s+)?(?:i|we|they|he|she)$/i;
/** Words that go on from a product that was named: what they say is no other request. */
const GOING_ON = /\b(?:that|which|so|because|when|if|while|where)\b/i;

/** Who says what they would make or sell, at the beginning of a clause: "we are designing", "my plan's to sell". */
const MAKES = new RegExp(
  wording`^\s*(?:(?:my|our) (?:plan|idea|goal|aim)(?:'s| is)|(?:i|we))
    (?:'(?:m|re|d|ve)| (?:am|are|would|have|might|could|will))?
    (?: (?:been|like|want|${PLANNING}|consider(?:ing)?|about|of|to|start))* ${TO_MAKE} `,
  "i",
);

/** What something is called, behind what it does: "appliances which dry food, known as dehydrators". */
const KNOWN_AS = new RegExp(
  wording`^(?<told>.*?),? (?:(?:also|commonly|usually|often) )?
    (?:known|sold|referred to) as (?<name>.+)$`,
  "i",
);

/** What is described and named behind the last comma: "a device that boils water, a kettle". */
const APPOSED = /^(?<told>.+),\s*(?<name>[^,]+)$/;
/** Words behind a noun of anything with which a description goes on: a "washing machine" is described by none. */
const DESCRIBING = wordSet("that which for to used");

/** What names the product alone behind a description of something that has no name of its own; null for no such. */
function askedByName(text: string, findKinds: FindKinds): Clause[] | null {
  const { told = "", name = "" } = APPOSED.exec(text)?.groups ?? {};
  if (onlyProduct(name, findKinds) === undefined) return null;
  const before = foldedWords(told);
  const noun = before.findIndex((word) => isUnnamed(word) || isAnyProduct(word));
  const isDescribed = noun >= 0 && DESCRIBING.has(before[noun + 1] ?? "") &&
    !before.includes("not") && !namesKind(before.slice(0, noun + 1).join(" "), findKinds);
  return isDescribed ? [asking(name), telling(told)] : null;
}

/** "A kettle's what I'm after"; of "my laptop is what I need a bag for" it is no laptop. */
const IS_WHAT = new RegExp(
  wording`^\s*(?<name>.+?)(?:'s| (?:is|are)) what (?:\S+ ){1,2}?(?:want|need|after|looking for)\b
    (?!.*\bfor\W*$)(?<more>.*)$`,
  "i",
);
/** "Is a kettle that whistles something people would buy". */
const IS_SOMETHING = new RegExp(
  wording`^\s*(?:so )?(?:is|are|would) (?<name>\S.*?) (?:be )?(?:something|what|a thing) \S`,
  "i",
);
/** "All that's missing is a kettle", "what I need is a kettle". */
const WHAT_IS = new RegExp(
  wording`^(?<told>.*?)\b(?:all|what)(?: (?:that|i|we))*(?:'s| (?:is|am|are))?\s+
    (?:wanted|want|needed|need|after|looking for|lacking|lack|missing|left) (?:is|are) (?<name>.+)$`,
  "i",
);
/** "It's the kettle I need with a lid". */
const IT_IS = new RegExp(
  wording`^(?<told>.*?)\bit'?s (?<name>\S.*?) (?:that )?(?:i|we)(?:'(?:m|re)| (?:am|are))?\s+
    (?:want|need|after|looking for|lack)\b(?<more>.*)$`,
  "i",
);
/** Cleft sentences, which set apart what they ask for. */
const CLEFTS: readonly RegExp[] = [IS_WHAT, IS_SOMETHING, WHAT_IS, IT_IS];

/** "Is a kettle that whistles wanted by anybody", "would our kettle find a market". */
const IS_WANTED = new RegExp(
  wording`^\s*(?:is|are|would|will|could|can) (?<name>(?:an?|the|this|these|our|my)\s.+?) (?:be )?
    (?:wanted|needed|welcomed?|asked for|bought|
    in demand|sell|shift|do well|find (?:an? )?(?:buyers?|customers?|market))\b(?<by>.*)$`,
  "i",
);

/** A question of its own behind a comma: "I have a freezer and knives, do people want a mincer". */
const LAST_QUESTION = new RegExp(
  wording`^(?<told>.*\w),\s*(?<question>(?:(?:and|so|but) )?
    (?:do|does|did|is|are|would|will|could|can|has|have)\b[^,]*)$`,
  "i",
);

/** Words by which people speak of themselves or of others. */
const SPEAKERS = new Set([...PRONOUNS, ...wordSet("im id ive were weve my our")]);
/** People that are products as well: before what they want they are people. */
const ALSO_PRODUCTS = wordSet("drivers trainers walkers");

/**
 * The words of the first phrase, behind those that ask: "do remote workers with two laptops" begins with "remote workers".
 * It ends with the first people that it names: "anglers wanting a lamp".
 */
function firstPhrase(words: readonly string[]): { readonly from: number; readonly end: number } {
  const found = words.findIndex((word) => !EMPTY_WORDS.has(word) || isPeople(word));
  const from = found < 0 ? words.length : found;
  const end = words.findIndex((word, i) =>
    i > from && (PHRASE_END.has(word) || isPeople(words[i - 1] ?? ""))
  );
  return { from, end: end < 0 ? words.length : end };
}

/** Whether a sentence begins with people: with those who write it, with whoever does something, or at least with no product. */
function beginsWithPeople(before: string, mayBeThing: boolean, findKinds: FindKinds): boolean {
  const words = foldedWords(before);
  const { from, end } = firstPhrase(words);
  const last = words[end - 1] ?? "";
  if (words.slice(0, from + 1).some((word) => SPEAKERS.has(word))) return true;
  // "A gift for my wife who wants to read".
  const forWhom = words.indexOf("for", from + 1);
  if (forWhom > 0 && words.slice(forWhom).some((word) => word === "who" || word === "that")) {
    return false;
  }
  if (/^who(?:se)?$/.test(words[end] ?? "") || ALSO_PRODUCTS.has(last)) return true;
  // "Is there a gap for one".
  if (/\bthere\b[^,]*$/i.test(before)) return true;
  // Laptops need batteries; "welders" that want a helmet are people.
  if (!mayBeThing && end - from === 1 && end === words.length && isPeople(last)) return true;
  const phrase = words.slice(from, end);
  return (isPeople(last) || !namesService(last)) && !isNoGood(last) &&
    findKinds(phrase).every((span) => span.end < phrase.length);
}

/** Whether the object of such a verb is what people ask for, and not what they do or have again. */
function mayBeAsked(
  object: string,
  before: string,
  isOwnClause: boolean,
  findKinds: FindKinds,
): boolean {
  const words = foldedWords(object);
  const [first = ""] = words;
  if (PHRASE_END.has(first)) return false;
  const phrase = words.slice(0, firstPhrase(words).end);
  if (findKinds(phrase).length > 0) return true;
  if (isOwnClause) return false;
  // "Earphones that fall out, and want a tougher pair".
  const noun = phrase.at(-1) ?? "";
  if (ARTICLES.has(first) && !onlyAsks(noun)) return true;
  // "Do shoppers want …", whatever it is.
  return !isEmpty(before) && !isEmpty(phrase.join(" ")) &&
    foldedWords(before).every((word) => EMPTY_WORDS.has(word) || isPeople(word));
}

/**
 * What a sentence says that people want, of whom it says other things before: "home cooks with gas stoves are looking for
 * an induction burner". Null where it begins with a product, or where no product is what they want.
 */
function askedByPeople(text: string, findKinds: FindKinds): Clause[] | null {
  let found: { readonly object: string; readonly before: string; readonly from: number } | null =
    null;
  for (const { index, 0: verb } of text.matchAll(WOULD_HAVE)) {
    if (found !== null && GOING_ON.test(text.slice(found.from, index))) break;
    const before = text.slice(0, index).trim();
    const from = index + verb.length;
    // "What they ask for is a shoe".
    const object = text.slice(from).replace(/^(?:is|are)\s+/i, "");
    const isOwnClause = OWN_CLAUSE.test(before);
    const isAsked = !DENIED.test(before) &&
      (isOwnClause || beginsWithPeople(before, SAID_OF_THINGS.test(verb), findKinds)) &&
      mayBeAsked(object, before, isOwnClause, findKinds);
    if (isAsked) found = { object, before, from };
  }
  if (found === null) return null;
  const who = withoutEmptyEnds(found.before);
  return [asking(found.object), ...who === "" ? [] : [telling(who)]];
}

/** What a cleft sentence sets apart, where that is a product; null for none. */
function askedByCleft(text: string, findKinds: FindKinds): Clause[] | null {
  for (const cleft of CLEFTS) {
    const { name = "", more = "", told = "" } = cleft.exec(text)?.groups ?? {};
    if (!namesKind(name, findKinds)) continue;
    return [asking(name + more), ...isEmpty(told) ? [] : [telling(withoutEmptyEnds(told))]];
  }
  return null;
}

/** What the question behind the last comma asks for, if it names a product; null for none. */
function askedLast(text: string, findKinds: FindKinds): Clause[] | null {
  const { told = "", question = "" } = LAST_QUESTION.exec(text)?.groups ?? {};
  if (isEmpty(told)) return null;
  const found = asked(question, findKinds);
  const asks = found.some((one) => one.asks && namesKind(one.text, findKinds));
  return asks ? [...found, telling(withoutEmptyEnds(told))] : null;
}

/** What the words ask for that ask by themselves, from the first of them on: "I'm in the market for a kettle". */
function askedByWords(text: string, findKinds: FindKinds): readonly Clause[] {
  const asIs = (): Clause[] => askedByPeople(text, findKinds) ?? [telling(text)];
  const found = ASKS.exec(text);
  if (found === null) return askedByWhich(text, findKinds) ?? (isEmpty(text) ? [] : asIs());
  const before = text.slice(0, found.index);
  const object = text.slice(found.index + found[0].length);
  if (isEmpty(object)) return isEmpty(before) ? [] : asIs();
  if (isEmpty(before)) {
    // What goes on from a product that was named asks for no other.
    const on = object.search(GOING_ON);
    if (on > 0 && namesKind(object.slice(0, on), findKinds)) return [asking(object)];
    const inside = asked(object, findKinds);
    return inside.some(({ asks }) => asks) ? inside : inside.map((one) => asking(one.text));
  }
  // "We are checking demand for a kettle": who asks, and why, is said before.
  if (ASKS_DEMAND.test(found[0]) && !namesKind(before, findKinds)) {
    return [asking(object), telling(before.trim())];
  }
  return asIs();
}

/** What a clause asks for, followed by what else it says; empty if it does nothing but ask. */
function asked(text: string, findKinds: FindKinds): readonly Clause[] {
  const known = KNOWN_AS.exec(text)?.groups ?? {};
  if (namesKind(known.name ?? "", findKinds)) {
    return [asking(known.name ?? ""), telling(known.told ?? "")];
  }
  const apart = askedByName(text, findKinds) ?? askedByCleft(text, findKinds) ??
    askedLast(text, findKinds);
  if (apart !== null) return apart;
  const { name = "", by = "" } = IS_WANTED.exec(text)?.groups ?? {};
  if (namesKind(name, findKinds)) return [asking(name), ...isEmpty(by) ? [] : [telling(by)]];
  return askedByWords(text, findKinds);
}

/** A clause without a question behind its last comma that only asks: "…, is anyone shopping for one". */
function withoutTag(text: string, findKinds: FindKinds): string {
  const at = text.lastIndexOf(",");
  const isTag = at > 0 && !isEmpty(text.slice(0, at)) &&
    asked(text.slice(at + 1), findKinds).length === 0;
  return isTag ? text.slice(0, at) : text;
}

/** What somebody would make or sell who asks for nothing else; null where anything else is named. */
function made(said: readonly Clause[], findKinds: FindKinds): Clause[] | null {
  const [only, ...others] = said.filter(({ text }) => namesKind(text, findKinds));
  if (only === undefined || others.length > 0 || !MAKES.test(only.text)) return null;
  const object = only.text.replace(MAKES, "");
  // "I make smoothies and my blender jams".
  const [first = ""] = object.split(/\b(?:and|but|my|our|which)\b/i);
  if (!namesKind(first, findKinds)) return null;
  return [asking(object), ...said.filter((one) => one !== only)];
}

/**
 * The last of several sentences that name products which is a question, with its product first: "we sell yarn. Should we
 * add a yarn winder?"; null for none.
 */
function questioned(query: string, findKinds: FindKinds): Clause[] | null {
  const sentences = splitSentences(query);
  const naming = sentences.filter((text) => namesKind(text, findKinds));
  // "Best kettle? Bodum, Smeg" is no sentence.
  const question = naming.findLast((text) =>
    /\?\W*$/.test(text) && foldedWords(text).some((word) => AUXILIARIES.has(word))
  );
  if (naming.length < 2 || question === undefined) return null;
  const [first] = kindsIn(question, findKinds);
  return first === undefined ? null : productFirst(sentences, question, first);
}

/**
 * What begins with a product's name as a title, apart from the sentences behind it that tell of people: "kettle. We drink
 * tea"; null for no such.
 */
function entitled(said: readonly Clause[], findKinds: FindKinds): Clause[] | null {
  const speaks = ({ text }: Clause) => foldedWords(text).some((word) => SPEAKERS.has(word));
  const [first] = said;
  const isTitle = first !== undefined && !speaks(first) && namesKind(first.text, findKinds);
  if (!isTitle || !said.some(speaks)) return null;
  const titles = said.filter((one) => !speaks(one)).map(({ text }) => text);
  return [asking(titles.join("; ")), ...said.filter(speaks)];
}

/** What is left of a query without the words that only ask. */
interface Asked {
  readonly text: string;
  /** Whether its words say what is asked for, rather than only what it speaks of. */
  readonly isSaid: boolean;
}

/**
 * A query without the words that only ask: first what is asked for, then, behind "because", the people who ask and
 * everything else. Unchanged if nothing else is left.
 */
export function withoutAsking(query: string, findKinds: FindKinds): Asked {
  const plain = spelledOut(query, findKinds);
  const found = clausesOf(plain, findKinds)
    .flatMap((text) => asked(withoutTag(text, findKinds), findKinds));
  if (found.length === 0) return { text: plain, isSaid: false };
  const said = found.some(({ asks }) => asks)
    ? found
    : made(found, findKinds) ?? questioned(plain, findKinds) ?? entitled(found, findKinds) ??
      joinedTitle(plain, found, findKinds);
  const wanted = said.filter(({ asks }) => asks)
    .map((one) => withProduct(one, said.filter((other) => other !== one), findKinds));
  const texts = [...wanted, ...said.filter(({ asks }) => !asks)].map(({ text }) => text);
  return { text: texts.join(wanted.length === 0 ? "; " : " because "), isSaid: wanted.length > 0 };
}
