/** Which quotes a card shows, and what of its counts they bear out. */
import type { ShownStatement } from "../../db/corpus/wants.ts";
import { type CardFacts, factsOnly, stemOf } from "../opportunities/facts.ts";
import { lexicon } from "../lexicon/lexicon.ts";
import { phraseWords } from "../lexicon/tokens.ts";
import { valuesOf } from "../opportunities/ids.ts";
import { LEAST_COUNTED } from "../opportunities/statements.ts";
import { productNamed } from "./text_noun.ts";

/** Most quotes of a card. */
const MOST = 8;
/** A quote that shows less than this states the want and does not ask for it. */
const SHOWN = 560;
/** A post that states the want less surely than this is counted and not shown (docs/opportunities.md has how many hold). */
const SURE = 0.6;
/** Where fewer of the posts may be shown, what is counted is not what authors want: a form's words, or a choice. */
const FIT = 0.25;
/** What is told beside the want is stated at least so surely. */
const STATED = 0.45;
/** Of those who seem to state the want this share does, by the certainties of what is read. */
const HOLDS = 0.48;
/** What certainty is worth in a quote, beside how well its sentence shows the want (0-1000). */
const CERTAIN = 1_000;
/** What it is worth in a quote that its post states another thing that the card tells. */
const BEARS_OUT = 60;
/** The card names something beside the want where so many of the posts shown state it, so that readers find it there. */
const BORNE_OUT = 2;
/** What is told is stated in its authors' own words by this share of the posts that seem to state it. */
const OWN_WORDS = 0.75;

type StatedFact = ShownStatement["facts"][number];

/**
 * The posts with those facts alone that are their authors' own words. What stands in a label, a question or a tag
 * that two posts share is a form's, and says no more of who answers than that it was filled in. What only names the
 * product is none of its properties ("light" of a flashlight), and what stands before another product's is that one's
 * ("a quiet fan" of a server). A product that they have, weigh or turned down has a name ("a rack" is none), which
 * for a rival is not another kind's ("AMD processor" beside a server).
 */
export function ownWords(
  kind: string,
  products: readonly string[],
  statements: readonly ShownStatement[],
): ShownStatement[] {
  const names = new Set([kind, ...products].map(nounOfName));
  const passages = statements.map(({ text }) => passagesOf(text));
  const forms = shared(passages.map((list) => list.map(({ words }) => words)));
  return statements.map((one, i) => {
    const form = passages[i]?.filter(({ words }) => forms.has(words)) ?? [];
    return {
      ...one,
      facts: one.facts.filter((fact) =>
        (ROLES.has(fact.t)
          ? isNamed(one, fact) && (fact.t === "owned" || !isOfAnotherKind(one, fact, names))
          : !isOfName(one, fact, names) && !isOfAnother(one, fact, names)) &&
        !form.some(({ start, end }) => start <= fact.s && fact.s < end)
      ),
    };
  });
}

/** Whether most of the posts that seem to state the value do so in their own words. */
export function saidByAuthors(
  value: string,
  statements: readonly ShownStatement[],
  own: readonly ShownStatement[],
): boolean {
  const all = stating(statements, value, LEAST_COUNTED);
  return all < BORNE_OUT || stating(own, value, LEAST_COUNTED) >= OWN_WORDS * all;
}

/** Whether so many of the posts that seem to state the value do, by what the reader is sure of, that its counts mean it. */
export function holds(value: string, statements: readonly ShownStatement[]): boolean {
  const sure = statements.flatMap((one) => factOf(one, value)?.c ?? []);
  return sure.reduce((sum, c) => sum + c, 0) >= HOLDS * sure.length;
}

/**
 * The quotes that show the want best and most surely, those first whose posts state most of what the card tells:
 * who reads them is to find the card borne out. None is a form's answer, or would take one thing or another; there is
 * none at all where fewer than `FIT` of the posts may be shown. The statements are those of `ownWords`.
 */
export function chooseEvidence(
  value: string,
  statements: readonly ShownStatement[],
  facts: CardFacts,
): ShownStatement[] {
  const values = valuesOf(value);
  const named = new Set([
    ...facts.alsoWanted.slice(0, MOST).map((other) => other.value),
    ...facts.failures.map(({ problem }) => problem),
    ...facts.users.map((user) => user.value),
  ]);
  const worth = (one: ShownStatement): number =>
    one.shown + CERTAIN * Math.min(...values.map((wanted) => factOf(one, wanted)?.c ?? 0)) +
    BEARS_OUT * Math.min(3, one.facts.filter(({ v, c }) => c >= STATED && named.has(v)).length);
  const labels = shared(
    statements.map((one) =>
      values.flatMap((wanted) => {
        const fact = factOf(one, wanted);
        return fact === undefined ? [] : labelOf(one, fact) ?? [];
      })
    ),
  );
  const fit = statements.filter((one) =>
    one.shown >= SHOWN &&
    values.every((wanted) => {
      const fact = factOf(one, wanted);
      return fact !== undefined && fact.c >= SURE && !isChoice(one, fact) &&
        !labels.has(labelOf(one, fact) ?? "");
    })
  );
  if (fit.length < FIT * statements.length) return [];
  return fit.map((one) => ({ one, worth: worth(one) }))
    .sort((a, b) => b.worth - a.worth).slice(0, MOST).map(({ one }) => one);
}

/** The counts without what fewer of the posts shown state than make it plain. */
export function borneOut(facts: CardFacts, evidence: readonly ShownStatement[]): CardFacts {
  return factsOnly(facts, ({ value }) => stating(evidence, value, STATED) >= BORNE_OUT);
}

/** How many of the posts state the value at least so surely. */
const stating = (statements: readonly ShownStatement[], value: string, sure: number): number =>
  statements.filter((one) => one.facts.some(({ v, c }) => v === value && c >= sure)).length;

const factOf = ({ facts }: ShownStatement, value: string): StatedFact | undefined =>
  facts.find(({ v }) => v === value);

const ROLES: ReadonlySet<string> = new Set(["owned", "rejected", "considered"]);

/** Whether the words are a name: written with a capital or a digit, or beginning with a maker's that is known. */
function isNamed({ text }: ShownStatement, { s, e }: StatedFact): boolean {
  const words = text.slice(s, e);
  return /[\p{Lu}\d]/u.test(words) || productNamed(words).isKnown;
}

/** Whether the words say themselves that the product is another kind of thing ("AMD processor" beside a server). */
function isOfAnotherKind(
  { text }: ShownStatement,
  { s, e }: StatedFact,
  names: ReadonlySet<string>,
): boolean {
  const words = phraseWords(text.slice(s, e));
  const last = kindsNamed(words).at(-1);
  return last?.end === words.length && isAnother(last, words, names);
}

interface KindNamed {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The kinds of products that words name, in their order. */
const kindsNamed = (words: readonly string[]): KindNamed[] =>
  lexicon().terms.all(words, []).flatMap(({ value, start, end }) =>
    value.type === "kind" ? [{ name: value.kind.name, start, end }] : []
  );

/** Whether a kind named there is none of the names', and no word of it is. */
const isAnother = (
  { name, start, end }: KindNamed,
  words: readonly string[],
  names: ReadonlySet<string>,
): boolean =>
  !names.has(nounOfName(name)) &&
  !words.slice(start, end).some((word) => names.has(stemOf(word)));

/** Whether the words are no more than the product's name. */
function isOfName(
  { text }: ShownStatement,
  { s, e }: StatedFact,
  names: ReadonlySet<string>,
): boolean {
  const words = text.slice(s, e).toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.length > 0 && words.every((word) => names.has(stemOf(word)));
}

/** What ends a phrase that a property begins: a sign, or a word after which something else is told. */
const PHRASE_END = /[.,;:!?()\n]|\b(?:as|at|but|for|from|in|of|on|so|than|that|to|which|with)\b/i;
/** A product stands at most this many words after its property. */
const NEAR = 4;

/** Whether a property stands before the name of another kind of product. */
function isOfAnother(
  { text }: ShownStatement,
  { t, s, e, v }: StatedFact,
  names: ReadonlySet<string>,
): boolean {
  if (t !== "attribute") return false;
  const [rest = ""] = text.slice(e, e + 40).split(PHRASE_END);
  const value = new Set(phraseWords(v));
  const words = phraseWords(text.slice(s, e) + rest).filter((word) => !value.has(word));
  const [first] = kindsNamed(words.slice(0, NEAR));
  return first !== undefined && isAnother(first, words, names);
}

/** The stem of the last word of a product's name. */
const nounOfName = (name: string): string => stemOf(name.slice(name.lastIndexOf(" ") + 1));

/** Whether the words are one of several that would do, or name several: "over or on-ear". */
function isChoice({ text }: ShownStatement, { s, e, v }: StatedFact): boolean {
  return /\b(?:or|either)\s+(?:[\w-]+\s+)?$/i.test(text.slice(Math.max(0, s - 40), s)) ||
    /^\W{0,3}(?:\/|or\b)/i.test(text.slice(e, e + 8)) ||
    !/\bor\b/.test(v) && /\bor\b/i.test(text.slice(s, e));
}

/** What stands in two of the lists. */
function shared(lists: readonly (readonly string[])[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const list of lists) {
    for (const item of new Set(list)) (seen.has(item) ? twice : seen).add(item);
  }
  return twice;
}

/** Words up to what ends a question, a label, bold letters or a tag in brackets; or up to a line's end. */
const PASSAGE = /\[[^\]\n]{2,60}\]|([^\n:?*_|[]+)([\n:?*_|]?)/g;
/** A passage shorter than this, unless it is a tag, may be worded alike by two authors. */
const LONG = 25;

/** The passages of a text that are a form's where another post has them. */
const passagesOf = (
  text: string,
): readonly { readonly words: string; readonly start: number; readonly end: number }[] =>
  [...text.matchAll(PASSAGE)].flatMap(({ 0: whole, 1: line, 2: ends, index }) =>
    line !== undefined && (line.length < LONG || ends === "" || ends === "\n")
      ? []
      : [{ words: (line ?? whole).toLowerCase().trim(), start: index, end: index + whole.length }]
  );

/** Characters read of what stands before a quote. */
const BEFORE = 300;
const LABEL = /^(.{3,80}?)(?::|\?|\s[-–—])(?=[\s*_]|$)/;
/** A line that asks or heads what follows. */
const QUESTION = /^\s*(?:>|&gt;|\*\*|__|#)|[?:][\s*_]*$/;

/** What asks for the fact: the label of its line, else the question before the line; null where nothing does. */
function labelOf({ text, start }: ShownStatement, { s }: StatedFact): string | null {
  const lines = text.slice(Math.max(0, start - BEFORE), Math.max(start, s)).split("\n");
  const label = LABEL.exec(plain(lines.pop() ?? ""));
  if (label !== null) return label[1] ?? null;
  const asked = lines.findLast((line) => plain(line) !== "") ?? "";
  return QUESTION.test(asked) ? plain(asked) : null;
}

/** Without marks of emphasis, quotation and lists. */
const plain = (line: string): string =>
  line.toLowerCase().replace(/&gt;|[*_#>~`|]/g, "").replace(/^[\s\d.)•·+–—-]+/, "").trim();
