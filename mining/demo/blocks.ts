/** The demonstration corpus as it is written, read into posts that are not dated yet. */
import { OperatorError } from "../../core/errors.ts";
import { CATEGORIES, type CategorySlug } from "../categories.ts";
import { type Pattern, PATTERNS } from "../types.ts";

/** What a post of the demonstration was written to be. Read by tests and measurements, never by mining. */
export interface DemoAnnotation {
  /** The want that posts by several authors share, or null for one that stands alone. */
  readonly want: string | null;
  /** The main demand pattern, or null for a post that must not become a signal. */
  readonly pattern: Pattern | null;
  /** True where a sentence names an address, a number or a user and must not be quoted. */
  readonly private: boolean;
}

/** One post of the demonstration, not yet dated. */
export interface DemoBlock {
  readonly daysAgo: number;
  readonly author: string;
  readonly upvotes: number;
  readonly comments: number;
  /** The category whose demonstration community it was posted to. */
  readonly category: CategorySlug;
  readonly title: string;
  readonly body: string;
  readonly annotation: DemoAnnotation;
}

const HEADER = /^(\d{1,2}) ([a-z0-9_]+) (\d+) (\d+) ([a-z-]+) ([a-z_]+)((?: [a-z=-]+)*)$/;

/** Begins the posts of a category. */
const SECTION = /^=== ([a-z-]+)\n/;

/**
 * Reads the demonstration's posts: a line `=== CATEGORY` begins a category's, whose blocks stand apart
 * by a line `---`, each a header, a title, and a body that may be empty or hold blank lines. The header is
 *
 *     DAYS_AGO AUTHOR UPVOTES COMMENTS WANT PATTERN [in=CATEGORY] [private]
 *
 * where WANT is `-` for a post that stands alone and PATTERN is `noise` for one without demand;
 * `in=` posts it to another category's community than the section's.
 * @throws OperatorError naming the line of the block.
 */
export function parseBlocks(text: string): DemoBlock[] {
  let line = 1;
  return text.trimEnd().split(/\n(?==== )/).flatMap((section) => {
    const slug = SECTION.exec(section)?.[1] ?? "";
    const fail = (rule: string): OperatorError =>
      new OperatorError(`mining/demo/posts.txt:${line}: ${rule}`);
    if (!isCategorySlug(slug)) throw fail(`unknown category ${slug}`);
    line += 1;
    return section.replace(SECTION, "").split("\n---\n").map((block, index) => {
      if (index > 0) line += 1;
      const read = parseBlock(block, slug, fail);
      line += block.split("\n").length;
      return read;
    });
  });
}

function parseBlock(
  block: string,
  home: CategorySlug,
  fail: (rule: string) => OperatorError,
): DemoBlock {
  const [header = "", title = "", ...rest] = block.split("\n");
  const fields = HEADER.exec(header);
  if (fields === null) throw fail("the header does not fit");
  if (title.trim() === "") throw fail("the title is missing");
  const [, days = "", author = "", upvotes, comments, want = "", label = "", extra = ""] = fields;
  const pattern = PATTERNS.find((known) => known === label) ?? null;
  if (pattern === null && label !== "noise") throw fail(`unknown pattern ${label}`);
  if (pattern === null && want !== "-") throw fail("noise has no want");
  let category = home;
  let isPrivate = false;
  for (const option of extra.split(" ").filter((word) => word !== "")) {
    const slug = option.slice("in=".length);
    if (option === "private") isPrivate = true;
    else if (option.startsWith("in=") && isCategorySlug(slug)) category = slug;
    else throw fail(`unknown option ${option}`);
  }
  return {
    daysAgo: Number(days),
    author,
    upvotes: Number(upvotes),
    comments: Number(comments),
    category,
    title,
    body: rest.join("\n").trim(),
    annotation: { want: want === "-" ? null : want, pattern, private: isPrivate },
  };
}

function isCategorySlug(word: string): word is CategorySlug {
  return Object.hasOwn(CATEGORIES, word);
}
