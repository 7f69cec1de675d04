/** Values that say of a thing only that it is to be good, not dear, or to be had at all. */

const PRAISE =
  /^(?:a )?(?:(?:very |really )?(?:good|great|nice|decent|better|best|high|top|poor|bad|low) (?:[a-z]+ )?(?:quality|value|price|deal|performance|reviews?|build)|good|best|quality|reliable brand|(?:too |not )?(?:cheap|expensive|pricey|costly|affordable|overpriced)|good (?:for|bang).*|(?:hard|difficult|impossible) to (?:find|get)|out of stock|sold out|discontinued|(?:not |un)available)$/;

/**
 * Whether a canonical value is praise or a price that fits any product ("good quality", "too
 * expensive", "hard to find"): it becomes neither a want nor a companion.
 */
export function isPraise(value: string): boolean {
  return PRAISE.test(value);
}
