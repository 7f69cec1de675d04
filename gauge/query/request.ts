/**
 * Parts the words of a query that ask from those that say what is asked for: "find people who want a kettle", "a
 * kettle: who is after one?". It knows English grammar's closed word classes alone, and no products.
 */
import type { FindKinds, KindSpan } from "./head.ts";
import { foldQuery } from "./input.ts";
import { EMPTY_WORDS, onlyAsks, wordSet } from "../words/word_classes.ts";

/** A part of a regular expression that is one of these words. */
const anyOf = (words: Iterable<string>): string => `(?:${[...words].join("|")})`;

const EMPTY = anyOf(EMPTY_WORDS);
const ALL_EMPTY = new RegExp(`^(?:${EMPTY}(?:\\s+|$))*$`, "i");

/** What follows a verb that asks, before what is asked for. */
const TO_HAVE = String.raw`\s+to\s+${
  anyOf("buy get purchase find have own order know hear".split(" "))
}(?:\s+(?:hold\s+of|(?:my|our|their)\s+hands\s+on))?`;
/** A verb that asks, with what belongs to it; "want to lace" is not one. */
const ASKS = new RegExp(
  String
    .raw`\b(?:(?:(?:want|need|require)(?:s|ed|ing)?|(?:would|['’]d)\s+(?:like|love))(?:${TO_HAVE}|(?!\s+to\b))|` +
    String
      .raw`(?:look|shop|shopp|search|ask)(?:s|ed|ing)?\s+(?:for|into)|looking${TO_HAVE}|seek(?:s|ing)?|` +
    String
      .raw`in\s+(?:need|search)\s+of|in\s+the\s+market\s+for|(?:am|is|are|['’]m|['’]re)\s+after|` +
    String
      .raw`(?:demand|market)\s+for|interest(?:ed)?\s+in|(?<!\b(?:for|of|by)\s+)(?:replac|choos|pick|buy)ing(?!\s+up\b))\s+`,
  "i",
);

/** Who says what they would make or sell, at the beginning of a clause: "we are designing", "I plan to sell". */
const MAKES = new RegExp(
  String.raw`^\s*(?:i|we)(?:['’](?:m|re|d|ve)|\s+(?:am|are|would|have|might|could|will))?` +
    String
      .raw`(?:\s+(?:been|like|want|plan(?:ning)?|hop(?:e|ing)|intend(?:ing)?|going|think(?:ing)?|consider(?:ing)?|about|of|to|start))*` +
    String
      .raw`\s+(?:mak|sell|build|design|launch|develop|manufactur|produc|import|stock)(?:e|ing)?\s+`,
  "i",
);
/** When it is asked; "this year's" and "from last year" say which product. */
const NOW = new RegExp(
  String.raw`(?<!\b(?:from|for|of|in|by|since|than|before)\s*)\s*\b` +
    String
      .raw`(?:right now|these days|nowadays|at the moment|(?:this|last) (?:year|season|month|week))\b(?!['’])`,
  "gi",
);

/** Words by which demand itself is asked about. */
const DEMAND = /^(?:demand|market|interest)\b/i;

/** What divides a query into clauses. */
const CLAUSES = /[;:?!]+(?:\s+|$)|(?<=\w\w)\.(?:\s+|$)|\s+[-–—]+\s+/;
/** The people who ask, before "who want": "women with big hands". */
const WHO = new RegExp(
  String
    .raw`^(?:${EMPTY}\s+)*((?:(?!\bfor\b).)+?)\s+who(?:\s+(?:is|are|do|does|would|will|might|also|currently))*\s*$`,
  "i",
);
/** The people who ask, in a question: "do women", "which dog owners", but not "which bags do cyclists". */
const SUBJECT = new RegExp(
  String
    .raw`^(?:do|does|did|(?:which|what|how\s+many)(?!.*\b(?:do|does|did|should|is|are|can)\b))\s+(.+?)\s*$`,
  "i",
);

const PERSONS = String
  .raw`\S*(?:ers|ors|ists|ians|people|men|women|students|parents|fans|couples)$`;
/** Words that name people who ask, without "who": "drivers replacing their radio", "guitarists shopping for an echo". */
const PEOPLE = new RegExp(String.raw`^(?:(?!for\b|with\b|of\b)\S+\s+){0,3}?${PERSONS}`, "i");
const PERSON = new RegExp(`^${PERSONS}`, "i");

/** Whether a word names people by what they do or are: "musicians". */
export const isPeople = (word: string): boolean => PERSON.test(word);

/** Those of them that are products as well: before "replacing" they are people. */
const ALSO_PRODUCTS = wordSet("drivers trainers walkers");
/** What people do who ask. */
const ASKING = /^(?:look|shopp?|search|seek|ask|replac|choos|pick|buy)ing\b/i;

/** "Which kettle suits that?", "what kettle should I get". */
const WHICH =
  /^\s*(?:which|what)\s+(.+?)\s+(?:suits?|fits?|works?|is|are|would|should|do|does|can|could|will)(\s.*)?$/i;

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
const PRONOUN = wordSet("i we you he she they one someone somebody anyone people");
const OWN = wordSet("my our his her their this these");
const ARTICLE = wordSet("a an the");
const DENYING = wordSet("dont not never doesnt didnt stop");
/** Verbs of a question that asks for a product after all: "how do I choose a kettle". */
const CHOOSING = wordSet(
  "buy get find choose pick select order purchase have own want need afford shop recommend suggest replace upgrade try",
);
/** Words between "my" and the product: "my old road bike". */
const MOST_BETWEEN = 2;

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
    (OWN.has(words[at] ?? "") || (isHow && ARTICLE.has(words[at] ?? ""))) &&
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
  const rest = [...words.slice(0, product.start), ...words.slice(product.end)];
  return rest.every((word) => DENYING.has(word) || EMPTY_WORDS.has(word)) &&
    words.slice(at + 1, product.start).some(onlyAsks);
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

/** Words after which a product is described. */
const TELLING = new Set(
  "for with without that which to in on under over of from by and or".split(" "),
);

/** Whether words name a product: in "laptops for students who need a long battery life" the students ask for nothing. */
function namesProduct(text: string, findKinds: FindKinds): boolean {
  const words = foldQuery(text).split(" ");
  return findKinds(words).some(({ end }) => end === words.length || TELLING.has(words[end] ?? ""));
}

/** What a clause asks for, followed by the people who ask; empty if it does nothing but ask. */
function asked(text: string, findKinds: FindKinds): Clause[] {
  const asIs = isEmpty(text) ? [] : [{ text, asks: false }];
  const found = ASKS.exec(text);
  if (found === null) {
    const [, first = "", got = "", last = ""] = WHICH_TO_GET.exec(text) ?? [];
    if (got !== "" && !isEmpty(got)) {
      return [
        { text: got + last, asks: true },
        ...isEmpty(first) ? [] : [{ text: first, asks: false }],
      ];
    }
    const [, named = "", rest = ""] = WHICH.exec(text) ?? [];
    return named === "" || isEmpty(named) || !isEmpty(rest) ? asIs : [{ text: named, asks: true }];
  }
  const before = text.slice(0, found.index);
  const object = text.slice(found.index + found[0].length);
  if (isEmpty(object)) return isEmpty(before) ? [] : asIs;
  if (isEmpty(before)) {
    return asked(object, findKinds).map((clause) => ({ ...clause, asks: true }));
  }
  // "We are checking demand for a kettle": who asks, and why, is said before.
  if (DEMAND.test(found[0]) && !namesKind(before, findKinds)) {
    return [{ text: object, asks: true }, { text: before.trim(), asks: false }];
  }
  const people = ASKING.test(found[0]) && PEOPLE.test(before.trim()) ? before.trim() : undefined;
  const who = people ?? WHO.exec(before)?.[1] ?? SUBJECT.exec(before)?.[1];
  if (who === undefined || isEmpty(who)) return asIs;
  if (!ALSO_PRODUCTS.has(who.toLowerCase()) && namesProduct(who, findKinds)) return asIs;
  return [{ text: object, asks: true }, { text: who, asks: false }];
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
  if (!namesKind(made, findKinds)) return undefined;
  return [{ text: made, asks: true }, ...said.filter((one) => one !== only)];
}

/**
 * A query without the words that only ask: first what is asked for, then, behind "because", the people who ask and
 * everything else. Unchanged if nothing else is left.
 */
export function withoutAsking(query: string, findKinds: FindKinds): string {
  const found = query.replace(NOW, "").split(CLAUSES).filter((text) => text.trim() !== "")
    .map((text) => withoutTag(text, findKinds)).flatMap((text) => asked(text, findKinds));
  if (found.length === 0) return query;
  const said = found.some(({ asks }) => asks) ? found : madeOf(found, findKinds) ?? found;
  const asking = said.filter(({ asks }) => asks);
  const texts = [...asking, ...said.filter(({ asks }) => !asks)].map(({ text }) => text);
  return texts.join(asking.length === 0 ? "; " : " because ");
}
