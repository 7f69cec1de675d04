/** Which quotes a card shows, and what of its counts they bear out. */
import type { ShownStatement } from "../../db/corpus/wants.ts";
import { type CardFacts, factsOnly } from "../opportunities/facts.ts";
import { valuesOf } from "../opportunities/ids.ts";
import { LEAST_COUNTED } from "../opportunities/statements.ts";

/** Most quotes of a card. */
const MOST = 8;
/** A quote that shows less than this does not name the product or ask for it beside the want. */
const SHOWN = 500;
/** A post that states the want less surely than this is counted and not shown: of surer facts four in five hold. */
const SURE = 0.6;
/** What it is worth in a quote that its post states another thing that the card tells. */
const BEARS_OUT = 60;
/** The card names something beside the want where so many of the posts shown state it, so that readers find it there. */
const BORNE_OUT = 2;

/**
 * The quotes that show the want best and most surely, those first whose posts state most of what the card tells:
 * who reads them is to find the card borne out. None is a form's answer or names a choice ("over or on-ear").
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
    one.shown +
    BEARS_OUT *
      Math.min(3, one.facts.filter(({ v, c }) => c >= LEAST_COUNTED && named.has(v)).length);
  const labels = sharedLabels(statements, values);
  return statements.filter((one) =>
    one.shown >= SHOWN &&
    values.every((wanted) => {
      const fact = factOf(one, wanted);
      return fact !== undefined && fact.c >= SURE && !isChoice(one, fact) &&
        !labels.has(labelOf(one, fact) ?? "");
    })
  ).map((one) => ({ one, worth: worth(one) }))
    .sort((a, b) => b.worth - a.worth).slice(0, MOST).map(({ one }) => one);
}

/** The counts without what fewer of the posts shown state than make it plain. */
export function borneOut(facts: CardFacts, evidence: readonly ShownStatement[]): CardFacts {
  return factsOnly(
    facts,
    ({ value }) =>
      evidence.filter((one) => one.facts.some(({ v, c }) => v === value && c >= LEAST_COUNTED))
        .length >= BORNE_OUT,
  );
}

type StatedFact = ShownStatement["facts"][number];

const factOf = ({ facts }: ShownStatement, value: string): StatedFact | undefined =>
  facts.find(({ v }) => v === value);

/** Whether the words are one of several that would do, joined to the next by "or". */
function isChoice({ quote, start }: ShownStatement, { s, e }: StatedFact): boolean {
  return /\b(?:or|either)\s+(?:[\w-]+\s+)?$/i.test(quote.slice(0, Math.max(0, s - start))) ||
    /^\W{0,3}(?:\/|or\b)/i.test(quote.slice(Math.max(0, e - start)));
}

/**
 * Labels under which two of the posts state the want: a community's form asks everybody, and says no more of who
 * answers than that a box was filled in.
 */
function sharedLabels(
  statements: readonly ShownStatement[],
  values: readonly string[],
): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const one of statements) {
    const labels = new Set(values.flatMap((value) => {
      const fact = factOf(one, value);
      return fact === undefined ? [] : labelOf(one, fact) ?? [];
    }));
    for (const label of labels) (seen.has(label) ? shared : seen).add(label);
  }
  return shared;
}

const LABEL = /^(.{3,80}?)(?::|\?|\s[-–—])(?=[\s*_]|$)/;
/** A line that asks or heads what follows. */
const QUESTION = /^\s*(?:>|&gt;|\*\*|__|#)|[?:][\s*_]*$/;

/** What asks for the fact: the label of its line, else the question before the line; null where nothing does. */
function labelOf({ before, quote, start }: ShownStatement, { s }: StatedFact): string | null {
  const lines = (before + quote.slice(0, Math.max(0, s - start))).split("\n");
  const label = LABEL.exec(plain(lines.pop() ?? ""));
  if (label !== null) return label[1] ?? null;
  const asked = lines.findLast((line) => plain(line) !== "") ?? "";
  return QUESTION.test(asked) ? plain(asked) : null;
}

/** Without marks of emphasis, quotation and lists. */
const plain = (line: string): string =>
  line.toLowerCase().replace(/&gt;|[*_#>~`|]/g, "").replace(/^[\s\d.)•·+–—-]+/, "").trim();
