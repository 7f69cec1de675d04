/** Text in lines that a terminal takes. */

const COLUMNS = 80;

/** A text's words in lines of at most 80 columns, each behind `indent` and a mark or as many spaces. */
export function wrapped(text: string, indent: number, mark = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== "" && indent + mark.length + line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "") lines.push(line);
  return lines.map((text, index) =>
    `${" ".repeat(indent)}${index === 0 ? mark : " ".repeat(mark.length)}${text}\n`
  ).join("");
}
