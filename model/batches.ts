/** Questions about many things, where one of them may spoil the answer. */
import { isUseless } from "./types.ts";

/** Pieces that a batch falls into when its answer is of no use. */
const PIECES = 4;
/**
 * One bad post spoils three questions in a row: its batch, its piece and itself. After four it is the model
 * that does not do, and a fifth would open its breaker for verdicts too.
 */
const IN_A_ROW = 4;

export interface Batches<T> {
  readonly batches: readonly (readonly T[])[];
  /** Questions at a time. */
  readonly atOnce: number;
  /** Whether another question may begin. */
  readonly goesOn: () => boolean;
  /** Asks about a batch and stores what came of it. */
  readonly ask: (batch: readonly T[]) => Promise<void>;
  /** Told of an item about which, asked alone, nothing useful is said. */
  readonly giveUp: (item: T) => Promise<void>;
}

/**
 * Asks about all batches: one to begin with, one more at a time after each useful answer, and one again after a
 * useless one, which is asked about again in pieces, so that one post which no model will read keeps no other
 * from being read. What is under way when a question fails is waited for.
 * @throws what else `ask` throws, and the last of too many useless answers in a row.
 */
export async function inBatches<T>(options: Batches<T>): Promise<void> {
  const { batches, atOnce, goesOn, ask, giveUp } = options;
  const queue = [...batches];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let width = 1;
  let row = 0;
  const one = async (batch: readonly T[]): Promise<void> => {
    try {
      await ask(batch);
      row = 0;
      width = Math.min(atOnce, width + 1);
    } catch (error) {
      if (!isUseless(error) || ++row >= IN_A_ROW) throw error;
      width = 1;
      const [item] = batch;
      if (batch.length > 1) queue.unshift(...chunks(batch, Math.ceil(batch.length / PIECES)));
      else if (item !== undefined) await giveUp(item);
    }
  };
  for (;;) {
    const mayAsk = failures.length === 0 && running.size < width && queue.length > 0 && goesOn();
    const batch = mayAsk ? queue.shift() : undefined;
    if (batch !== undefined) {
      const asking = one(batch).catch((error) => void failures.push(error))
        .finally(() => running.delete(asking));
      running.add(asking);
    } else if (running.size > 0) await Promise.race(running);
    else break;
  }
  if (failures.length > 0) throw failures[0];
}

/** Items by the so many. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const made: T[][] = [];
  for (let start = 0; start < items.length; start += size) {
    made.push(items.slice(start, start + size));
  }
  return made;
}
