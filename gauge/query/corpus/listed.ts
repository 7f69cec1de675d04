/** Which of the products that a query names one after the other it asks for: "laptop matte screen", "stroller canopy basket". */
import { endTerm, kindTerm, productTerm } from "../../../db/matching/plan.ts";
import { signalsWith, type WordTerms } from "../../../db/matching/search_terms.ts";
import type { Sql } from "../../../db/sql.ts";
import { singular } from "../../../mining/lexicon/grammar.ts";
import { onlyAsks } from "../../words/word_classes.ts";
import type { ByLists } from "../by_lists.ts";
import { isAnyProduct, namingWords, partsOfKind, wholeNames } from "../../words/same.ts";
import {
  type FindKinds,
  JOINING,
  type KindSpan,
  MATERIALS,
  type Readable,
  segments,
} from "../head.ts";

/** How many must speak of two products to decide which of them is meant, and how many times as many must want the one. */
const FEWEST = 3;
const MUCH = 2;
/** Words that make one word of a product's name with the one before: "battery operated fan", "pillow top mattress". */
const DESCRIBING = /(?:ed|free|style|top|proof|resistant|(?<!wire)less)$/;
/** A name that stands in so many times as many products' names as end with it says of others what they are for: "car". */
const MODIFYING = 1.3;

/** Whether products of signals are called by a word, and not by what is done ("hunting for a laptop"). */
export const endsProducts = (counts: WordTerms["counts"]) => ({ word, stems }: Readable): boolean =>
  !word.endsWith("ing") && stems.some((stem) => counts.has(endTerm(stem)));

/** Whether products are called by a stem less than others are by it and another noun. */
function isModifier(stem: string, counts: WordTerms["counts"]): boolean {
  const signals = (term: string): number => counts.get(term)?.signals ?? 0;
  return signals(productTerm(stem)) > MODIFYING * signals(endTerm(stem));
}

/** Names of different products, and the range of words behind the last of them that belong to the same list. */
interface List {
  readonly names: readonly KindSpan[];
  readonly from: number;
  readonly end: number;
}

/** The first part of a query that names products; null where it names one alone, or joins them by "and" or "or". */
function listIn(words: readonly string[], spans: readonly KindSpan[]): List | null {
  for (const { start, end } of segments(words, spans)) {
    const names: KindSpan[] = [];
    for (const span of spans) {
      const own = words.slice(span.start, span.end);
      if (span.start < start || span.end > end || own.every(isAnyProduct)) continue;
      if (span.kinds.every((kind) => MATERIALS.has(kind))) continue;
      // "Head mounted torch".
      const describes = DESCRIBING.test(words[span.end] ?? "");
      if (describes && spans.some((other) => other.start === span.end + 1)) continue;
      const isAgain = (other: KindSpan) => span.kinds.some((kind) => other.kinds.includes(kind));
      const last = names.at(-1);
      // "Delay effects pedal" names one product.
      if (last !== undefined && isAgain(last) && last.end === span.start) names.pop();
      else if (names.some((other) => span.start < other.end || isAgain(other))) continue;
      names.push(span);
    }
    const [first, last] = [names[0], names.at(-1)];
    if (first === undefined || last === undefined) continue;
    const isJoined = words.slice(first.end, end).some((word) => JOINING.has(word));
    return names.length < 2 || isJoined ? null : { names, from: last.end, end };
  }
  return null;
}

/**
 * The product that a list of words asks for, or null where the query is no list, or asks for what it names last.
 *
 * - If words stand behind the last name, the first of several ("stroller canopy basket white"); the last of two that stand
 *   together ("stroller rain cover universal"), unless another name begins with it ("laptop backpack bottle pocket").
 * - If the last name ends the list, that one where it stands right behind the other ("kayak paddle leash"), or where the
 *   first one only says more of it ("car quiet air purifier").
 * - Else the first ("turntable usb dust cover"); of two that are one product together ("camera leather strap") only if those
 *   who speak of both mostly want the first: "laptop matte screen" is a laptop.
 */
export async function listedProduct(
  sql: Sql,
  { words, spans }: Pick<ByLists, "words" | "spans">,
  { stemsOf, counts }: WordTerms,
  findKinds: FindKinds,
): Promise<KindSpan | null> {
  const list = listIn(words, spans);
  const [first, second, ...others] = list?.names ?? [];
  if (list === null || first === undefined || second === undefined) return null;
  const last = others.at(-1) ?? second;
  const isWhole = ({ start, end, kinds }: KindSpan): boolean =>
    kinds.some((kind) => namingWords(words.slice(start, end), kind).length > 0);
  const readable = (i: number): Readable => {
    const word = words[i] ?? "";
    return { word, stems: stemsOf.get(word) ?? [] };
  };
  const behind = words.slice(list.from, list.end).map((_, i) => readable(list.from + i))
    .filter(({ word, stems }) => stems.length > 0 && !onlyAsks(word));
  const [next] = behind;
  const isTogether = others.length === 0 && second.start === first.end;
  if (next !== undefined) {
    const isBegun = endsProducts(counts)(next) || (isWhole(first) && !isWhole(second));
    return isTogether && !isBegun ? null : first;
  }
  // "Caffeine-free pre-workout".
  if (isTogether || (first.end - first.start === 1 && !isWhole(first))) return null;
  const [one, other] = [readable(first.end - 1), readable(last.end - 1)];
  const together = [one.word, singular(one.word)].flatMap((word) =>
    findKinds([word, other.word]).filter(({ start, end }) => end - start === 2)
  ).at(0);
  if (together === undefined) {
    const says = DESCRIBING.test(words[first.end] ?? "") ||
      one.stems.some((stem) => isModifier(stem, counts));
    return says ? null : first;
  }
  const both = [...one.stems, ...other.stems];
  const wanting = ({ kinds }: KindSpan): Promise<number> => {
    const names = kinds.flatMap((kind) => [...wholeNames(kind), ...partsOfKind(kind)]);
    return signalsWith(sql, names.map(kindTerm), both);
  };
  const [the, another] = await Promise.all([wanting(first), wanting(together)]);
  return the >= FEWEST && the >= MUCH * another ? first : null;
}
