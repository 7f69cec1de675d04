/** Which wants a post states, and with which of its sentences. */
import type { StoredFact } from "../../db/corpus/signals.ts";
import type { StatementRow, WantRow } from "../../db/corpus/wants.ts";
import type { Printable } from "../classify/mod.ts";
import { MAX_QUOTE, PLAIN_EVIDENCE } from "../classify/quote.ts";
import { type Extraction, type Fact, isWantType } from "../extract/types.ts";
import type { PostText } from "../types.ts";
import { isProblem } from "./facts.ts";
import { wantId } from "./ids.ts";
import { isPraise } from "./praise.ts";

/**
 * The version of these rules; it changes with what is stored of a post and with how quotes are
 * chosen.
 */
export const STATED_VERSION = "stated-13";

/** A fact that is less likely than this is not stored: verdicts find posts by less than cards are made of. */
const LEAST_STORED = 0.35;
/**
 * A fact whose joint certainty is less is neither counted nor a want (docs/opportunities.md has
 * what it is worth). counted_facts() in the database holds the same number.
 */
export const LEAST_COUNTED = 0.4;

/**
 * What naming the product, and asking for something, is worth in a quote that states the want: one that asks and
 * leaves the product unnamed is easily understood, one that names it and does not ask may tell of another's or of
 * one that was owned.
 */
const SHOWN = { states: 200, product: 250, asks: 450, certain: 100 } as const;
/** A property that is to be absent: "no plastic inside". */
export const ABSENT = /^(?:no|without) /;

/** A quote that is this much harder to read alone than a plain sentence is worth nothing. */
const COST = 60;

/**
 * The facts of a reading as they are stored. `text` is the post's title, line feed and body, in
 * which facts have their offsets. Each value stands once, whatever its types, and of several sums
 * of money the first; a problem has the product that it is of, where the post names one. The
 * certainty of a fact becomes the joint one, 0-1 with two decimals: that the post asks for a
 * product, times that it is of the kind, times that it states the fact. Facts whose own certainty
 * is under `LEAST_STORED` are left out.
 */
export function storedFacts(text: string, reading: Extraction): StoredFact[] {
  const { facts, certainty, kindCertainty } = reading;
  const named = facts.filter(({ type }) =>
    type === "owned" || type === "rejected" || type === "considered"
  );
  const values = new Set<string>();
  return facts.flatMap((fact) => {
    if (fact.certainty < LEAST_STORED) return [];
    // One value once, whatever its types; one sum of money a post, the first.
    const key = isWantType(fact.type)
      ? fact.value
      : fact.type === "price" && /\d/.test(fact.value)
      ? "a sum"
      : `${fact.type}/${fact.value}`;
    if (values.has(key)) return [];
    values.add(key);
    const owner = fact.type === "problem" ? ownerOf(text, fact, named) : undefined;
    return [{
      type: fact.type,
      value: fact.value,
      start: fact.start,
      end: fact.end,
      certainty: Math.round(fact.certainty * kindCertainty * certainty * 100) / 100,
      ...(owner === undefined ? {} : { owner }),
    }];
  });
}

/** The product that a problem is of: the nearest in its sentence, else the only one that the post has had. */
function ownerOf(text: string, problem: Fact, named: readonly Fact[]): string | undefined {
  const near = named.filter(({ start, end }) =>
    !/[.!?\n]\s/.test(text.slice(Math.min(end, problem.end), Math.max(start, problem.start)))
  ).sort((a, b) => Math.abs(a.start - problem.start) - Math.abs(b.start - problem.start));
  if (near[0] !== undefined) return near[0].value;
  const had = new Set(
    named.filter(({ type }) => type !== "considered").map(({ value }) => value),
  );
  return had.size === 1 ? [...had][0] : undefined;
}

/** A reading's wants, the kind's market first, and a statement of each. */
export interface StatedWants {
  readonly wants: readonly WantRow[];
  readonly statements: readonly StatementRow[];
}

/** What statements are made of, beside their post. */
interface StatingOptions {
  readonly reading: Extraction;
  /** The reading's as `storedFacts` gives them. */
  readonly facts: readonly StoredFact[];
  /** Hex hashes of the post's author and text. */
  readonly keys: { readonly author: string; readonly textKey: string };
  /** Those that may be shown. */
  readonly sentences: readonly Printable[];
  /** The post's text with spaces in place of what it rules out, and of what is not its author's. */
  readonly said: string;
}

/**
 * What a post states, ready to be stored. The market of the kind comes first and has no quote. Every
 * other want has the sentence that states it and shows best that it is wanted, alone or with one
 * beside it; null where none may be shown. A fact in words that the post rules out counts, since
 * such words are often read wrongly, but no quote shows it.
 */
export function statedWants(
  post: Pick<PostText, "title" | "body"> & { readonly id: string; readonly createdAt: string },
  { reading, facts, keys, sentences, said }: StatingOptions,
): StatedWants {
  const { kind } = reading;
  const row = (wantId: string, quote: Quote | null): StatementRow => ({
    wantId,
    postId: post.id,
    ...keys,
    createdAt: post.createdAt,
    shown: quote?.shown ?? null,
    quoteStart: quote?.start ?? null,
    quoteEnd: quote?.end ?? null,
  });
  const market = { id: wantId(kind, ""), kind, value: "" };
  const wants: WantRow[] = [market];
  const statements: StatementRow[] = [row(market.id, null)];
  const places = placed(sentences, post.title.length + 1);
  const text = `${post.title}\n${post.body}`.toLowerCase();
  const names = nounsOf(reading);
  for (const fact of facts.filter(isWant)) {
    const want = { id: wantId(kind, fact.value), kind, value: fact.value };
    wants.push(want);
    statements.push(row(want.id, isSaid(fact, said) ? bestQuote(fact, text, names, places) : null));
  }
  return { wants, statements };
}

/** Whether a fact is sure and telling enough to be a want. */
const isWant = ({ type, value, certainty }: StoredFact): boolean =>
  certainty >= LEAST_COUNTED && isWantType(type) && !isPraise(value) &&
  (type !== "problem" || isProblem(value));

/** Whether the author says any word that states the fact; who says what is to be absent, or wrong, rules it out. */
const isSaid = ({ type, value, start, end }: StoredFact, said: string): boolean =>
  type === "problem" || ABSENT.test(value) || said.slice(start, end).trim() !== "";

/** A sentence that may be shown, placed in title, line feed, body. */
interface Placed {
  readonly start: number;
  readonly end: number;
  readonly evidence: number;
  readonly cost: number;
  readonly inTitle: boolean;
}

interface Quote {
  readonly start: number;
  readonly end: number;
  readonly shown: number;
}

function placed(sentences: readonly Printable[], bodyStart: number): Placed[] {
  return sentences.map(({ quote, inTitle, start, evidence, cost }) => {
    const from = inTitle ? start : bodyStart + start;
    return { start: from, end: from + quote.length, evidence, cost, inTitle };
  });
}

/** The nouns that a sentence names the product by: the last words of what it is called and of its kind, singular. */
function nounsOf({ product, kind }: Extraction): string[] {
  const last = [product, kind].map((name) => /[^\s-]+$/.exec(name)?.[0].replace(/s$/, "") ?? "");
  return [...new Set(last)].filter((noun) => noun.length > 1);
}

/** Whether the noun begins a word or ends a compound one there. */
function isNamed(text: string, noun: string, start: number, end: number): boolean {
  for (let at = text.indexOf(noun, start); at >= 0; at = text.indexOf(noun, at + 1)) {
    if (at + noun.length > end) return false;
    const before = text[at - 1] ?? " ";
    if (noun.length > 3 || !/\p{L}/u.test(before)) return true;
  }
  return false;
}

/**
 * The sentence that states the want and shows best that it is wanted of the product: alone, or with the one
 * before or after it where that names the product. Null where no sentence with the want may be shown.
 */
function bestQuote(
  fact: StoredFact,
  text: string,
  nouns: readonly string[],
  sentences: readonly Placed[],
): Quote | null {
  let best: Quote | null = null;
  const at = sentences.findIndex(({ start, end }) => start <= fact.start && fact.end <= end);
  const own = sentences[at];
  if (own === undefined) return null;
  for (const [from, to] of [[at, at], [at - 1, at], [at, at + 1]] as const) {
    const [first, last] = [sentences[from], sentences[to]];
    if (first === undefined || last === undefined || first.inTitle !== last.inTitle) continue;
    if (last.end - first.start > MAX_QUOTE || last.start - first.end > 3) continue;
    const parts = sentences.slice(from, to + 1);
    const asks = Math.min(1, Math.max(...parts.map(({ evidence }) => evidence)) / PLAIN_EVIDENCE);
    const names = nouns.some((noun) => isNamed(text, noun, first.start, last.end));
    const cost = Math.max(...parts.map((part) => part.cost)) * COST + (to > from ? 40 : 0);
    const shown = SHOWN.states + (names ? SHOWN.product : 0) + SHOWN.asks * Math.max(0, asks) +
      SHOWN.certain * fact.certainty - cost;
    const quote = {
      start: first.start,
      end: last.end,
      shown: Math.max(0, Math.min(1000, Math.round(shown))),
    };
    if (best === null || quote.shown > best.shown) best = quote;
  }
  return best;
}
