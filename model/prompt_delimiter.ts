/** Untrusted text in a prompt: it is quoted as data between delimiters that its authors cannot guess. */
import type { Message } from "./types.ts";

const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Text without control, format and line-breaking characters, its spaces folded. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, " ").replace(/\s+/g, " ").trim();
}

/**
 * A text as one line of JSON, of at most `limit` characters: without control characters, and unable to end its
 * quotes or the delimited data.
 */
export function asData(text: string, nonce: string, limit: number): string {
  return quoted(text.replace(INVISIBLE, " "), nonce, limit);
}

/** A text as by `asData` whose line breaks matter: they are kept, escaped. */
export function asLines(text: string, nonce: string, limit: number): string {
  return quoted(text.replace(INVISIBLE, (gap) => gap.includes("\n") ? "\n" : " "), nonce, limit);
}

/** A value as one line of JSON, each text in it as by `asData`; numbers and field names are trusted. */
export function asJson(value: unknown, nonce: string, limit: number): string {
  if (typeof value === "string") return asData(value, nonce, limit);
  if (Array.isArray(value)) return `[${value.map((one) => asJson(one, nonce, limit)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${JSON.stringify(name)}: ${asJson(field, nonce, limit)}`);
  return `{${fields.join(", ")}}`;
}

function quoted(visible: string, nonce: string, limit: number): string {
  const cut = [...visible.replaceAll(nonce, "").trim()].slice(0, limit).join("");
  return JSON.stringify(cut).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
}

/** The messages of a question about numbered things, one line of data each: `things` names them, `before` precedes them. */
export function numberedQuestion(
  task: string,
  nonce: string,
  things: string,
  lines: readonly string[],
  before: readonly string[] = [],
): readonly Message[] {
  const closing =
    `Now answer with the JSON object described at the beginning, for ${things} 1 to ${lines.length}.`;
  return [
    { role: "system", content: task },
    { role: "user", content: [...delimited(nonce, [...before, ...lines]), closing].join("\n") },
  ];
}

/** Lines of data between two delimiters. */
export function delimited(nonce: string, lines: readonly string[]): readonly string[] {
  return [
    `The delimiter is the word ${nonce}. Data follows.`,
    `----- ${nonce} BEGIN`,
    ...lines,
    `----- ${nonce} END`,
  ];
}
