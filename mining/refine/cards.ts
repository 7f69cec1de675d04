/** Cards whose words a language model writes, each word checked against the card's evidence. */
import { cardsToWrite, saveWords } from "../../db/refinement.ts";
import type { Card } from "../cards/types.ts";
import { type CardWords, textOf } from "../cards/words.ts";
import { withReconnect } from "../job/miner.ts";
import { cardsQuestion } from "./cards_question.ts";
import { inBatches } from "./batches.ts";
import { checkWords } from "./check_words.ts";
import { CARD_CALLS, CARDS_PER_CALL } from "./policy.ts";
import type { RefineDeps, RefineReport } from "./types.ts";

/** Writes the words of the run's share of cards. @throws what the model throws; what is written is kept. */
export async function refineCards(deps: RefineDeps, report: RefineReport): Promise<void> {
  const { sql } = deps.database;
  const due = (await cardsToWrite(sql, CARD_CALLS * CARDS_PER_CALL))
    .map(({ card, words }) => drafted(card as Card, words as CardWords | null));
  await inBatches({
    items: due,
    size: CARDS_PER_CALL,
    calls: CARD_CALLS,
    ask: async (batch) => {
      const written = await deps.model.ask(cardsQuestion(batch), deps.signal, deps.onCost);
      const made = batch.map((card, i) => {
        const words = written[i];
        return { card, text: words == null ? "left out" : checkWords(words, card) };
      });
      await withReconnect(deps, () => store(deps, made, report));
    },
    giveUp: (card) => withReconnect(deps, () => store(deps, [{ card, text: "no answer" }], report)),
  });
}

/** The card as it would be without a model's earlier words: those are no evidence for the next. */
function drafted(card: Card, words: CardWords | null): Card {
  return words === null ? card : { ...card, ...words.drafted };
}

async function store(
  deps: RefineDeps,
  made: readonly { readonly card: Card; readonly text: CardWords["text"] | string }[],
  report: RefineReport,
): Promise<void> {
  const tally = { written: 0, refused: 0 };
  await deps.database.sql.begin(async (tx) => {
    await deps.session.fence(tx);
    for (const { card, text } of made) {
      const { id, evidenceIds } = card;
      const refused = typeof text === "string";
      const words: CardWords = {
        basis: evidenceIds,
        text: refused ? null : text,
        drafted: textOf(card),
      };
      if (!await saveWords(tx, id, words)) continue;
      if (refused) deps.log.info("a card's words were refused", { card: id, reason: text });
      tally[refused ? "refused" : "written"]++;
    }
  });
  report.written += tally.written;
  report.refused += tally.refused;
}
