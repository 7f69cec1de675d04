/** Cards whose words a language model writes from what is counted of their wants. */
import { cardsToWrite, saveWords } from "../../db/corpus/card_words.ts";
import { askInBatches, chunks } from "../../model/batches.ts";
import { CARDS_PER_CALL, cardsQuestion, type Written } from "../cards/question.ts";
import { readCard } from "../cards/stored.ts";
import type { Card } from "../cards/types.ts";
import { cardTextOf, type CardWords } from "../cards/words.ts";
import type { CardFacts } from "../opportunities/facts.ts";
import { withReconnect } from "../session.ts";
import type { ModelDeps, ModelReport } from "./model_types.ts";

type CountedCard = Card & { readonly facts: CardFacts };

/** Cards a run: the best first, the others in the next one. */
const CARDS = 50 * CARDS_PER_CALL;
const AT_ONCE = 4;
/** No further question begins after so much of a run. */
const WRITING_MS = 3 * 60_000;

/** Writes the words of the run's share of cards. @throws what the model throws; what is written is kept. */
export async function writeWords(
  deps: ModelDeps,
  report: ModelReport,
): Promise<"done" | "more"> {
  const { clock, signal, model } = deps;
  const due = (await cardsToWrite(deps.database.sql, CARDS)).flatMap(({ card }): CountedCard[] => {
    const read = readCard(card);
    return read?.facts === undefined ? [] : [{ ...read, facts: read.facts }];
  });
  const until = clock.now().getTime() + WRITING_MS;
  await askInBatches({
    batches: chunks(due, CARDS_PER_CALL),
    atOnce: AT_ONCE,
    goesOn: () => !signal.aborted && clock.now().getTime() < until,
    ask: async (batch) => {
      const question = cardsQuestion(batch.map(({ facts }) => facts));
      const written = await model.ask(question, signal, deps.onCost);
      await withReconnect(deps, () => store(deps, batch, written, report));
    },
    giveUp: (card) =>
      withReconnect(deps, () => store(deps, [card], [{ refused: "no answer" }], report)),
  });
  return due.length < CARDS ? "done" : "more";
}

async function store(
  deps: ModelDeps,
  cards: readonly CountedCard[],
  written: readonly Written[],
  report: ModelReport,
): Promise<void> {
  const tally = { written: 0, refused: 0 };
  await deps.database.sql.begin(async (tx) => {
    await deps.session.assertLease(tx);
    for (const [i, card] of cards.entries()) {
      const one = written[i];
      if (one === undefined) continue;
      const words: CardWords = {
        facts: card.facts,
        text: "text" in one ? one.text : null,
        drafted: cardTextOf(card),
      };
      if (!await saveWords(tx, card.id, words)) continue;
      if ("refused" in one) {
        deps.log.info("a card's words were refused", { card: card.id, reason: one.refused });
      }
      tally["refused" in one ? "refused" : "written"]++;
    }
  });
  report.written += tally.written;
  report.refused += tally.refused;
}
