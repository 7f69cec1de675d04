/** Questions about batches of items, any of which may spoil the answer about the others. */
import { isUseless } from "./types.ts";

/** The pieces that a batch is split into when its answer is unusable. */
const PIECES = 4;
/**
 * One bad post makes three answers in a row unusable: of its batch, of its piece, and its own. After four, the
 * model itself is at fault, and a fifth would open the circuit breaker for verdicts too.
 */
const MAX_USELESS_IN_A_ROW = 4;

interface Batches<T> {
  readonly batches: readonly (readonly T[])[];
  /** The most questions at a time. */
  readonly atOnce: number;
  /** Whether another question may begin. */
  readonly goesOn: () => boolean;
  /** Asks about a batch and stores the answer. */
  readonly ask: (batch: readonly T[]) => Promise<void>;
  /** Called with an item whose answer is unusable even when asked alone. */
  readonly giveUp: (item: T) => Promise<void>;
}

/**
 * Asks about all batches. It begins with one question at a time, allows one more after each usable answer, and falls
 * back to one after an unusable answer, whose batch is asked about again in pieces, so that a single bad item does
 * not keep the others from being read. When a question fails, those under way are awaited.
 * @throws any other error of `ask`, and the last of too many unusable answers in a row.
 */
export async function askInBatches<T>(options: Batches<T>): Promise<void> {
  const { batches, atOnce, goesOn, ask, giveUp } = options;
  const queue = [...batches];
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let width = 1;
  let uselessInARow = 0;
  const one = async (batch: readonly T[]): Promise<void> => {
    try {
      await ask(batch);
      uselessInARow = 0;
      width = Math.min(atOnce, width + 1);
    } catch (error) {
      if (!isUseless(error) || ++uselessInARow >= MAX_USELESS_IN_A_ROW) throw error;
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

/** More items of one answer that are turned down than this are asked about again apart. */
const SUSPICIOUS = 0.6;

interface Halves<T, A> {
  readonly ask: (batch: readonly T[]) => Promise<readonly A[]>;
  /** Whether an answer turns its item down. */
  readonly isNone: (answer: A) => boolean;
  /** The answers about so many are believed, whatever they are. */
  readonly trusted: number;
}

/**
 * Asks about a batch. Where most items are turned down, one of them may have said so of the others:
 * the halves are asked about again, each by itself.
 */
export async function askByHalves<T, A>(
  batch: readonly T[],
  how: Halves<T, A>,
): Promise<readonly A[]> {
  const answers = await how.ask(batch);
  const none = answers.filter(how.isNone).length;
  if (batch.length <= how.trusted || none <= SUSPICIOUS * batch.length) return answers;
  const again: A[] = [];
  for (const half of chunks(batch, Math.ceil(batch.length / 2))) {
    again.push(...await askByHalves(half, how));
  }
  return again;
}

/** Splits items into chunks of `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const made: T[][] = [];
  for (let start = 0; start < items.length; start += size) {
    made.push(items.slice(start, start + size));
  }
  return made;
}
