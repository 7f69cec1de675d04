/** Cards whose words a language model writes from what is counted of their wants. */
import { saveWords } from "../../db/corpus/card_additions.ts";
import { CARDS_PER_CALL, cardsQuestion, type Written } from "../cards/words_prompt.ts";
import { cardTextOf, type CardWords } from "../cards/model_words.ts";
import { askAboutDue, cardsLacking, type CountedCard } from "./due_cards.ts";
import type { ModelDeps, ModelReport, Tally } from "./model_types.ts";

/** Writes the words of the run's share of cards. @throws what the model throws; what is written is kept. */
export const writeWords = (deps: ModelDeps, report: ModelReport): Promise<void> =>
  askAboutDue<CountedCard, Written>(deps, report, {
    perCall: CARDS_PER_CALL,
    due: (limit) => cardsLacking(deps.database.sql, "words", limit),
    ask: (batch) =>
      deps.model.ask(cardsQuestion(batch.map(({ facts }) => facts)), deps.signal, deps.onCost),
    store: (batch, written) => store(deps, batch, written),
    none: { refused: "no answer" },
  });

async function store(
  deps: ModelDeps,
  cards: readonly CountedCard[],
  written: readonly Written[],
): Promise<Tally> {
  return await deps.database.sql.begin(async (tx) => {
    const tally = { written: 0, refused: 0 };
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
    return tally;
  });
}
