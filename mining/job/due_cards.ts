/** Cards that a language model is asked about: which are due, and a run's share of them, a batch at a time. */
import { type Added, cardsWithout } from "../../db/corpus/card_additions.ts";
import type { Queryable } from "../../db/sql.ts";
import { askInBatches, chunks } from "../../model/batches.ts";
import { type Card, readCard } from "../cards/types.ts";
import type { CardFacts } from "../opportunities/facts.ts";
import { withReconnect } from "../session.ts";
import { addTo, type ModelDeps, type ModelReport, type Tally } from "./model_types.ts";

/** A card with what was counted of its want. */
export type CountedCard = Card & { readonly facts: CardFacts };

/** Batches a run: the best cards first, the others in the next one. */
const BATCHES = 50;
const AT_ONCE = 4;
/** No further question begins after so much of a run. */
const ASKING_MS = 3 * 60_000;

/** The best of the cards that lack what a model adds. */
export async function cardsLacking(
  sql: Queryable,
  added: Added,
  limit: number,
): Promise<CountedCard[]> {
  return (await cardsWithout(sql, added, limit)).flatMap((stored): CountedCard[] => {
    const card = readCard(stored);
    return card?.facts === undefined ? [] : [{ ...card, facts: card.facts }];
  });
}

/** How a run's share is asked about. */
interface Asking<T, A> {
  readonly perCall: number;
  /** The best of those that are due. */
  readonly due: (limit: number) => Promise<readonly T[]>;
  readonly ask: (batch: readonly T[]) => Promise<readonly A[]>;
  /** Keeps the answers, each that of the item at its place. */
  readonly store: (batch: readonly T[], answers: readonly A[]) => Promise<Tally>;
  /** The answer of an item of which the model's cannot be used. */
  readonly none: A;
}

/** Asks about a run's share, and adds what was kept to the report. @throws what the model throws; what is answered is kept. */
export async function askAboutDue<T, A>(
  deps: ModelDeps,
  report: ModelReport,
  { perCall, due, ask, store, none }: Asking<T, A>,
): Promise<void> {
  const { clock, signal } = deps;
  const items = await due(BATCHES * perCall);
  const until = clock.now().getTime() + ASKING_MS;
  const keep = async (batch: readonly T[], answers: readonly A[]): Promise<void> =>
    addTo(report, await withReconnect(deps, () => store(batch, answers)));
  await askInBatches({
    batches: chunks(items, perCall),
    atOnce: AT_ONCE,
    goesOn: () => !signal.aborted && clock.now().getTime() < until,
    ask: async (batch) => await keep(batch, await ask(batch)),
    giveUp: (item) => keep([item], [none]),
  });
}
