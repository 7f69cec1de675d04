/** Which quotes a card shows, and which of its counts they confirm. */
import type { ShownStatement } from "../../db/corpus/want_counts.ts";
import { type CardFacts, factsOnly, stemOf } from "../opportunities/facts.ts";
import { lexicon } from "../lexicon/lexicon.ts";
import { phraseWords } from "../lexicon/tokens.ts";
import { valuesOf } from "../opportunities/ids.ts";
import { LEAST_COUNTED } from "../opportunities/statements.ts";
import { productNamed } from "./text_noun.ts";
import type { Evidence } from "./types.ts";

/** Most quotes of a card. */
const MOST = 8;
/**
 * What a quote must show its want by (0-1000) to ask for it and not only state it, and how many
 * such quotes a card needs.
 */
export const QUOTED = { shown: 560, least: 4 } as const;
/** A post that states the want less surely is counted but not quoted (docs/opportunities.md says how many are right). */
const SURE = 0.6;
/** If a smaller share of the posts may be quoted, the counts are not of what authors want: a form's words, or a choice. */
const FIT = 0.25;
/** How surely a post must state what the words name beside the want. */
const STATED = 0.45;
/** The share of the posts that seem to state the want which must do so, by the certainties of the reading. */
const HOLDS = 0.48;
/** What a quote's certainty (0-1) is worth, beside how well its sentence shows the want (0-1000). */
const CERTAIN = 1_000;
/** What it is worth if the quote's post also states another thing that the card names. */
const BEARS_OUT = 60;
/** How many of the quoted posts must state what the words name beside the want, so that readers find it there. */
const BORNE_OUT = 2;
/** The share of the posts that seem to state something which must do so in their authors' own words. */
const OWN_WORDS = 0.75;

type StatedFact = ShownStatement["facts"][number];

/**
 * The posts with only those facts that are their authors' own words. Left out are:
 * - what stands in a label, a question or a tag that two posts share, which is a form's;
 * - what only names the product ("light" of a flashlight), and properties of another product ("a quiet fan" in a
 *   server);
 * - products that they have, weigh or turned down without a name ("a rack"), and rivals that are of another kind ("AMD
 *   processor" beside a server).
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
        (ROLES.has(fact.type)
          ? isNamed(one, fact) && (fact.type === "owned" || !isOfAnotherKind(one, fact, names))
          : !isOfName(one, fact, names) && !isOfAnother(one, fact, names)) &&
        !form.some(({ start, end }) => start <= fact.start && fact.start < end)
      ),
    };
  });
}

/**
 * Whether of the posts (`statements`) that seem to state the value at least three quarters do so in
 * their own words (`own`, as `ownWords` gives them); true where a single post does.
 */
export function saidByAuthors(
  value: string,
  statements: readonly ShownStatement[],
  own: readonly ShownStatement[],
): boolean {
  const all = stating(statements, value, LEAST_COUNTED);
  return all < BORNE_OUT || stating(own, value, LEAST_COUNTED) >= OWN_WORDS * all;
}

/**
 * Whether the certainties with which posts are read to state the value have a mean of at least
 * `HOLDS`, so that its count means it.
 */
export function holds(value: string, statements: readonly ShownStatement[]): boolean {
  const sure = statements.flatMap((one) => factOf(one, value)?.certainty ?? []);
  return sure.reduce((sum, certainty) => sum + certainty, 0) >= HOLDS * sure.length;
}

/**
 * The quotes that show the want best and most surely, first those whose posts state most of what the card says, so
 * that readers find the card confirmed. Answers to a form and posts that would take one thing or another are left out.
 * Empty if less than the share `FIT` of the posts may be quoted. `statements` are those of `ownWords`.
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
  const beside = ({ facts: stated }: ShownStatement): number =>
    stated.filter((fact) => fact.certainty >= STATED && named.has(fact.value)).length;
  const worth = (one: ShownStatement): number =>
    one.shown +
    CERTAIN * Math.min(...values.map((wanted) => factOf(one, wanted)?.certainty ?? 0)) +
    BEARS_OUT * Math.min(3, beside(one));
  const labels = shared(
    statements.map((one) =>
      values.flatMap((wanted) => {
        const fact = factOf(one, wanted);
        return fact === undefined ? [] : labelOf(one, fact) ?? [];
      })
    ),
  );
  const fit = statements.filter((one) =>
    one.shown >= QUOTED.shown &&
    values.every((wanted) => {
      const fact = factOf(one, wanted);
      return fact !== undefined && fact.certainty >= SURE && !isChoice(one, fact) &&
        !labels.has(labelOf(one, fact) ?? "");
    })
  );
  if (fit.length < FIT * statements.length) return [];
  return fit.map((one) => ({ one, worth: worth(one) }))
    .sort((a, b) => b.worth - a.worth).slice(0, MOST).map(({ one }) => one);
}

/** A stored statement's quote as it is served. */
export const asEvidence = (
  { quote, permalink, upvotes, community, createdAt }: Pick<
    ShownStatement,
    "quote" | "permalink" | "upvotes" | "community" | "createdAt"
  >,
): Required<Evidence> => ({
  quote,
  permalink,
  upvotes,
  subreddit: community,
  postedAt: createdAt.toISOString(),
});

/**
 * The counts with those things alone, beside the want, that at least two of the quoted posts state.
 */
export function borneOut(facts: CardFacts, evidence: readonly ShownStatement[]): CardFacts {
  return factsOnly(facts, ({ value }) => stating(evidence, value, STATED) >= BORNE_OUT);
}

/** How many of the posts state the value at least so surely. */
const stating = (statements: readonly ShownStatement[], value: string, sure: number): number =>
  statements.filter(({ facts }) =>
    facts.some((fact) => fact.value === value && fact.certainty >= sure)
  ).length;

const factOf = ({ facts }: ShownStatement, value: string): StatedFact | undefined =>
  facts.find((fact) => fact.value === value);

/** The words that state a fact, verbatim. */
const wordsOf = ({ text }: ShownStatement, { start, end }: StatedFact): string =>
  text.slice(start, end);

const ROLES: ReadonlySet<string> = new Set(["owned", "rejected", "considered"]);

/** Whether the words are a name: written with a capital or a digit, or beginning with a known maker. */
function isNamed(one: ShownStatement, fact: StatedFact): boolean {
  const words = wordsOf(one, fact);
  return /[\p{Lu}\d]/u.test(words) || productNamed(words).isKnown;
}

/** Whether the words say themselves that the product is another kind of thing ("AMD processor" beside a server). */
function isOfAnotherKind(
  one: ShownStatement,
  fact: StatedFact,
  names: ReadonlySet<string>,
): boolean {
  const words = phraseWords(wordsOf(one, fact));
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

/** Whether a kind is another than those named `names`, and shares no word with them. */
const isAnother = (
  { name, start, end }: KindNamed,
  words: readonly string[],
  names: ReadonlySet<string>,
): boolean =>
  !names.has(nounOfName(name)) &&
  !words.slice(start, end).some((word) => names.has(stemOf(word)));

/** Whether the words are no more than the product's name. */
function isOfName(
  one: ShownStatement,
  fact: StatedFact,
  names: ReadonlySet<string>,
): boolean {
  const words = wordsOf(one, fact).toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.length > 0 && words.every((word) => names.has(stemOf(word)));
}

/** What ends the phrase that a property begins: a mark, or a word that begins something else. */
const PHRASE_END = /[.,;:!?()\n]|\b(?:as|at|but|for|from|in|of|on|so|than|that|to|which|with)\b/i;
/** A product stands at most this many words after its property. */
const NEAR = 4;

/** Whether a property stands before the name of another kind of product. */
function isOfAnother(
  one: ShownStatement,
  fact: StatedFact,
  names: ReadonlySet<string>,
): boolean {
  if (fact.type !== "attribute") return false;
  const [rest = ""] = one.text.slice(fact.end, fact.end + 40).split(PHRASE_END);
  const value = new Set(phraseWords(fact.value));
  const words = phraseWords(wordsOf(one, fact) + rest).filter((word) => !value.has(word));
  const [first] = kindsNamed(words.slice(0, NEAR));
  return first !== undefined && isAnother(first, words, names);
}

/** The stem of the last word of a product's name. */
const nounOfName = (name: string): string => stemOf(name.slice(name.lastIndexOf(" ") + 1));

/** Whether the words are one of several alternatives, or name several: "over or on-ear". */
function isChoice({ text }: ShownStatement, { start, end, value }: StatedFact): boolean {
  return /\b(?:or|either)\s+(?:[\w-]+\s+)?$/i.test(text.slice(Math.max(0, start - 40), start)) ||
    /^\W{0,3}(?:\/|or\b)/i.test(text.slice(end, end + 8)) ||
    !/\bor\b/.test(value) && /\bor\b/i.test(text.slice(start, end));
}

/** The items that stand in at least two of the lists. */
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
/** Two authors may word a shorter passage alike by chance, unless it is a tag. */
const LONG = 25;

/** The passages of a text that belong to a form if another post has them too. */
const passagesOf = (
  text: string,
): readonly { readonly words: string; readonly start: number; readonly end: number }[] =>
  [...text.matchAll(PASSAGE)].flatMap(({ 0: whole, 1: line, 2: ends, index }) =>
    line !== undefined && (line.length < LONG || ends === "" || ends === "\n")
      ? []
      : [{ words: (line ?? whole).toLowerCase().trim(), start: index, end: index + whole.length }]
  );

/** How many characters before a quote are read. */
const BEFORE = 300;
const LABEL = /^(.{3,80}?)(?::|\?|\s[-–—])(?=[\s*_]|$)/;
/** A line that asks or heads what follows. */
const QUESTION = /^\s*(?:>|&gt;|\*\*|__|#)|[?:][\s*_]*$/;

/** What asks for the fact: the label of its line, else the question before the line; null where nothing does. */
function labelOf({ text, start }: ShownStatement, fact: StatedFact): string | null {
  const lines = text.slice(Math.max(0, start - BEFORE), Math.max(start, fact.start)).split("\n");
  const label = LABEL.exec(plain(lines.pop() ?? ""));
  if (label !== null) return label[1] ?? null;
  const asked = lines.findLast((line) => plain(line) !== "") ?? "";
  return QUESTION.test(asked) ? plain(asked) : null;
}

/** Without marks of emphasis, quotation and lists. */
const plain = (line: string): string =>
  line.toLowerCase().replace(/&gt;|[*_#>~`|]/g, "").replace(/^[\s\d.)•·+–—-]+/, "").trim();
