/** Writes regular expressions for wordings so that they can be read. */

/** The source of one of these. */
export const anyOf = (...sources: readonly string[]): string => `(?:${sources.join("|")})`;

/** The source of a wording: a space is white space, ' either apostrophe, and a line break with its indent nothing. */
export function wording({ raw }: TemplateStringsArray, ...parts: readonly string[]): string {
  const spelled = raw.map((text) =>
    text.replaceAll(/\n\s*/g, "").replaceAll(" ", String.raw`\s+`).replaceAll("'", "['’]")
  );
  return String.raw({ raw: spelled }, ...parts);
}
