/** Settings from a file: lines of NAME=value, as shells, Docker and systemd write them. */
import type { Environment } from "./settings.ts";

const LINE = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*?)\s*$/;

/** The value of what stands behind "=". */
function unquoted(raw: string): string {
  const quoted = /^\s*(["'])(.*)\1(?:\s+#.*)?$/.exec(raw);
  if (quoted === null) return raw.replace(/\s#.*$/, "").trim();
  const inside = quoted[2] ?? "";
  if (quoted[1] === "'") return inside;
  return inside.replaceAll(/\\([\\"n])/g, (_, escaped) => escaped === "n" ? "\n" : escaped);
}

/**
 * Reads such a file. Quotes around a value go; "#" begins a comment at the start of a line or after
 * white space, outside quotes. Lines that are neither are left out: `strangeLines` tells them.
 */
export function parseEnvFile(text: string): Environment {
  const values: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const match = LINE.exec(line);
    if (match?.[1] !== undefined) values[match[1]] = unquoted(match[2] ?? "");
  }
  return values;
}

/** Numbers, from 1, of the lines that are neither blank nor a comment nor NAME=value. */
export function strangeLines(text: string): number[] {
  return text.split("\n").flatMap((line, index) =>
    LINE.test(line) || /^\s*(#|$)/.test(line) ? [] : [index + 1]
  );
}
