/** Whether the words that a model wrote for a card say only what the card counts. */
import { once } from "../../core/once.ts";
import { hasForbiddenText, sentencesOf } from "../../model/answers.ts";
import { visible } from "../../model/prompt_delimiter.ts";
import { listLines } from "../lexicon/word_lists.ts";
import { ENOUGH_SUMS } from "../opportunities/counts.ts";
import type { CardFacts } from "../opportunities/facts.ts";
import { ANGLE_SHARE, type CardText } from "./text.ts";

import vocabularyText from "./vocabulary.txt" with { type: "text" };

const BOUNDS = {
  title: { characters: [8, 90], sentences: 1 },
  summary: { characters: [40, 700], sentences: 7 },
  productAngle: { characters: [40, 450], sentences: 4 },
} as const;

/** What so large a share of the authors state, a title may say. */
const TITLE_SHARE = 0.6;

/** What no card says in our words, whatever is counted. */
const UNFIT: readonly (readonly [string, RegExp])[] = [
  ["a telephone number", /(?:\d[\s().+/-]*){7}/],
  ["markup", /\*\*|__|^\s*[#>-]\s/m],
  ["letters of another script", /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u],
  ["words to the reader", /\b(?:[Yy]ou|[Yy]ours?|[Yy]ourself|[Ww]e|us|[Oo]ur|I)\b/],
  [
    "an insult",
    /\b(?:fuck\w*|shit\w*|bitch\w*|cunts?|assholes?|bastards?|whores?|sluts?|nigg\w+|fagg?\w*|retard\w*|trann\w+|kikes?)\b/i,
  ],
];

const plain = (text: string): string => visible(text).normalize("NFKC").replace(/[’‘]/g, "'");

/**
 * What a model wrote, in plain characters; or, where it may not stand, what is wrong in a phrase
 * that names the field: a length, a form, or what no count bears out.
 */
export function checkWords(written: CardText, facts: CardFacts): CardText | string {
  const text: CardText = {
    title: plain(written.title).replace(/\.$/, ""),
    summary: plain(written.summary),
    productAngle: plain(written.productAngle),
  };
  const counted = countedIn(facts);
  for (const field of ["title", "summary", "productAngle"] as const) {
    const problem = bounds(field, text[field]) ??
      (field === "title" ? overstated(text.title, facts, counted) : null) ??
      (field === "productAngle" ? rare(text.productAngle, facts, counted) : null) ??
      uncounted(text[field], facts, counted);
    if (problem !== null) return `${field}: ${problem}`;
  }
  return text;
}

function bounds(field: keyof typeof BOUNDS, text: string): string | null {
  const { characters: [least, most], sentences } = BOUNDS[field];
  if (text.length < least || text.length > most) {
    return `${text.length} characters, where ${least} to ${most} are asked for`;
  }
  if (sentencesOf(text).length > sentences) return "too many sentences";
  if (hasForbiddenText(text)) return "a link, markup or an order";
  return UNFIT.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** One thing that is counted: the stems of what it says, and the numbers that may be said of it. */
interface Entry {
  readonly text: string;
  readonly stems: ReadonlySet<string>;
  /** Numbers that stand in its value, as part of it. */
  readonly inside: ReadonlySet<number>;
  readonly authors: number;
  /** How much more often than among all who want the kind; null where that is not counted. */
  readonly lift: number | null;
  readonly list: string;
}

/** The product and the want are what every sentence is about. */
const isSubject = ({ list }: Entry): boolean => list === "product" || list === "want";

interface Counted {
  readonly entries: readonly Entry[];
  /** Stems of everything that is counted. */
  readonly stems: ReadonlySet<string>;
}

const WORD = /[\p{L}\p{N}]+(?:[.,]\d+)*/gu;
const SUFFIX =
  /(?:ability|ibility|able|ible|ation|ations|ings?|ions?|ages?|ness|ments?|ers?|ed|es|ly|s|e|y)$/;

/** A word as it compares: without its endings, a doubled last letter single. */
function stem(word: string): string {
  let bare = word.toLowerCase();
  for (let left = 3; left > 0; left--) {
    const shorter = bare.replace(/ies$/, "y").replace(SUFFIX, "");
    if (shorter.length < 3 || shorter === bare) break;
    bare = shorter;
  }
  // "isolate", "isolation" and "isolating" are one.
  return bare.replace(/(?<=.{4})at$/, "").replace(/([b-df-hj-np-tv-z])\1$/, "$1");
}

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  ("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
    "eighteen nineteen twenty").split(" ").map((word, i) => [word, i + 2]),
);

interface Token {
  readonly word: string;
  readonly number: number | null;
}

function tokensOf(text: string): Token[] {
  return (text.replace(/'s\b|n't\b/g, "").match(WORD) ?? []).map((word) => {
    const spelled = NUMBER_WORDS.get(word.toLowerCase());
    if (spelled !== undefined) return { word, number: spelled };
    const figure = /^\d+(?:,\d{3})*(?:\.\d+)?$/.test(word)
      ? Number(word.replaceAll(",", ""))
      : null;
    return { word, number: figure };
  });
}

const stemsOf = (text: string): string[] =>
  tokensOf(text).filter(({ number }) => number === null).map(({ word }) => stem(word));

const numbersIn = (text: string): ReadonlySet<number> =>
  new Set(tokensOf(text).flatMap(({ number }) => number ?? []));

/** The stems of telling, comparing and making. */
const vocabulary = once((): ReadonlySet<string> =>
  new Set(
    listLines(vocabularyText).filter((line) => !line.startsWith("[")).flatMap(stemsOf),
  )
);

/** Of them those that a title may use: none that tells of people or makers. */
const TITLE_WORDS: ReadonlySet<string> = new Set(
  stemsOf(
    `a an the that which who whose for with without to of in on at by as and or but not no do does is are be it its them
they one ones can will under over between from than enough so when while where has have made make use used people person complaint about stay
stays keep keeps work works run runs fit fits instead pair`,
  ),
);

function countedIn(facts: CardFacts): Counted {
  const { want, narrowedBy, authors, product, alsoWanted, failures, users, brands, places } = facts;
  const entries: Entry[] = [];
  const opposites: string[] = [];
  const add = (list: string, text: string, stating: number, lift: number | null = null): void => {
    const inside = numbersIn(text);
    // What is "uncomfortable" today is to be "comfortable" tomorrow.
    const turned = text.replace(/\bun(?=\p{L}{4})/gu, "");
    if (turned !== text) opposites.push(...stemsOf(turned));
    entries.push({ text, list, stems: new Set(stemsOf(text)), inside, authors: stating, lift });
  };
  add("product", product, authors);
  add("want", want.value, authors);
  if (narrowedBy !== null) add("want", narrowedBy.value, authors);
  for (const { value, authors: stating, lift } of alsoWanted) add("wanted", value, stating, lift);
  for (const failure of failures) {
    add("failure", `${failure.problem} ${failure.product ?? ""}`, failure.authors);
    if (failure.product !== null) add("failure", failure.problem, failure.authors);
  }
  for (const { value, authors: stating } of users) add("user", value, stating);
  for (const role of ["rejected", "owned", "considered"] as const) {
    for (const { name, authors: stating } of brands[role]) add(role, name, stating);
  }
  for (const { value, authors: stating } of places) add("place", value, stating);
  const currencies = facts.budgets.flatMap(({ currency }) =>
    CURRENCY_NAMES.find(([code]) => code === currency)?.[1] ?? ""
  );
  const stems = entries.flatMap((entry) => [...entry.stems]);
  return { entries, stems: new Set([...opposites, ...currencies.flatMap(stemsOf), ...stems]) };
}

/** How currencies are named beside their signs and codes, which any words may use. */
const CURRENCY_NAMES: readonly (readonly [string, string])[] = [
  ["usd", "US American"],
  ["cad", "Canadian"],
  ["aud", "Australian"],
  ["gbp", "British sterling"],
];

/** Whether a stretch of text names an entry: half of its words and more. */
function names(stems: ReadonlySet<string>, numbers: ReadonlySet<number>, entry: Entry): boolean {
  const size = entry.stems.size + entry.inside.size;
  const there = [...entry.stems].filter((one) => stems.has(one)).length +
    [...entry.inside].filter((one) => numbers.has(one)).length;
  return size > 0 && there * 2 >= size;
}

/** What a title says beyond the product, the want and what most of the authors state. */
function overstated(title: string, facts: CardFacts, { entries }: Counted): string | null {
  const common = entries.filter(({ authors }) => authors >= TITLE_SHARE * facts.authors);
  const budgets = facts.budgets.filter(({ authors }) => authors >= TITLE_SHARE * facts.authors);
  const allowed = new Set(common.flatMap(({ stems }) => [...stems]));
  const numbers = new Set([
    ...common.flatMap(({ inside }) => [...inside]),
    ...budgets.flatMap(({ low, median, high }) => [low, median, high]),
  ]);
  const money = budgets.length > 0 ? new Set(stemsOf("dollars euros pounds usd eur gbp")) : null;
  const said = tokensOf(title);
  for (const { word, number } of said) {
    if (number !== null ? numbers.has(number) : allowed.has(stem(word))) continue;
    if (number === null && (TITLE_WORDS.has(stem(word)) || money?.has(stem(word)))) continue;
    return `"${word}" is neither the product, the want, nor stated by most of the authors`;
  }
  const stems = new Set(stemsOf(title));
  const inTitle = numbersIn(title);
  for (const entry of entries) {
    if (!isSubject(entry)) continue;
    if (!names(stems, inTitle, entry)) return `it does not say the ${entry.list}`;
  }
  return null;
}

/** What the product is to be or do in an angle that less than ANGLE_SHARE of the authors ask for. */
function rare(angle: string, { authors }: CardFacts, { entries }: Counted): string | null {
  const stems = new Set(stemsOf(angle));
  const numbers = numbersIn(angle);
  const whole = ({ stems: own, inside }: Entry): boolean =>
    own.isSubsetOf(stems) && inside.isSubsetOf(numbers);
  const common = new Set(
    entries.filter((entry) => isSubject(entry) || entry.authors >= ANGLE_SHARE * authors).flatMap((
      entry,
    ) => [...entry.stems]),
  );
  const wrong = entries.find((entry) =>
    (entry.list === "wanted" || entry.list === "user") &&
    entry.authors < ANGLE_SHARE * authors && whole(entry) && !entry.stems.isSubsetOf(common)
  );
  return wrong === undefined ? null : `only ${wrong.authors} of ${authors} state "${wrong.text}"`;
}

/** What a text says that is not counted: a word, a number, a share, a currency. */
function uncounted(text: string, facts: CardFacts, counted: Counted): string | null {
  for (const sentence of sentencesOf(text)) {
    for (const { word, number } of tokensOf(sentence)) {
      if (number !== null) continue;
      const one = stem(word);
      if (counted.stems.has(one) || vocabulary().has(one) || one.length < 2) continue;
      return `"${word}" is in no count`;
    }
    const clauses = sentence.split(/[;:,]\s|\s(?:and|but|while|against)\s/);
    for (const clause of clauses) {
      const problem = number(clause, sentence, facts, counted) ??
        share(clause, sentence, facts, counted) ?? comparison(clause, sentence, counted);
      if (problem !== null) return problem;
    }
    const problem = currency(sentence, facts) ?? each(sentence, counted);
    if (problem !== null) return problem;
  }
  return null;
}

/** A number that is said of several things, one of which has another. */
function each(sentence: string, counted: Counted): string | null {
  if (!/\beach\b/i.test(sentence)) return null;
  const figures = numbersIn(sentence);
  if (figures.size !== 1) return null;
  const [figure] = figures;
  const wrong = namedBy(sentence, sentence, counted).find((entry) =>
    entry.authors !== figure && !entry.inside.has(figure ?? 0) && !isSubject(entry)
  );
  return wrong === undefined ? null : `${figure} is not the number of each`;
}

const MONEY =
  /[$€£]|\b(?:dollars?|euros?|pounds?|usd|eur|gbp|budgets?|spend\w*|pay\w*|pric\w+|costs?|medians?|middle half|sums?|ceilings?)\b/i;
const MORE = /\bmore\b|\bmoney\b/i;
const CHEAP = /\bcheap\w*\b|\blittle\b/i;
const UNMET =
  /\b(?:fail\w*|without|unmet|lack\w*|makeshift|let down|disappoint\w*|found nothing|do without)\b/i;

/** The entries that a clause names; where it names none, those of its sentence. */
function namedBy(clause: string, sentence: string, { entries }: Counted): readonly Entry[] {
  const named = (text: string): Entry[] => {
    const stems = new Set(stemsOf(text));
    const numbers = numbersIn(text);
    return entries.filter((entry) => names(stems, numbers, entry));
  };
  const own = named(clause).filter((entry) => !isSubject(entry));
  return own.length > 0 ? own : named(sentence);
}

/** A number of the clause that nothing named there has. */
function number(
  clause: string,
  sentence: string,
  facts: CardFacts,
  counted: Counted,
): string | null {
  const numbers = [...numbersIn(clause)];
  if (numbers.length === 0) return null;
  const known = new Set([facts.authors, facts.askingForProduct]);
  for (const { inside } of counted.entries.filter(isSubject)) {
    for (const figure of inside) known.add(figure);
  }
  for (const { authors, inside } of namedBy(clause, sentence, counted)) {
    known.add(authors);
    for (const figure of inside) known.add(figure);
  }
  if (MONEY.test(sentence)) {
    for (const budget of facts.budgets) {
      const median = /\bmedian\b/i.test(clause) && !/\bmiddle half\b/i.test(clause);
      if (!median) known.add(budget.low).add(budget.high).add(budget.authors).add(budget.ceilings);
      if (budget.authors >= ENOUGH_SUMS) known.add(budget.median);
      if (budget.marketMedian !== null) known.add(budget.marketMedian);
    }
  }
  if (MORE.test(sentence)) known.add(facts.wouldPayMore);
  if (CHEAP.test(sentence)) known.add(facts.cheap);
  if (UNMET.test(sentence)) known.add(facts.unmet.authors);
  const percents = [...clause.matchAll(/(\d+(?:\.\d+)?)\s?(?:%|percent|per cent)/g)]
    .map(([, figure]) => Number(figure));
  for (const percent of percents) {
    const shares = sharesIn(clause, sentence, facts, counted);
    if (UNMET.test(sentence)) shares.push(facts.unmet.marketShare);
    if (!shares.some((part) => Math.abs(100 * part - percent) <= 1)) return `${percent} percent`;
    known.add(percent);
  }
  const wrong = numbers.find((figure) => !known.has(figure));
  return wrong === undefined
    ? null
    : `the number ${wrong} is not counted of what "${clause}" names`;
}

/** What share of the authors state each thing that is named, and the want's own share of the market. */
function sharesIn(clause: string, sentence: string, facts: CardFacts, counted: Counted): number[] {
  const { authors, askingForProduct, unmet, budgets } = facts;
  const entries = namedBy(clause, sentence, counted)
    .filter((entry) => !isSubject(entry));
  return [
    ...entries.map((entry) => entry.authors / authors),
    ...(entries.length === 0 ? [authors / askingForProduct] : []),
    ...(UNMET.test(sentence) ? [unmet.authors / authors] : []),
    ...(MONEY.test(sentence) ? budgets.map((budget) => budget.authors / authors) : []),
  ];
}

const SHARES: readonly (readonly [RegExp, (share: number) => boolean])[] = [
  [/\b(?:more than|over) half\b/i, (part) => part > 0.5],
  [
    // Half of the sums is what lies between the quartiles; that they are those is checked as numbers.
    /(?<!more than |over |middle )\bhalf\b(?! of the (?:\S+ )?(?:sums|budgets)\b)/i,
    (part) => part >= 0.45 && part <= 0.55,
  ],
  [/\bthirds?\b/i, (part) => Math.abs(part - 1 / 3) <= 0.04 || Math.abs(part - 2 / 3) <= 0.04],
  [/\bquarters?\b/i, (part) => Math.abs(part - 1 / 4) <= 0.04 || Math.abs(part - 3 / 4) <= 0.04],
  [/\b(?:most of|most people|most want|mostly|mainly|most)\b/i, (part) => part > 0.5],
  [/\b(?:nearly all|almost all|almost every\w*)\b/i, (part) => part >= 0.85],
  // Nothing is counted that says so.
  [
    /\b(?:every(?:one|body| one)|all of|nobody|no one|none|dozens?|hundreds?|thousands?|twice|always|never|one (?:of|in|out|person|author))\b/i,
    () => false,
  ],
];

function share(
  clause: string,
  sentence: string,
  facts: CardFacts,
  counted: Counted,
): string | null {
  for (const [pattern, holds] of SHARES) {
    const said = pattern.exec(clause)?.[0];
    if (said === undefined) continue;
    if (!sharesIn(clause, sentence, facts, counted).some(holds)) return `"${said}" is not counted`;
  }
  return null;
}

/** What is said to be more often than it is with others, or than anything else of its list. */
const OFTENER = 1.2;

function comparison(clause: string, sentence: string, counted: Counted): string | null {
  const oftener = /\b(?:more|less) often\b/i.exec(clause)?.[0];
  if (oftener !== undefined) {
    // "More often than others, they ask for A and B; five ask for C": what is told ends at the semicolon.
    const part = sentence.split(/;\s/).find((one) => one.includes(clause)) ?? sentence;
    const compared = comparedEntries(part, namedBy(clause, part, counted));
    const lifts = compared.flatMap(({ lift }) => lift ?? []);
    const holds = /^more/i.test(oftener)
      ? lifts.every((lift) => lift >= OFTENER)
      : lifts.every((lift) => lift <= 1 / OFTENER);
    if (lifts.length === 0 || !holds) return `"${oftener}" is not counted`;
  }
  const first = /\b(?:any other|most often|than (?:anything|any))\b/i.exec(clause)?.[0];
  const isFirst = (entry: Entry): boolean =>
    counted.entries.every((other) =>
      other === entry || other.list !== entry.list || other.authors < entry.authors ||
      other.stems.isSubsetOf(entry.stems) || entry.stems.isSubsetOf(other.stems)
    );
  return first === undefined || namedBy(clause, sentence, counted).some(isFirst)
    ? null
    : `"${first}" is not counted`;
}

/**
 * The entries that are named in full, where any is; of "small" and "packs small" the longer. An entry that
 * shares half of its words with one that is told is not told by them.
 */
function comparedEntries(text: string, named: readonly Entry[]): readonly Entry[] {
  const stems = new Set(stemsOf(text));
  const whole = named.filter((entry) => entry.stems.size > 0 && entry.stems.isSubsetOf(stems));
  const longest = whole.filter((entry) =>
    !whole.some((other) =>
      other.stems.size > entry.stems.size && entry.stems.isSubsetOf(other.stems)
    )
  );
  return longest.length > 0 ? longest : named;
}

const CURRENCIES: readonly (readonly [string, RegExp])[] = [
  ["usd", /\$|\bdollars?\b|\busd\b/i],
  ["eur", /€|\beuros?\b|\beur\b/i],
  ["gbp", /£|\bgbp\b/i],
];

function currency(sentence: string, { budgets }: CardFacts): string | null {
  const known = new Set(budgets.map((budget) => budget.currency));
  // Canadian and Australian sums are dollars too.
  if (known.has("cad") || known.has("aud")) known.add("usd");
  const wrong = CURRENCIES.find(([name, pattern]) => pattern.test(sentence) && !known.has(name));
  return wrong === undefined ? null : `no budget is counted in ${wrong[0]}`;
}
