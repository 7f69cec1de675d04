/** What no card says in our words, whatever its posts say. */

const RULES: readonly (readonly [string, RegExp])[] = [
  ["a telephone number", /(?:\d[\s().+/-]*){7}/],
  ["markup", /\*\*|__|^\s*[#>-]\s/m],
  ["letters of another script", /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u],
  ["words to the reader", /\b(?:you|your|yours|yourself)\b/i],
  [
    "an insult",
    /\b(?:fuck\w*|shit\w*|bitch\w*|cunts?|assholes?|bastards?|whores?|sluts?|nigg\w+|fagg?\w*|retard\w*|trann\w+|kikes?)\b/i,
  ],
];

/** Which of these a text holds, or null. */
export function unfit(text: string): string | null {
  return RULES.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
