/** Cards that a language model reads before they are listed: whether their quotes show one want. */
import { cardsToReview, quotedPosts, saveReview } from "../../db/corpus/card_reviews.ts";
import { askInBatches, chunks } from "../../model/batches.ts";
import {
  isListed,
  type Judgement,
  REVIEWED_PER_CALL,
  type ReviewedCard,
  reviewOf,
  reviewQuestion,
} from "../cards/review.ts";
import { readCard } from "../cards/stored.ts";
import type { Card } from "../cards/types.ts";
import type { Sql } from "../../db/sql.ts";
import { withReconnect } from "../session.ts";
import type { ModelDeps, ModelReport } from "./model_types.ts";

/** A card, and what is asked about it. */
export interface DueCard {
  readonly card: Card;
  readonly asked: ReviewedCard;
}

/** Cards a run: the best first, the others in the next one. */
const CARDS = 50 * REVIEWED_PER_CALL;
const AT_ONCE = 4;
/** No further question begins after so much of a run. */
const REVIEWING_MS = 3 * 60_000;
/** More cards of one answer than this that are not to be listed are asked about again apart. */
const SUSPICIOUS = 0.6;

/** The best of the cards that are due, with the posts that they quote. */
export async function dueCards(sql: Sql, limit: number): Promise<DueCard[]> {
  const cards = (await cardsToReview(sql, limit)).flatMap((row) => readCard(row.card) ?? []);
  const posts = await quotedPosts(sql, cards.flatMap(({ evidenceIds }) => evidenceIds));
  return cards.flatMap((card): DueCard[] => {
    const quotes = card.evidence.flatMap(({ quote }, i) => {
      const post = posts.get(card.evidenceIds[i] ?? "");
      return post === undefined ? [] : [{ ...post, quote }];
    });
    // One of which a post left this moment is made again.
    if (card.facts === undefined || quotes.length < card.evidence.length) return [];
    const { product, want, narrowedBy } = card.facts;
    return [{ card, asked: { product, want, narrowedBy, quotes } }];
  });
}

/** Reviews the run's share of cards. @throws what the model throws; what is answered is kept. */
export async function reviewCards(
  deps: ModelDeps,
  report: ModelReport,
): Promise<"done" | "more"> {
  const { clock, signal, database } = deps;
  const due = await dueCards(database.sql, CARDS);
  const until = clock.now().getTime() + REVIEWING_MS;
  await askInBatches({
    batches: chunks(due, REVIEWED_PER_CALL),
    atOnce: AT_ONCE,
    goesOn: () => !signal.aborted && clock.now().getTime() < until,
    ask: async (batch) => {
      const judgements = await askAbout(deps, batch);
      await withReconnect(deps, () => store(deps, batch, judgements, report));
    },
    giveUp: (card) => withReconnect(deps, () => store(deps, [card], [null], report)),
  });
  return due.length < CARDS ? "done" : "more";
}

/**
 * Asks about cards. Where most are said to be none, a post of one may have said so of the others: the halves are
 * asked about again, each by itself.
 */
async function askAbout(
  deps: ModelDeps,
  cards: readonly DueCard[],
): Promise<readonly (Judgement | null)[]> {
  const question = reviewQuestion(cards.map(({ asked }) => asked));
  const judgements = await deps.model.ask(question, deps.signal, deps.onCost);
  const none = judgements.filter((judgement) => judgement !== null && !isListed(judgement)).length;
  if (cards.length === 1 || none <= SUSPICIOUS * cards.length) return judgements;
  const again: (Judgement | null)[] = [];
  for (const half of chunks(cards, Math.ceil(cards.length / 2))) {
    again.push(...await askAbout(deps, half));
  }
  return again;
}

async function store(
  deps: ModelDeps,
  cards: readonly DueCard[],
  judgements: readonly (Judgement | null)[],
  report: ModelReport,
): Promise<void> {
  const tally = { judged: 0, unlisted: 0, narrowed: 0 };
  await deps.database.sql.begin(async (tx) => {
    await deps.session.assertLease(tx);
    for (const [i, { card }] of cards.entries()) {
      const review = reviewOf(card, judgements[i] ?? null);
      const hidden = card.evidenceIds.length - review.shows.length;
      const saved = await saveReview(tx, card.id, review, {
        quotes: card.evidenceIds,
        changed: hidden > 0,
      });
      if (!saved) continue;
      tally.judged++;
      if (!review.listed) tally.unlisted++;
      else if (hidden > 0) tally.narrowed++;
    }
  });
  report.judged += tally.judged;
  report.unlisted += tally.unlisted;
  report.narrowed += tally.narrowed;
}
