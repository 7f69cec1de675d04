/** The documents that an operator needs, inside the executable: `demand help TOPIC`. */
import changelog from "../CHANGELOG.md" with { type: "text" };
import api from "../docs/api.md" with { type: "text" };
import settings from "../docs/configuration.md" with { type: "text" };
import model from "../docs/model.md" with { type: "text" };
import operating from "../docs/operating.md" with { type: "text" };
import payment from "../docs/payment.md" with { type: "text" };
import running from "../docs/running.md" with { type: "text" };
import scaling from "../docs/scaling.md" with { type: "text" };
import security from "../SECURITY.md" with { type: "text" };
import { wrapped } from "./output.ts";
import { type Topic, TOPICS } from "./help.ts";

const DOCUMENTS: Readonly<Record<Topic, string>> = {
  running,
  settings,
  operating,
  payment,
  model,
  scaling,
  security,
  api,
  changelog,
};

/** Links as a terminal can follow them: to another topic, or by their address. */
const withoutLinks = (text: string): string =>
  text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_link, words: string, target: string) => {
    const file = target.replace(/#.*$/, "").split("/").at(-1) ?? "";
    const [topic] = Object.entries(TOPICS).find(([, document]) => document.file === file) ?? [];
    if (topic !== undefined) return `${words} (demand help ${topic})`;
    return /^https?:/.test(target) ? `${words} (${target})` : words;
  });

/** The cells of a table's row; a bar behind a backslash is text. */
const cellsOf = (row: string): string[] =>
  row.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

/** A table as a list: each row by its first cell, the others under it. */
function list(rows: readonly string[]): string {
  const [names = [], , ...entries] = rows.map(cellsOf);
  return entries.map(([first = "", ...others]) => {
    const rest = others.map((cell, index) =>
      cell === "" ? "" : wrapped(cell, 4, others.length === 1 ? "" : `${names[index + 1] ?? ""}: `)
    );
    return wrapped(first, 2) + rest.join("");
  }).join("");
}

/** What begins an item of a list, with its mark. */
const ITEM = /^( *)((?:-|\d+\.) +)(.*)$/;

/**
 * Markdown as text of 80 columns: tables become lists, paragraphs are filled, code stays as it is.
 * Exported for tests: its caller gives the documents alone.
 */
export function readable(markdown: string): string {
  let out = "";
  let paragraph = { indent: 0, mark: "", text: "" };
  let rows: string[] = [];
  let isCode = false;
  const flush = (): void => {
    out += wrapped(paragraph.text, paragraph.indent, paragraph.mark);
    if (rows.length > 0) out += list(rows);
    paragraph = { indent: 0, mark: "", text: "" };
    rows = [];
  };
  for (const line of withoutLinks(markdown).split("\n")) {
    const [, indent = "", mark, text = ""] = ITEM.exec(line) ?? [];
    if (line.startsWith("```")) {
      flush();
      isCode = !isCode;
    } else if (isCode) out += `  ${line}\n`;
    else if (line.trimStart().startsWith("|")) rows.push(line.trim());
    else if (line === "" || line.startsWith("#")) {
      flush();
      out += `${line.replace(/^#+ /, "").toUpperCase()}\n`;
    } else if (mark !== undefined) {
      flush();
      paragraph = { indent: indent.length, mark, text };
    } else paragraph = { ...paragraph, text: `${paragraph.text} ${line}` };
  }
  flush();
  return out;
}

/** The document of a topic, as text of 80 columns. */
export const topicText = (topic: Topic): string => readable(DOCUMENTS[topic]);
