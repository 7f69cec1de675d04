/** Everything the catalogue is made of, as of one moment. */
import {
  type CorpusSpan,
  corpusSpan,
  type CorpusState,
  corpusState,
  type SampleRow,
  sampleRow,
} from "./corpus.ts";
import { countRows } from "../count.ts";
import { activeCards, categoryChanges, mergedIds, standingSlugs } from "./opportunities.ts";
import { staleServed } from "./removal.ts";
import type { Sql } from "../sql.ts";

export interface CatalogueRows extends CorpusSpan {
  readonly corpus: CorpusState;
  readonly signalCount: number;
  readonly sample: SampleRow | null;
  /** Best score first, then by id. */
  readonly cards: readonly { readonly id: string; readonly card: unknown }[];
  /** A merged card's slug stands with that card's own id; `merged` leads from it to the survivor. */
  readonly slugs: readonly { readonly slug: string; readonly id: string }[];
  readonly merged: readonly { readonly id: string; readonly survivor: string }[];
  /** Posts whose quotes may not be shown now. */
  readonly withheld: readonly string[];
  readonly changes: readonly { readonly category: string; readonly changedAt: Date }[];
}

/**
 * Reads one consistent snapshot, so that no catalogue mixes two states of the corpus. Quotes not
 * confirmed since `shownSince` are withheld; null shows all.
 */
export async function catalogueRows(sql: Sql, shownSince: Date | null): Promise<CatalogueRows> {
  const signalCount = await countRows(sql, "signals");
  return await sql.begin("isolation level repeatable read read only", async (tx) => {
    const withheld = shownSince === null ? [] : await staleServed(tx, shownSince);
    return {
      corpus: await corpusState(tx),
      ...await corpusSpan(tx),
      signalCount,
      sample: await sampleRow(tx),
      cards: await activeCards(tx),
      slugs: await standingSlugs(tx),
      merged: await mergedIds(tx),
      changes: await categoryChanges(tx),
      withheld,
    };
  });
}
