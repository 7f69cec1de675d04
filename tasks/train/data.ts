/** Labels and posts as files, read with care: a bad line is named. */
import { existsSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { messageOf, OperatorError } from "../../core/errors.ts";
import { type Level, type Pattern, PATTERNS, type PostText } from "../../mining/types.ts";

export interface LabelledPost extends PostText {
  readonly id: string;
}

export interface Label {
  readonly id: string;
  readonly physical: boolean;
  readonly pattern: Pattern | null;
  readonly also: Pattern | null;
  readonly intensity: Level;
  readonly wtp: Level;
  readonly product: string | null;
}

/** The development set. It stands beside the repository: the text of its posts belongs to their authors. */
export const DEV = {
  labels: "../shared/labels/dev.tsv",
  posts: "../shared/posts/dev.ndjson.gz",
} as const;

const COLUMNS = ["id", "physical", "pattern", "also", "intensity", "wtp", "product"];

/** Reads a label file (tab-separated, with a header). @throws OperatorError naming file and line. */
export function readLabels(path: string): Label[] {
  const lines = readText(path).split("\n");
  const header = lines[0]?.replace(/\r$/, "").split("\t") ?? [];
  const at = COLUMNS.map((column) => header.indexOf(column));
  const missing = COLUMNS.filter((_, i) => at[i] === -1);
  if (missing.length > 0) throw new OperatorError(`${path}:1: no column ${missing.join(", ")}`);
  const out: Label[] = [];
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i]!.replace(/\r$/, "");
    if (line === "") continue;
    const cells = line.split("\t");
    const cell = (column: number): string => {
      const value = cells[at[column]!];
      if (value === undefined || (value === "" && column !== 3 && column !== 6)) {
        throw new OperatorError(`${path}:${i + 1}: ${COLUMNS[column]} is missing`);
      }
      return value;
    };
    const fail = (column: number): never => {
      throw new OperatorError(
        `${path}:${i + 1}: ${COLUMNS[column]} cannot be ${JSON.stringify(cell(column))}`,
      );
    };
    const pattern = (column: number, none: string): Pattern | null => {
      const value = cell(column);
      if (value === none || value === "") return null;
      return PATTERNS.find((name) => name === value) ?? fail(column);
    };
    const level = (column: number): Level => {
      const value = Number(cell(column));
      return value === 0 || value === 1 || value === 2 || value === 3 ? value : fail(column);
    };
    if (!/^[01]$/.test(cell(1))) fail(1);
    out.push({
      id: cell(0),
      physical: cell(1) === "1",
      pattern: pattern(2, "none"),
      also: pattern(3, "-"),
      intensity: level(4),
      wtp: level(5),
      product: cell(6) === "-" || cell(6) === "" ? null : cell(6),
    });
  }
  return out;
}

/** Reads posts (NDJSON, plain or gzip). @throws OperatorError naming file and line. */
export function readLabelledPosts(path: string): LabelledPost[] {
  const out: LabelledPost[] = [];
  const lines = readText(path).split("\n");
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.trim() === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new OperatorError(`${path}:${i + 1}: not JSON`);
    }
    const post = value as Record<string, unknown> | null;
    if (post === null || typeof post !== "object" || typeof post.id !== "string") {
      throw new OperatorError(`${path}:${i + 1}: a post needs an id`);
    }
    if (typeof post.title !== "string") {
      throw new OperatorError(`${path}:${i + 1}: a post needs a title`);
    }
    out.push({
      id: post.id,
      title: post.title,
      body: typeof post.selftext === "string"
        ? post.selftext
        : typeof post.body === "string"
        ? post.body
        : "",
      community: typeof post.subreddit === "string" ? post.subreddit : "",
    });
  }
  return out;
}

/** Gives back the path of a file that is there. @throws OperatorError that says what to name instead. */
export function requireFile(path: string): string {
  if (existsSync(path)) return path;
  throw new OperatorError(
    Object.values<string>(DEV).includes(path)
      ? `${path} is not here: the development set is not in the repository, since its posts belong to their ` +
        "authors; name posts and labels of your own in its form (docs/classification.md)"
      : `${path}: there is no such file`,
  );
}

function readText(path: string): string {
  requireFile(path);
  let bytes: Uint8Array;
  try {
    bytes = Deno.readFileSync(path);
  } catch (error) {
    throw new OperatorError(
      `${path}: cannot be read (${messageOf(error)})`,
    );
  }
  try {
    const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
    return new TextDecoder().decode(plain);
  } catch {
    throw new OperatorError(`${path}: is not a whole gzip file`);
  }
}
