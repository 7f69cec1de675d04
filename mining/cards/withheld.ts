/** The error for a card whose quotes are all withheld: its source did not confirm the posts lately. */
import { ServiceError } from "../../core/errors.ts";

/** Posts behind cards are looked up before all others, and the catalogue is read again this often. */
const CARD_RETRY_SECONDS = 600;
/** A query may match any stored post, and a run looks those up last: half an hour apart by default. */
const MATCHES_RETRY_SECONDS = 1_800;

function unconfirmed(posts: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError(
    "source_unavailable",
    `The posts ${posts} could not be confirmed at their source lately; try again later.`,
    { retryAfterSeconds },
  );
}

/** What a card without a quote is: its evidence is what it is bought for. */
export const unconfirmedCard = (): ServiceError =>
  unconfirmed("behind this card", CARD_RETRY_SECONDS);

/** Posts that may have been removed meanwhile are no evidence, and no sign of a cold market either. */
export const unconfirmedMatches = (): ServiceError =>
  unconfirmed("that match", MATCHES_RETRY_SECONDS);
