/** Which sentence of a post shows best what was asked: chosen for the query, verbatim, fit to print. */
import {
  ABOUT_FROM,
  type QueryPlan,
  RULED_OUT,
  sumEighth,
  sumTerm,
} from "../../db/matching/plan.ts";
import { readTexts } from "../../db/corpus/posts.ts";
import type { Sql } from "../../db/sql.ts";
import { quotable } from "../../mining/classify/mod.ts";
import { PLAIN_EVIDENCE } from "../../mining/classify/quote.ts";
import { priceOf, sumIn } from "../../mining/extract/price.ts";
import { ruledOutOf } from "../../mining/extract/mod.ts";
import { textOf } from "../../mining/extract/tokens.ts";
import { type Pattern, PATTERNS, type PostText } from "../../mining/types.ts";
import type { Match } from "../types.ts";

/**
 * What a sentence is worth: the product named, the wants stated, those that it rules out, the ask, and being hard to
 * read alone.
 */
const WORTH = { product: 0.8, wants: 2, against: -2, asks: 0.6, cost: 0.35, title: 0.15 } as const;
/** Quotes that state this share of what the plainest of them does come first. */
const PLAINLY = 0.6;

interface AskedWords {
  /** Stems of which any one names the product. */
  readonly product: readonly string[];
  /** For each want the groups of stems of which one states it, and its share. */
  readonly wants: readonly {
    readonly share: number;
    readonly groups: readonly { readonly stems: readonly string[]; readonly quality: number }[];
  }[];
}

/** Stems of which any one names the product that these levels look for. */
function productStems(head: QueryPlan["head"]): readonly string[] {
  const nameOf = (term: string): string =>
    term.startsWith("k/") ? term.split(/[/\s-]+/).at(-1) ?? "" : term.replace(/^[pe]\//, "");
  const names = head.flatMap(({ groups }) => groups).flat().map(nameOf);
  return [...new Set(names.filter((stem) => stem.length > 2))];
}

/** What the plan looks for, as stems that a sentence may hold. */
export function askedWordsOf({ head, wants }: QueryPlan): AskedWords {
  return {
    product: productStems(head),
    wants: wants.map(({ share, levels }) => ({
      share,
      groups: levels.flatMap(({ groups, quality }) => groups.map((stems) => ({ stems, quality }))),
    })),
  };
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Stems of so few letters begin other words, too: "pan" begins "pants". */
const SHORT = 3;
/** How many letters may follow a longer one. */
const MOST_BEHIND = 4;
/** A single letter behind a stem that makes another word of it: "thing" is not "thin". */
const OTHER_WORD = /^[^sdryenl]$/;

/** Whether a word may have this stem: the ends of words are what stemming cuts and changes. */
function hasStem(word: string, stem: string): boolean {
  if (stem.length <= SHORT) return word === stem || word === `${stem}s` || word === `${stem}es`;
  const root = /[iey]$/.test(stem) ? stem.slice(0, -1) : stem;
  const behind = word.slice(root.length);
  return word.startsWith(root) && behind.length <= MOST_BEHIND && !OTHER_WORD.test(behind);
}

/** Sentences that may name a sum that somebody would spend. */
const MONEY = /[$£€]|\b(?:dollars?|bucks|quid|usd|gbp|eur|euros?|budget|spend|pay)\b/i;

/** The term by which posts with such a sum are found; null where a sentence names none. */
function sumTermOf(quote: string): string | null {
  const sum = MONEY.test(quote) ? sumIn(priceOf(quote) ?? "") : null;
  return sum === null ? null : sumTerm(sumEighth(sum.high));
}

/** Whether a text names the product that is looked for, by any of its names' words. */
export function namesProduct(text: string, { head }: QueryPlan): boolean {
  const words = wordsIn(text);
  return productStems(head.filter(({ quality }) => quality >= ABOUT_FROM)).some((stem) =>
    words.some((word) => hasStem(word, stem))
  );
}

/** A sentence, and what is left of it without what it rules out, in the same places. */
interface Spoken {
  readonly quote: string;
  readonly said: string;
}

const wordsIn = (text: string): readonly string[] =>
  text.toLowerCase().replace(/['’]/g, "").match(WORD) ?? [];

/** How much of the query a sentence states, up to about 3; less than nothing where it rules it out. */
function coverage({ quote, said }: Spoken, { product, wants }: AskedWords): number {
  const among = (words: readonly string[]) => (stem: string): boolean =>
    words.some((word) => hasStem(word, stem));
  const sum = sumTermOf(quote);
  const hasWord = among(wordsIn(said));
  const has = (stem: string): boolean => stem === sum || hasWord(stem);
  const spoken = said === quote ? has : among(wordsIn(quote));
  const ruled = (stem: string) =>
    stem.startsWith(RULED_OUT) && !has(stem.slice(RULED_OUT.length)) &&
    spoken(stem.slice(RULED_OUT.length));
  const named = product.some(has) ? WORTH.product : 0;
  const worth = wants.reduce((sum, { share, groups }) => {
    const best = (test: (stem: string) => boolean): number =>
      Math.max(0, ...groups.map(({ stems, quality }) => stems.every(test) ? quality : 0));
    const stated = best((stem) => has(stem) || ruled(stem));
    // Of what nobody should have, the other way round.
    const against = stated > 0
      ? 0
      : best((stem) =>
        stem.startsWith(RULED_OUT) ? has(stem.slice(RULED_OUT.length)) : spoken(stem)
      );
    return sum + share * (WORTH.wants * stated + WORTH.against * against);
  }, 0);
  return named + worth;
}

const isPattern = (name: string | null): name is Pattern =>
  (PATTERNS as readonly (string | null)[]).includes(name);

/** A quote, and how much of the query it states. */
interface Shown {
  readonly quote: string;
  readonly states: number;
}

/**
 * The sentence of a post that says most of what was asked, of those that may be printed; the one that was
 * chosen at mining where none says more.
 */
export function shownOf(match: Match, text: PostText, asked: AskedWords): Shown {
  const pattern = isPattern(match.pattern) ? match.pattern : "recommendation_request";
  const also = isPattern(match.also) ? match.also : null;
  const whole = textOf(text);
  const { said } = ruledOutOf(text);
  const statesOf = (quote: string, at: number): number =>
    coverage({ quote, said: at < 0 ? quote : said.slice(at, at + quote.length) }, asked);
  const own = statesOf(match.quote, whole.indexOf(match.quote));
  let best = { quote: match.quote, states: own, worth: own + WORTH.asks };
  for (const { quote, evidence, cost, inTitle, start } of quotable(text, { pattern, also })) {
    const asks = Math.max(0, Math.min(1, evidence / PLAIN_EVIDENCE));
    const states = statesOf(quote, inTitle ? start : text.title.length + 1 + start);
    const worth = states +
      WORTH.asks * asks - WORTH.cost * Math.max(0, cost) + (inTitle ? WORTH.title : 0);
    if (worth > best.worth) best = { quote, states, worth };
  }
  return best;
}

/** The matches with the sentences that show best what was asked; texts of posts not stored are given. */
export async function quoted(
  sql: Sql,
  plan: QueryPlan,
  matches: readonly Match[],
  given: ReadonlyMap<string, Pick<PostText, "title" | "body">>,
): Promise<readonly Match[]> {
  const stored = matches.map(({ postId }) => postId).filter((id) => !given.has(id));
  const texts = new Map([...given, ...await readTexts(sql, stored)]);
  const asked = askedWordsOf(plan);
  const shown = matches.map((match) => {
    const text = texts.get(match.postId);
    if (text === undefined) return { match, states: 0 };
    const { quote, states } = shownOf(match, { ...text, community: match.community }, asked);
    return { match: { ...match, quote }, states };
  });
  const from = PLAINLY * Math.max(0, ...shown.map(({ states }) => states));
  const isPlain = ({ states }: { readonly states: number }): boolean => states >= from;
  return [...shown.filter(isPlain), ...shown.filter((one) => !isPlain(one))]
    .map(({ match }) => match);
}
