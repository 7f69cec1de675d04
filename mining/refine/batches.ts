/** Questions about many things, where one of them may spoil the answer. */
import { isUseless } from "../../model/mod.ts";

/** Pieces that a batch falls into when its answer is of no use. */
const PIECES = 4;
/**
 * One bad post spoils three questions in a row: its batch, its piece and itself. After four it is the model
 * that does not do, and a fifth would open its breaker for verdicts too.
 */
const IN_A_ROW = 4;

export interface Batches<T> {
  readonly items: readonly T[];
  /** Items of one question. */
  readonly size: number;
  /** Questions at most. */
  readonly calls: number;
  /** Asks about a batch and stores what came of it. */
  readonly ask: (batch: readonly T[]) => Promise<void>;
  /** Told of an item about which, asked alone, nothing useful is said. */
  readonly giveUp: (item: T) => Promise<void>;
}

/**
 * Asks about all items, within the number of questions. A batch whose answer is of no use is asked about
 * again in pieces, so that one post which no model will read keeps no other from being read.
 * @throws what else `ask` throws, and the last of too many such failures in a row.
 */
export async function inBatches<T>(batches: Batches<T>): Promise<void> {
  const { items, size, calls, ask, giveUp } = batches;
  const queue = chunks(items, size);
  let row = 0;
  for (let left = calls; left > 0; left--) {
    const batch = queue.shift();
    if (batch === undefined) return;
    try {
      await ask(batch);
      row = 0;
    } catch (error) {
      if (!isUseless(error) || ++row === IN_A_ROW) throw error;
      const [item] = batch;
      if (batch.length > 1) queue.unshift(...chunks(batch, Math.ceil(batch.length / PIECES)));
      else if (item !== undefined) await giveUp(item);
    }
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const made: T[][] = [];
  for (let start = 0; start < items.length; start += size) {
    made.push(items.slice(start, start + size));
  }
  return made;
}
