/** Cards that a language model reads before they are listed: whether their quotes show one want. */
import { quotedPosts, saveReview } from "../../db/corpus/card_additions.ts";
import { askByHalves } from "../../model/batches.ts";
import {
  isListed,
  type Judgement,
  REVIEWED_PER_CALL,
  type ReviewedCard,
  reviewOf,
  reviewQuestion,
} from "../cards/review.ts";
import type { Card } from "../cards/types.ts";
import type { Sql } from "../../db/sql.ts";
import { askAboutDue, cardsLacking } from "./due_cards.ts";
import type { ModelDeps, ModelReport, Tally } from "./model_types.ts";

/** A card, and what is asked about it. */
interface DueCard {
  readonly card: Card;
  readonly asked: ReviewedCard;
}

/** The best of the cards that are due, with the posts that they quote. */
export async function dueCards(sql: Sql, limit: number): Promise<DueCard[]> {
  const cards = await cardsLacking(sql, "review", limit);
  const posts = await quotedPosts(sql, cards.flatMap(({ evidenceIds }) => evidenceIds));
  return cards.flatMap((card): DueCard[] => {
    const quotes = card.evidence.flatMap(({ quote }, i) => {
      const post = posts.get(card.evidenceIds[i] ?? "");
      return post === undefined ? [] : [{ ...post, quote }];
    });
    // One of which a post left this moment is made again.
    if (quotes.length < card.evidence.length) return [];
    const { product, want, narrowedBy } = card.facts;
    return [{ card, asked: { product, want, narrowedBy, quotes } }];
  });
}

/** Reviews the run's share of cards. @throws what the model throws; what is answered is kept. */
export const reviewCards = (deps: ModelDeps, report: ModelReport): Promise<void> =>
  askAboutDue<DueCard, Judgement | null>(deps, report, {
    perCall: REVIEWED_PER_CALL,
    due: (limit) => dueCards(deps.database.sql, limit),
    ask: (batch) =>
      askByHalves(batch, {
        ask: (cards) =>
          deps.model.ask(reviewQuestion(cards.map(({ asked }) => asked)), deps.signal, deps.onCost),
        isNone: (judgement) => judgement !== null && !isListed(judgement),
        trusted: 1,
      }),
    store: (batch, judgements) => store(deps, batch, judgements),
    none: null,
  });

async function store(
  deps: ModelDeps,
  cards: readonly DueCard[],
  judgements: readonly (Judgement | null)[],
): Promise<Tally> {
  return await deps.database.sql.begin(async (tx) => {
    const tally = { cardsReviewed: 0, unlisted: 0, narrowed: 0 };
    await deps.session.assertLease(tx);
    for (const [i, { card }] of cards.entries()) {
      const review = reviewOf(card, judgements[i] ?? null);
      const hidden = card.evidenceIds.length - review.shows.length;
      const saved = await saveReview(tx, card.id, review, {
        quotes: card.evidenceIds,
        changed: hidden > 0,
      });
      if (!saved) continue;
      tally.cardsReviewed++;
      if (!review.listed) tally.unlisted++;
      else if (hidden > 0) tally.narrowed++;
    }
    return tally;
  });
}
