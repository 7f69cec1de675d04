/** Which cards of a kind are folded into another, since mostly the same people are behind both. */
import {
  cardsOfKinds,
  type Folded,
  type FoldingRow,
  saveFolding,
} from "../../db/corpus/opportunities.ts";
import { markServed } from "../../db/corpus/removal.ts";
import type { Tx } from "../../db/sql.ts";
import { WANT_TYPES } from "../extract/types.ts";
import { dormantSince } from "./build.ts";
import type { WantCounts } from "./eligibility.ts";
import type { Count } from "../opportunities/counts.ts";
import { valuesOf } from "../opportunities/ids.ts";

/** A card is folded into a stronger one that this share of its authors is behind. */
const MOSTLY = 0.5;
/** Cards that have more than this share of their quotes in common look like one to a reader. */
const SAME_QUOTES = 0.5;

/**
 * The other values that at least half of a want's authors state, each with the number of those who
 * do, whatever it is stated as: its card may be folded into the card of such a value.
 */
export function sharedBy(
  { value: wanted, authors, own }: Pick<WantCounts, "value" | "authors" | "own">,
): Record<string, number> {
  const stated = new Map<string, number>();
  for (const { value, authors: stating } of WANT_TYPES.flatMap((type) => own.of(type))) {
    stated.set(value, (stated.get(value) ?? 0) + stating);
  }
  const other = [...stated].filter(([value]) => !valuesOf(wanted).includes(value));
  return Object.fromEntries(other.filter(([, stating]) => stating >= MOSTLY * authors));
}

/**
 * Decides again which cards of these kinds are active, dormant or folded into another, and stores
 * what changed; returns how many did. `asOf` is the corpus clock, by which a card is dormant, and
 * `now` the time of the change.
 */
export async function foldKinds(
  tx: Tx,
  kinds: readonly string[],
  { asOf, now }: { readonly asOf: Date; readonly now: Date },
): Promise<number> {
  const rows = await cardsOfKinds(tx, kinds);
  if (rows.length === 0) return 0;
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  const changed = [...byKind.values()].flatMap((cards) => folded(cards, asOf));
  await saveFolding(tx, changed, now);
  // Folded cards show nothing, and are listed again without being made again.
  await markServed(tx, changed.filter(({ state }) => state === "active").map(({ id }) => id));
  return changed.length;
}

/** Cards by what they have: of thousands of a kind few have anything in common. */
class Listed {
  readonly #by = new Map<string, FoldingRow[]>();

  add(card: FoldingRow, keys: Iterable<string>): void {
    for (const key of keys) {
      const before = this.#by.get(key);
      if (before === undefined) this.#by.set(key, [card]);
      else before.push(card);
    }
  }

  having(keys: Iterable<string>): FoldingRow[] {
    return [...keys].flatMap((key) => this.#by.get(key) ?? []);
  }
}

/** The cards of one kind whose listing changes. Cards come the strongest first, so that none folds into a folded one. */
function folded(cards: readonly FoldingRow[], asOf: Date): Folded[] {
  const silent = dormantSince(asOf);
  const isSilent = ({ lastSeen }: FoldingRow): boolean => lastSeen <= silent;
  const [byValue, byQuote] = [new Listed(), new Listed()];
  const into = new Map<string, string>();
  const covers = new Map<string, Count[]>();
  for (const card of cards) {
    const own = valuesOf(card.value);
    const stated = new Map(Object.entries(card.shared));
    // At most as many state all of the other one as state its least stated value.
    const shares = (other: FoldingRow): number =>
      Math.min(
        ...valuesOf(other.value).map((value) =>
          own.includes(value) ? card.authors : stated.get(value) ?? 0
        ),
      ) / card.authors;
    const near = new Set([
      ...byValue.having([...own, ...stated.keys()]),
      ...byQuote.having(card.evidenceIds),
    ]);
    // A dormant card is not served: an active one that is folded into it would be lost.
    const hosts = [...near].filter((other) => isSilent(card) || !isSilent(other));
    const host = hosts.map((other) => ({ other, share: shares(other) }))
      .filter(({ other, share }) => share >= MOSTLY || sharesQuotes(card, other))
      .sort((a, b) =>
        b.share - a.share || quotesShared(card, b.other) - quotesShared(card, a.other) ||
        (a.other.id < b.other.id ? -1 : 1)
      )[0]?.other;
    if (host === undefined) {
      byValue.add(card, own);
      byQuote.add(card, card.evidenceIds);
      covers.set(card.id, []);
    } else {
      into.set(card.id, host.id);
      covers.get(host.id)?.push({ value: own.join(", "), authors: card.authors });
    }
  }
  return cards.flatMap((card): Folded[] => {
    const mergedInto = into.get(card.id) ?? null;
    const state = mergedInto !== null ? "merged" : isSilent(card) ? "dormant" : "active";
    const next = covers.get(card.id) ?? [];
    const same = state === card.state && mergedInto === card.mergedInto &&
      JSON.stringify(next) === JSON.stringify(card.covers);
    return same ? [] : [{ id: card.id, state, mergedInto, covers: next }];
  });
}

function quotesShared(a: FoldingRow, b: FoldingRow): number {
  const other = new Set(b.evidenceIds);
  return a.evidenceIds.filter((id) => other.has(id)).length;
}

const sharesQuotes = (a: FoldingRow, b: FoldingRow): boolean =>
  quotesShared(a, b) > SAME_QUOTES * Math.min(a.evidenceIds.length, b.evidenceIds.length);
