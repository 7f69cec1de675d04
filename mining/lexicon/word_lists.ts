/** The form that lists of words in text files share. */

/** The lines of a list, trimmed: without the empty ones and the comments, which begin with `#`. */
export const listLines = (text: string): readonly string[] =>
  text.split("\n").map((line) => line.trim()).filter((line) =>
    line !== "" && !line.startsWith("#")
  );
