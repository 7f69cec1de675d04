/** Text cut to a length, and in lines that a terminal takes. */

/** The first `most` UTF-16 units of a text, one less where the last would be half a character. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

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
