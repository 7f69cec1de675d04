/** Which sentence of a post shows best what was asked: chosen for the query, verbatim, fit to print. */
import { ABOUT_FROM, type QueryPlan } from "../../db/matching/plan.ts";
import { readTexts } from "../../db/matching/rows.ts";
import type { Sql } from "../../db/sql.ts";
import { quotable } from "../../mining/classify/mod.ts";
import { type Pattern, PATTERNS, type PostText } from "../../mining/types.ts";
import type { Match } from "../types.ts";

/** What a sentence is worth: the product named, the wants stated, the ask, and being hard to read alone. */
const WORTH = { product: 0.8, wants: 2, asks: 0.6, cost: 0.35, title: 0.15 } as const;
/** Evidence of the pattern with which a sentence plainly asks or complains. */
const PLAIN = 3;

interface AskedWords {
  /** Stems of which any one names the product. */
  readonly product: readonly string[];
  /** For each want the groups of stems of which one states it, and its share. */
  readonly wants: readonly {
    readonly share: number;
    readonly groups: readonly { readonly stems: readonly string[]; readonly quality: number }[];
  }[];
}

/** What the plan looks for, as stems that a sentence may hold. */
export function askedWordsOf({ head, wants }: QueryPlan): AskedWords {
  const plain = (term: string) => term.startsWith("k/") ? "" : term.replace(/^[pe]\//, "");
  return {
    product: [
      ...new Set(
        head.flatMap(({ groups }) => groups).flat()
          .flatMap((term) =>
            term.startsWith("k/") ? term.slice(2).split(/[\s-]+/).slice(-1) : [plain(term)]
          )
          .filter((stem) => stem.length > 2),
      ),
    ],
    wants: wants.map(({ share, levels }) => ({
      share,
      groups: levels.flatMap(({ groups, quality }) => groups.map((stems) => ({ stems, quality }))),
    })),
  };
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Whether a word may have this stem: the ends of words are what stemming cuts and changes. */
function hasStem(word: string, stem: string): boolean {
  const root = stem.length > 3 && /[iey]$/.test(stem) ? stem.slice(0, -1) : stem;
  return word.startsWith(root) && word.length - root.length <= 4;
}

/** Whether a text names the product that is looked for, by any of its names' words. */
export function namesProduct(text: string, { head, category }: QueryPlan): boolean {
  const sure = head.filter(({ quality }) => quality >= ABOUT_FROM);
  const { product } = askedWordsOf({ head: sure, wants: [], category });
  const words = text.toLowerCase().replace(/['’]/g, "").match(WORD) ?? [];
  return product.some((stem) => words.some((word) => hasStem(word, stem)));
}

/** How much of the query a text states, 0 to about 3. */
function coverage(text: string, { product, wants }: AskedWords): number {
  const words = text.toLowerCase().replace(/['’]/g, "").match(WORD) ?? [];
  const has = (stem: string) => words.some((word) => hasStem(word, stem));
  const named = product.some(has) ? WORTH.product : 0;
  const stated = wants.reduce((sum, { share, groups }) =>
    sum +
    share * Math.max(0, ...groups.map(({ stems, quality }) => stems.every(has) ? quality : 0)), 0);
  return named + WORTH.wants * stated;
}

const isPattern = (name: string | null): name is Pattern =>
  (PATTERNS as readonly (string | null)[]).includes(name);

/**
 * The sentence of a post that says most of what was asked, of those that may be printed; the one that was
 * chosen at mining where none says more.
 */
export function quoteOfMatch(match: Match, text: PostText, asked: AskedWords): string {
  const pattern = isPattern(match.pattern) ? match.pattern : "recommendation_request";
  const also = isPattern(match.also) ? match.also : null;
  const sentences = quotable(text, { pattern, also });
  let best = { quote: match.quote, worth: coverage(match.quote, asked) + WORTH.asks };
  for (const { quote, evidence, cost, inTitle } of sentences) {
    const asks = Math.max(0, Math.min(1, evidence / PLAIN));
    const worth = coverage(quote, asked) + WORTH.asks * asks - WORTH.cost * Math.max(0, cost) +
      (inTitle ? WORTH.title : 0);
    if (worth > best.worth) best = { quote, worth };
  }
  return best.quote;
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
  return matches.map((match) => {
    const text = texts.get(match.postId);
    if (text === undefined) return match;
    return {
      ...match,
      quote: quoteOfMatch(match, { ...text, community: match.community }, asked),
    };
  });
}
