/** Standard output and standard error, whose readers may leave before everything is said, and lines for a terminal. */
import process from "node:process";
import { errorCode } from "../core/errors.ts";

/** What a shell reports of a program that SIGPIPE ended: 128 and the signal's number. */
const EXIT_PIPE = 141;

/** Node's code and Deno's name for a pipe without a reader. */
function isClosedPipe(error: unknown): boolean {
  return errorCode(error) === "EPIPE" ||
    (error instanceof Error && error.name === "BrokenPipe");
}

function leave(error: unknown): void {
  if (isClosedPipe(error)) process.exit(EXIT_PIPE);
  throw error;
}

/** Writes what a command says. Where nobody reads it any more (`| head -1`), the command ends quietly. */
export function writeOut(text: string): void {
  try {
    process.stdout.write(text);
  } catch (error) {
    leave(error);
  }
}

/** Writes logs and complaints. Where nobody reads them any more, the work goes on without them. */
export function writeError(text: string): void {
  try {
    process.stderr.write(text);
  } catch (error) {
    if (!isClosedPipe(error)) throw error;
  }
}

/**
 * Treats a reader that left as `writeOut` and `writeError` do, where the streams report it later on
 * their own. Called once, at the start.
 */
export function guardStreams(): void {
  process.stdout.on("error", leave);
  process.stderr.on("error", (error) => {
    if (!isClosedPipe(error)) throw error;
  });
}

const COLUMNS = 80;

/**
 * A text's words in lines of at most 80 columns (a longer word stands alone), each behind `indent`
 * spaces and `mark`, or as many spaces, with its line end.
 */
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
