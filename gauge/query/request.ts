/**
 * Parts the words of a query that ask from those that say what is asked for: "find people who want a kettle", "a
 * kettle: who is after one?". It knows words of grammar, of asking and of people; products are told by `findKinds`.
 */
import { type FindKinds, isUnnamed, type KindSpan } from "./head.ts";
import { foldQuery } from "./input.ts";
import {
  ARTICLES,
  EMPTY_WORDS,
  isNoGood,
  isPeople,
  namesService,
  onlyAsks,
  wordSet,
} from "../words/word_classes.ts";

/** A part of a regular expression that is one of these words. */
const anyOf = (words: Iterable<string>): string => `(?:${[...words].join("|")})`;

const EMPTY = anyOf(EMPTY_WORDS);
const ALL_EMPTY = new RegExp(`^(?:${EMPTY}(?:\\s+|$))*$`, "i");
/** What is done with an idea: a clause of these and empty words says nothing, though each may be of a product. */
const CHECKS = anyOf(
  "check test verify confirm gauge measure research concept concepts evidence hypothesis".split(
    " ",
  ),
);
const ONLY_CHECKS = new RegExp(`^\\W*(?:(?:${EMPTY}|${CHECKS})(?:\\s+|$))*$`, "i");

/** What follows a verb that asks, before what is asked for. */
const TO_HAVE = String.raw`\s+to\s+${
  anyOf("buy get purchase find have own order know hear".split(" "))
}(?:\s+(?:hold\s+of|(?:my|our|their)\s+hands\s+on))?`;
/** Verbs of those who would make or sell something, without their endings. */
const MAKE =
  "mak|sell|build|design|launch|develop|manufactur|produc|import|stock|consider|explor|offer|introduc";
/** A verb that asks, with what belongs to it; "want to lace" is not one. */
const ASKS = new RegExp(
  String
    .raw`\b(?:(?:(?:want|need|require)(?:s|ed|ing)?|(?:would|should|['’]d)\s+(?:like|love))(?:${TO_HAVE}|(?!\s+to\b))|` +
    String
      .raw`(?:look|shop|shopp|search|ask)(?:s|ed|ing)?\s+(?:around\s+)?(?:for|into)|looking${TO_HAVE}|seek(?:s|ing)?|` +
    String
      .raw`(?:can['’]?t|cannot|couldn['’]?t|hard\s+to|struggl(?:e|es|ing)\s+to|trouble)\s+find(?:ing)?|` +
    String
      .raw`(?:point|direct)\s+(?:me|us)\s+(?:to|towards?|at)|(?:show|find|recommend|suggest)\s+(?:me|us)|(?<=^\s*|\b(?:am|are)\s+|['’](?:m|re)\s+)looking\s+at|` +
    String
      .raw`where\s+(?:(?:do|can|could|should|would)\s+(?:i|we|you|one|people)|to)\s+(?:find|buy|get)|(?:is|are)\s+there(?=\s+(?:an?|any|some)\b)|` +
    String
      .raw`in\s+(?:need|search)\s+of|in\s+the\s+market\s+for|(?:am|is|are|be|others|anyone|anybody|people|folks|['’]m|['’]re)\s+after|` +
    String
      .raw`(?:demand|market)\s+for|interest(?:ed)?\s+in|(?<!\b(?:for|of|by)\s+)(?:replac|choos|pick|buy)ing(?!\s+up\b))\s+`,
  "i",
);

/**
 * What else says that something would be had, or offered, by those whom a sentence speaks of: verbs of desire (Levin,
 * "English Verb Classes", 32) and of buying, and what a market is said to have.
 */
const WOULD_HAVE = new RegExp(
  String
    .raw`\b(?:(?<!\bwith\s+(?:an?\s+)?)(?:gap|room|call|appetite)|(?<=\b(?:an?|the|any|no)\s+)(?:want|need)|` +
    String.raw`wish|long|yearn|hope|sav(?:e|ing)\s+up)(?:s|es|ed|ing)?\s+for\s+|` +
    String
      .raw`${ASKS.source}|\b(?:(?:buy|purchase|request|hire|prefer|crave|desire|demand)(?:s|ing)?|` +
    String.raw`(?:plan|hop|intend|aim)(?:e|s|es|ed|ing|ning)?${TO_HAVE}|` +
    String
      .raw`(?:swap|trad|exchang|replac)(?:e|es|ed|p?ing)?\s+(?:\S+\s+){1,3}?(?:for|with|by)(?=\s+an?\b)|` +
    String.raw`(?:would|will)\s+(?:(?!not\b|never\b)\S+\s+){1,3}?(?:take|go\s+for)(?=\s+an?\b)|` +
    String
      .raw`(?:would|will)\s+(?:(?!not\b|never\b)\S+\s+){1,2}get(?!\s+(?:\S+\s+){1,3}(?:out|off|from)\b)|pay\s+(?:\S+\s+){0,2}?for|(?:open|switch(?:ing)?)\s+to|` +
    String
      .raw`ask(?:s|ed|ing)?\s+about|rather\s+have|keen\s+on|think(?:ing)?\s+(?:of|about)(?:\s+(?:add|gett|buy|${MAKE})ing(?:\s+\S+sel(?:f|ves))?)?|` +
    String
      .raw`(?:plan(?:s|ning)?|hop(?:e|ing)|think(?:ing)?|going|intend(?:ing)?)\s+(?:to|of|about|on)\s+` +
    String
      .raw`(?:${MAKE}|add)(?:e|ing)?)\s+`,
  "gi",
);
/** Where whoever writes begins a clause after other ones: "my desk is full and now I". */
const OWN_CLAUSE = /(?:[,;.]|\b(?:and|so|but))\s+(?:now\s+)?(?:i|we|they|he|she)$/i;
/** What things do as well. */
const NEEDING = /^(?:need|requir|hir|demand)/i;
/** A denial right before one of these. */
const DENIED =
  /\b(?:not|never|no longer|cannot|can['’]?t|(?:do|does|did|wo)n['’]?t)(?:\s+(?:really|even))?\s*$/i;
/** Words that go on from a product that was named: what they say is no other request. */
const GOING_ON = /\b(?:that|which|so|because|when|if|while|where)\b/i;
/** Where the first phrase of a sentence ends. */
const PHRASE_END = wordSet(
  "who whose that which with without in on at for to from under of are is was were have has had do does will would",
);

/** Who says what they would make or sell, at the beginning of a clause: "we are designing", "I plan to sell". */
const MAKES = new RegExp(
  String
    .raw`^\s*(?:(?:my|our)\s+(?:plan|idea|goal|aim)(?:['’]s|\s+is)|(?:i|we))(?:['’](?:m|re|d|ve)|\s+(?:am|are|would|have|might|could|will))?` +
    String
      .raw`(?:\s+(?:been|like|want|plan(?:ning)?|hop(?:e|ing)|intend(?:ing)?|going|think(?:ing)?|consider(?:ing)?|about|of|to|start))*` +
    String
      .raw`\s+(?:${MAKE})(?:e|ing)?\s+`,
  "i",
);
/** Among whom there is a market: "a market among runners for shoes". */
const AMONG =
  /\b(demand|market|call|interest)\s+(?:among(?:st)?|from|by)\s+[^,;:.?!]*?\s+(?=for\b)/gi;
/** When it is asked; "this year's" and "from last year" say which product. */
const NOW = new RegExp(
  String.raw`(?<!\b(?:from|for|of|in|by|since|than|before)\s*)\s*\b` +
    String
      .raw`(?:right now|these days|nowadays|at the moment|(?:this|last) (?:year|season|month|week))\b(?!['’])`,
  "gi",
);

/** "Is a kettle that whistles wanted by anybody". */
const IS_WANTED =
  /^\s*(?:is|are|would|will|could)\s+((?:an?|the)\s.+?)\s+(?:be\s+)?(?:wanted|needed|welcomed?|asked\s+for|bought|sell|shift|do\s+well|find\s+(?:an?\s+)?(?:buyers?|market))\b(.*)$/i;

/** "A kettle's what I'm after". */
const IS_WHAT =
  /^\s*(.+?)(?:['’]s|\s+(?:is|are))\s+what\s+(?:\S+\s+){1,2}?(?:after|want|need|looking\s+for)\b(.*)$/i;

/** "Is a kettle that whistles something people would buy". */
const IS_SOMETHING =
  /^\s*(?:so\s+)?(?:is|are|would)\s+(\S.*?)\s+(?:be\s+)?(?:something|what|a\s+thing)\s+(?:that\s+)?\S.*$/i;
/** "All that's missing is a kettle", "what I need is a kettle". */
const WHAT_IS =
  /^(.*?)\b(?:all|what)(?:\s+(?:that|i|we))*(?:['’]s|\s+(?:is|am|are))?\s+(?:missing|needed|need|want|wanted|lack|lacking|left|after|looking\s+for)\s+(?:is|are)\s+(.+)$/i;
/** "It's the kettle I need with a lid". */
const IT_IS =
  /^(.*?)\bit['’]?s\s+(\S.*?)\s+(?:that\s+)?(?:i|we)(?:['’]m|['’]re|\s+am|\s+are)?\s+(?:need|want|lack|after|looking\s+for)\b(.*)$/i;

/** Words by which demand itself is asked about. */
const DEMAND = /^(?:demand|market|interest)\b/i;

/** A dash or bar between words, as titles of shops have it. */
const DASH = String.raw`\s+[-–—|]+\s+`;
/** What divides a query into clauses. */
const CLAUSES = new RegExp(String.raw`[;:?!]+(?:\s+|$)|(?<=\w\w)\.(?:\s+|$)|${DASH}`);
/** A title up to the first dash behind its product. */
const TITLE_BREAK = new RegExp(String.raw`^[^;:?!]*?\S${DASH}`);
/** People that are products as well: before what they want they are people. */
const ALSO_PRODUCTS = wordSet("drivers trainers walkers");
/** "Which kettle suits that?", "what kettle should I get". */
const WHICH =
  /^\s*(?:which|what)\s+(.+?)\s+(?:suits?|fits?|works?|is|are|would|should|do|does|can|could|will)(\s.*)?$/i;

/**
 * "My tea gets cold, so which kettle do you all use?": what comes before, the product, and the rest of a question, where
 * it is one: "which fits in a bag" is none.
 */
const WHICH_AFTER = new RegExp(
  String.raw`^(.*\w)(?<!\b(?:in|for|of|with|to|on|by|at|from|know|matter))\W+(?:which|what)\s+` +
    String.raw`(\S+(?:\s+\S+){0,4}?)(?:\s+(?:would|should|do|does|did|can|could|will|is|are)\s+` +
    String.raw`(?=(?:i|we|you|people|folks|they|one|anyone|everyone|best|better|the)\b)(.*))?$`,
  "i",
);
/** The same behind a comma, whatever its verb: "…, which kettle really keeps tea hot", "…, any kettles that whistle". */
const WHICH_BESIDE = /^(.*\w)[,;]\s*(?:so\s+|and\s+)?(which|what|any)\s+(.+)$/i;

/** "…, which one is best", of what was named before. */
const WHICH_ONE = /^(.*\w)\W+(?:which|what|who\s+\w+s)(?:['’]?s)?\s+ones?\b(?:['’]?s\b)?(.*)$/i;

/** What a relative clause stands behind, beside a product and what has no name. */
const POINTING = wordSet("one ones that this it");
/** A verb that goes on from it: "which holds a phone". */
const GOES_ON = /(?:[^s]s|ed)$/;

/** "…, and ask which kettle to get". */
const WHICH_TO_GET = /^(.*?)\b(?:which|what)\s+(.+?)\s+to\s+(?:get|buy|choose|pick)\b(.*)$/i;

interface Clause {
  readonly text: string;
  readonly asks: boolean;
}

const isEmpty = (text: string): boolean => ALL_EMPTY.test(text.replaceAll(/['’]/g, "").trim());

/** Why a query asks for no product: it is about one that somebody has, or says that none is wanted. */
export type Unasked = "owned" | "unwanted";

const QUESTION = wordSet("how why when where what whats");
const AUXILIARY = wordSet(
  "is are was were do does did has have had can could should would will might must isnt arent wont doesnt dont cant to",
);
const PRONOUN = wordSet(
  "i we you he she they one someone somebody anyone anybody everyone everybody people",
);
/** Words by which people speak of themselves or of others. */
const SPEAKERS = new Set([...PRONOUN, ...wordSet("im id ive were weve my our")]);
const OWN = wordSet("my our his her their this these");
const DENYING = wordSet("dont not never doesnt didnt stop");
/** Verbs of a question that asks for a product after all: "how do I choose a kettle". */
const CHOOSING = wordSet(
  "buy get find choose pick select order purchase have own want need afford shop recommend suggest replace upgrade try",
);
/** Words between "my" and the product: "my old road bike". */
const MOST_BETWEEN = 2;
/** How a product that somebody has is called by its age or state, before its name of three words at most. */
const HAD = new RegExp(
  String.raw`\b(my|our|his|her|their)\s+` +
    String
      .raw`(?:(?:old|current|existing|previous|last|present|broken|dead|dying)\s+)+((?:[\w-]+\s*){1,3})`,
  "gi",
);
/** Words that only say how many, or of what sort, what follows is: "a line of", "pairs of". */
const PARTITIVE = new RegExp(
  String
    .raw`\b(?:one\s+of\s+(?:those|these|the)\s+|(?:(?:an?|the|any|some|new)\s+)*(?:pair|kind|type|sort|couple|number|line|range|piece|length|shade|series|` +
    String.raw`collection|selection|brand|style|variety)s?\s+of\s+)(?=[a-z])`,
  "gi",
);
/** What something is called, behind what it does: "appliances which dry food, known as dehydrators". */
const KNOWN_AS =
  /^(.*?),?\s+(?:(?:also|commonly|usually|often)\s+)?(?:known|sold|referred\s+to)\s+as\s+(.+)$/i;
/** What stands for a product that another clause names. */
const STANDING = /^(?:one|some|any|it|them)\b(?!\s+of\b)/i;
/** How long what a query is called may be, before a colon: "consumer need assessment: …". */
const MOST_TITLE = 4;

/** How titles of shops are written. */
const TITLE_MARKS: readonly (readonly [RegExp, string])[] = [
  [/\bw\/o(?:ut)?\b\.?\s*/gi, "without "],
  [/(?<![&\d]\s*)\bw\/\s*(?=[a-z]{2})/gi, "with "],
  [/(?<=[a-z]{3})\/(?=[a-z]{3})|\s+\/\s+/gi, " or "],
];

/** Whether a product is named at `at`, behind its article and at most two words. */
function isProductAt(spans: readonly KindSpan[], at: number): boolean {
  return spans.some(({ start }) => start >= at && start <= at + MOST_BETWEEN);
}

/**
 * Whether a question is about a product and not for one, by its subject and object: "is my laptop broken", "how do I fix
 * a bike". The object of "can I" must be owned: "could I use a laptop" may be for one.
 */
function isAboutOwned(words: readonly string[], spans: readonly KindSpan[]): boolean {
  const asking = words.findIndex((word) => QUESTION.has(word));
  const isEmptyBefore = (at: number) => words.slice(0, at).every((word) => EMPTY_WORDS.has(word));
  const isHow = asking >= 0 && isEmptyBefore(asking) && words[asking] === "how";
  const from = asking >= 0 && isEmptyBefore(asking) ? asking + 1 : 0;
  if (!AUXILIARY.has(words[from] ?? "")) return false;
  const isOwned = (at: number): boolean =>
    (OWN.has(words[at] ?? "") || (isHow && ARTICLES.has(words[at] ?? ""))) &&
    isProductAt(spans, at + 1);
  if (isOwned(from + 1)) return true;
  const verb = PRONOUN.has(words[from + 1] ?? "") ? from + 2 : from + 1;
  const isVerb = verb > from + 1 || words[from] === "to";
  return isVerb && !CHOOSING.has(words[verb] ?? "") &&
    (isOwned(verb + 1) || (isHow && spans.some(({ start }) => start === verb + 1)));
}

/** Whether words deny to ask for what they name, and say nothing else: "don't recommend me a laptop". */
function isUnwanted(words: readonly string[], spans: readonly KindSpan[]): boolean {
  const at = words.findIndex((word) => DENYING.has(word));
  const [product, ...others] = spans;
  if (at < 0 || product === undefined || others.length > 0 || product.start < at + 2) return false;
  const between = words.slice(at + 1, product.start);
  // "I don't know which kettle to get".
  if (between.some((word) => word === "which" || QUESTION.has(word))) return false;
  const rest = [...words.slice(0, product.start), ...words.slice(product.end)];
  return rest.every((word) => DENYING.has(word) || EMPTY_WORDS.has(word)) &&
    between.some(onlyAsks);
}

/** Why a query asks for no product; null where one of its clauses may. */
export function unaskedBy(query: string, findKinds: FindKinds): Unasked | null {
  const clauses = query.split(CLAUSES).filter((text) => !isEmpty(text));
  const reasons = clauses.map((text): Unasked | null => {
    const words = foldQuery(text).split(" ");
    const spans = findKinds(words);
    return isAboutOwned(words, spans) ? "owned" : isUnwanted(words, spans) ? "unwanted" : null;
  });
  return reasons.includes(null) ? null : reasons[0] ?? null;
}

/** Whether words name a kind of product anywhere. */
export const namesKind = (text: string, findKinds: FindKinds): boolean =>
  findKinds(foldQuery(text).split(" ")).length > 0;

/**
 * The words of the first phrase, behind those that ask: "do remote workers with two laptops" begins with "remote workers".
 * It ends with the first people that it names: "anglers wanting a lamp".
 */
function firstPhrase(words: readonly string[]): { readonly from: number; readonly end: number } {
  const found = words.findIndex((word) => !EMPTY_WORDS.has(word) || isPeople(word));
  const from = found < 0 ? words.length : found;
  const after = words.slice(from);
  const end = after.findIndex((word, i) => i > 0 && PHRASE_END.has(word));
  const people = after.findIndex(isPeople);
  const length = people >= 0 && (end < 0 || people < end)
    ? people + 1
    : end < 0
    ? after.length
    : end;
  return { from, end: from + length };
}

/**
 * What a sentence says that people want, of whom it says other things before: "home cooks with gas stoves are looking for
 * an induction burner". Null where it begins with a product, or where no product is what they want.
 */
function askedByPeople(text: string, findKinds: FindKinds): Clause[] | null {
  let found: { readonly object: string; readonly before: string; readonly from: number } | null =
    null;
  for (const verb of text.matchAll(WOULD_HAVE)) {
    const before = text.slice(0, verb.index).trim();
    if (found !== null && GOING_ON.test(text.slice(found.from, verb.index))) break;
    const from = verb.index + verb[0].length;
    // "What they ask for is a shoe".
    const object = text.slice(from).replace(/^(?:is|are)\s+/i, "");
    const mayBeThing = NEEDING.test(verb[0]);
    const isClause = OWN_CLAUSE.test(before);
    if (DENIED.test(before) || !(isClause || arePeople(before, mayBeThing, findKinds))) continue;
    const words = foldQuery(object).split(" ");
    const [first = ""] = words;
    const phrase = words.slice(0, firstPhrase(words).end);
    const noun = phrase.at(-1) ?? "";
    const isNamed = findKinds(phrase).length > 0;
    // "Earphones that fall out, and want a tougher pair".
    const isAgain = onlyAsks(noun) || noun === "pair";
    // "Do shoppers want …", whatever it is.
    const isOnlyAsked = foldQuery(before).split(" ").every((word) =>
      EMPTY_WORDS.has(word) || isPeople(word)
    ) && !isEmpty(before) && !isEmpty(phrase.join(" "));
    if (isClause && !isNamed) continue;
    if (PHRASE_END.has(first) || !(isNamed || isOnlyAsked || (ARTICLES.has(first) && !isAgain))) {
      continue;
    }
    found = { object, before, from };
  }
  if (found === null) return null;
  const { object, before } = found;
  const who = withoutEmptyEnds(before);
  return [{ text: object, asks: true }, ...who === "" ? [] : [{ text: who, asks: false }]];
}

/** A text without the words at both ends that only ask, but for people: "find women who are". */
function withoutEmptyEnds(text: string): string {
  const words = text.trim().split(/\s+/);
  const says = (word: string): boolean => !isEmpty(word) || isPeople(word);
  return words.slice(words.findIndex(says), words.findLastIndex(says) + 1).join(" ").replace(
    /,$/,
    "",
  );
}

/** Whether a sentence begins with people: with those who write it, with whoever does something, or at least with no product. */
function arePeople(before: string, mayBeThing: boolean, findKinds: FindKinds): boolean {
  const words = foldQuery(before).split(" ");
  const { from, end } = firstPhrase(words);
  const last = words[end - 1] ?? "";
  if (words.slice(0, from + 1).some((word) => SPEAKERS.has(word))) return true;
  // "A gift for my wife who wants to read".
  const forWhom = words.indexOf("for", from + 1);
  if (forWhom > 0 && words.slice(forWhom).some((word) => /^(?:who|that)$/.test(word))) return false;
  if (/^who(?:se)?$/.test(words[end] ?? "") || ALSO_PRODUCTS.has(last)) return true;
  // "Is there a gap for one".
  if (/\bthere\b[^,]*$/i.test(before)) return true;
  const phrase = words.slice(from, end);
  // Laptops need batteries; "welders" that want a helmet are people.
  if (!mayBeThing && end - from === 1 && end === words.length && isPeople(last)) return true;
  return (isPeople(last) || !namesService(last)) && !isNoGood(last) &&
    findKinds(phrase).every((span) => span.end < phrase.length);
}

/** Whether a text ends with a product or what stands for one, from which "which" goes on: "a tent which fits". */
function endsWithProduct(text: string, findKinds: FindKinds): boolean {
  const words = foldQuery(text).split(" ");
  const last = words.at(-1) ?? "";
  return isUnnamed(last) || POINTING.has(last) ||
    findKinds(words).some(({ end }) => end === words.length);
}

/** Whether "which" goes on from what stands before it: "a tent which fits in a backpack". */
function isRelative(before: string, name: string, findKinds: FindKinds): boolean {
  const [first = ""] = foldQuery(name).split(" ");
  return AUXILIARY.has(first) || GOES_ON.test(first) || endsWithProduct(before, findKinds);
}

/** The product that a text names last, with what stands before it: "bivy bag" of "rain soaks my bivy bag"; "" for none. */
function lastProduct(text: string, findKinds: FindKinds): string {
  const words = foldQuery(text).split(" ");
  const last = findKinds(words).at(-1);
  if (last === undefined) return "";
  const before = words.slice(Math.max(0, last.start - MOST_BETWEEN), last.start);
  const from = before.findLastIndex((word) => EMPTY_WORDS.has(word) || PHRASE_END.has(word)) + 1;
  return [...before.slice(from), ...words.slice(last.start, last.end)].join(" ");
}

/** The product that `name` names: of "analog one" the last that was named before; "" for none. */
function namedAs(name: string, before: string, findKinds: FindKinds): string {
  const named = foldQuery(name).split(" ");
  if (findKinds(named).some(({ end }) => end === named.length)) return name;
  const product = lastProduct(before, findKinds);
  const [, how = ""] = /^(.+?)\s+ones?$/i.exec(name) ?? [];
  return product === "" || how === "" || isEmpty(how) ? "" : `${how} ${product}`;
}

/** The words up to the first product, where it is named soon: "really good LED lamps" of "… are made for tanks"; "" for none. */
function beginningProduct(text: string, findKinds: FindKinds): string {
  const words = text.split(/\s+/);
  const folded = words.map(foldQuery);
  const first = findKinds(folded).at(0);
  const isSoon = first !== undefined && first.start <= MOST_BETWEEN &&
    folded.slice(0, first.start).every((word) => !AUXILIARY.has(word) && !PHRASE_END.has(word));
  return isSoon ? words.slice(0, first.end).join(" ") : "";
}

/** A clause that asks for "one", with the product that another clause names in its place. */
function named({ text, asks }: Clause, others: readonly Clause[], findKinds: FindKinds): Clause {
  const product = others.map((other) => lastProduct(other.text, findKinds)).find((name) =>
    name !== ""
  );
  return !asks || product === undefined || namesKind(text, findKinds)
    ? { text, asks }
    : { text: text.replace(STANDING, product), asks };
}

/** What "which" and the like ask for, wherever they stand; null where nothing does. */
function askedByWhich(text: string, findKinds: FindKinds): Clause[] | null {
  const [, first = "", got = "", last = ""] = WHICH_TO_GET.exec(text) ?? [];
  if (got !== "" && !isEmpty(got)) {
    return [
      { text: got + last, asks: true },
      ...isEmpty(first) ? [] : [{ text: first, asks: false }],
    ];
  }
  const [, lead = "", name = "", tail] = WHICH_AFTER.exec(text) ?? [];
  const isQuestion = lead !== "" && !isEmpty(lead) &&
    (tail !== undefined || !isRelative(lead, name, findKinds));
  const which = isQuestion ? namedAs(name, lead, findKinds) : "";
  if (which !== "") {
    const said = `${lead.replace(/\W+so$/i, "")} ${tail?.trim() ?? ""}`.trim();
    return [{ text: which, asks: true }, { text: said, asks: false }];
  }
  const [, before = "", asking = "", other = ""] = WHICH_BESIDE.exec(text) ?? [];
  const beside = beginningProduct(other, findKinds);
  const goesOn = /^which$/i.test(asking) && endsWithProduct(before, findKinds);
  if (beside !== "" && !isEmpty(before) && !goesOn) {
    const more = other.slice(beside.length);
    const joined = PHRASE_END.has(foldQuery(more).split(" ")[0] ?? "") ? more : ` that${more}`;
    return [{ text: beside + joined, asks: true }, { text: before, asks: false }];
  }
  const [, toldOf = "", how = ""] = WHICH_ONE.exec(text) ?? [];
  const one = lastProduct(toldOf, findKinds);
  if (one !== "") return [{ text: `${one} that${how}`, asks: true }, { text: toldOf, asks: false }];
  const [, named = "", rest = ""] = WHICH.exec(text) ?? [];
  if (named === "" || isEmpty(named)) return null;
  if (isEmpty(rest)) return [{ text: named, asks: true }];
  return beginningProduct(named, findKinds) === named
    ? [{ text: `${named} that${rest}`, asks: true }]
    : null;
}

/** What a clause asks for, followed by the people who ask; empty if it does nothing but ask. */
function asked(text: string, findKinds: FindKinds): Clause[] {
  const [, told = "", called = ""] = KNOWN_AS.exec(text) ?? [];
  if (namesKind(called, findKinds)) {
    return [{ text: called, asks: true }, { text: told, asks: false }];
  }
  const [, what = "", more = ""] = IS_WHAT.exec(text) ?? [];
  if (namesKind(what, findKinds) && !/\bfor\W*$/i.test(more)) {
    return [{ text: what + more, asks: true }];
  }
  const [, something = ""] = IS_SOMETHING.exec(text) ?? [];
  if (namesKind(something, findKinds)) return [{ text: something, asks: true }];
  for (const form of [WHAT_IS, IT_IS]) {
    const [, before = "", missing = "", more = ""] = form.exec(text) ?? [];
    if (!namesKind(missing, findKinds)) continue;
    const others = isEmpty(before) ? [] : [{ text: withoutEmptyEnds(before), asks: false }];
    return [{ text: missing + more, asks: true }, ...others];
  }
  const inTail = askedInTail(text, findKinds);
  if (inTail !== null) return inTail;
  const [, wanted = "", by = ""] = IS_WANTED.exec(text) ?? [];
  if (wanted !== "" && namesKind(wanted, findKinds)) {
    return [{ text: wanted, asks: true }, ...isEmpty(by) ? [] : [{ text: by, asks: false }]];
  }
  const asIs = isEmpty(text) ? [] : askedByPeople(text, findKinds) ?? [{ text, asks: false }];
  const found = ASKS.exec(text);
  if (found === null) return askedByWhich(text, findKinds) ?? asIs;
  const before = text.slice(0, found.index);
  const object = text.slice(found.index + found[0].length);
  if (isEmpty(object)) return isEmpty(before) ? [] : asIs;
  if (isEmpty(before)) {
    // What goes on from a product that was named asks for no other.
    const on = object.search(GOING_ON);
    if (on > 0 && namesKind(object.slice(0, on), findKinds)) return [{ text: object, asks: true }];
    const inside = asked(object, findKinds);
    return inside.some(({ asks }) => asks)
      ? inside
      : inside.map((clause) => ({ ...clause, asks: true }));
  }
  // "We are checking demand for a kettle": who asks, and why, is said before.
  if (DEMAND.test(found[0]) && !namesKind(before, findKinds)) {
    return [{ text: object, asks: true }, { text: before.trim(), asks: false }];
  }
  return asIs;
}

/** A question of its own behind a comma: "I have a freezer and knives, do people want a mincer". */
const TAIL =
  /^(.*\w),\s*((?:(?:and|so|but)\s+)?(?:do|does|did|is|are|would|will|could|can|has|have)\b[^,]*)$/i;

/** What the question behind the last comma asks for, if it names a product; null for none. */
function askedInTail(text: string, findKinds: FindKinds): Clause[] | null {
  const [, before = "", question = ""] = TAIL.exec(text) ?? [];
  if (question === "" || isEmpty(before)) return null;
  const found = asked(question, findKinds);
  const asks = found.some((one) => one.asks && namesKind(one.text, findKinds));
  return asks ? [...found, { text: withoutEmptyEnds(before), asks: false }] : null;
}

/** A clause without a question behind its last comma that only asks: "…, is anyone shopping for one". */
function withoutTag(text: string, findKinds: FindKinds): string {
  const at = text.lastIndexOf(",");
  const isTag = at > 0 && !isEmpty(text.slice(0, at)) &&
    asked(text.slice(at + 1), findKinds).length === 0;
  return isTag ? text.slice(0, at) : text;
}

/** What somebody would make or sell who asks for nothing else; undefined where anything else is named. */
function madeOf(said: readonly Clause[], findKinds: FindKinds): Clause[] | undefined {
  const naming = said.filter(({ text }) => namesKind(text, findKinds));
  const [only, ...others] = naming;
  const made = only?.text.replace(MAKES, "") ?? "";
  if (only === undefined || others.length > 0 || made === only.text) return undefined;
  // "I make smoothies and my blender jams".
  const [first = ""] = made.split(/\b(?:and|but|my|our|which)\b/i);
  if (!namesKind(first, findKinds)) return undefined;
  return [{ text: made, asks: true }, ...said.filter((one) => one !== only)];
}

/** Whether words begin with a product's whole name: "phone screen" is not one of a phone. */
const beginsWithProduct = (words: readonly string[], findKinds: FindKinds): boolean =>
  findKinds(words).some(({ start, end }) =>
    start === 0 && (end === words.length || EMPTY_WORDS.has(words[end] ?? ""))
  );

/** A title that names a product before a dash: what stands behind it says more of the product. */
function titled(query: string, said: readonly Clause[], findKinds: FindKinds): readonly Clause[] {
  const [first, ...others] = said;
  return first !== undefined && others.length > 0 && TITLE_BREAK.test(query) &&
      namesKind(first.text, findKinds)
    ? [{ text: said.map(({ text }) => text).join(" with "), asks: true }]
    : said;
}

/** A query without what it is called, where that checks or asks, names no product, and what follows does. */
function withoutTitle(query: string, findKinds: FindKinds): string {
  const [, title = "", rest = ""] = /^([^:]+):\s+(.+)$/.exec(query) ?? [];
  const words = title.trim().split(/\s+/);
  const isTitle = words.length <= MOST_TITLE && words.some((word) => ONLY_CHECKS.test(word));
  return isTitle && !namesKind(title, findKinds) && namesKind(rest, findKinds) ? rest : query;
}

/**
 * A query without the words that only ask: first what is asked for, then, behind "because", the people who ask and
 * everything else. Unchanged if nothing else is left.
 */
export function withoutAsking(query: string, findKinds: FindKinds): string {
  const plain = TITLE_MARKS.reduce((text, [mark, words]) => text.replaceAll(mark, words), query)
    .replaceAll(
      HAD,
      (all, whose: string, named: string) =>
        beginsWithProduct(foldQuery(named).split(" "), findKinds) ? `${whose} ${named}` : all,
    );
  const clauses = withoutTitle(
    plain.replace(NOW, "").replaceAll(PARTITIVE, "").replaceAll(AMONG, "$1 "),
    findKinds,
  )
    .split(CLAUSES).filter((text) => text.trim() !== "");
  const saying = clauses.filter((text) => !ONLY_CHECKS.test(text.trim()));
  const found = (saying.length > 0 ? saying : clauses)
    .map((text) => withoutTag(text, findKinds)).flatMap((text) => asked(text, findKinds));
  if (found.length === 0) return plain;
  const said = found.some(({ asks }) => asks)
    ? found
    : madeOf(found, findKinds) ?? titled(plain, found, findKinds);
  const asking = said.filter(({ asks }) => asks).map((one) =>
    named(one, said.filter((other) => other !== one), findKinds)
  );
  const texts = [...asking, ...said.filter(({ asks }) => !asks)].map(({ text }) => text);
  return texts.join(asking.length === 0 ? "; " : " because ");
}
