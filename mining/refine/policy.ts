/** How much a language model is asked in one mining run. The day's budget bounds it further. */

export const POSTS_PER_CALL = 20;
export const POST_CALLS = 10;
export const CARDS_PER_CALL = 4;
export const CARD_CALLS = 10;
/** Of an answer around its entries. */
export const FRAME_TOKENS = 100;
/** What is believed of a pattern that a model confirmed, or changed. */
export const CONFIRMED = 0.85;
export const CHANGED = 0.7;
