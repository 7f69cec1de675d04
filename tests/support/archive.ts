/** Archives of made-up submissions that plainly carry demand. */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const PRODUCTS = ["headphones", "flashlight", "backpack", "keyboard", "running shoes", "laptop"];
const FAULTS = ["broke after a month", "fell apart in the rain", "stopped working", "wore out"];
const NOVEMBER_2026 = 1_793_500_000;

export interface Submission {
  readonly id: string;
  readonly subreddit: string;
  readonly title: string;
  readonly selftext: string;
  readonly author: string;
  readonly created_utc: number;
  readonly score: number;
  readonly num_comments: number;
  readonly permalink: string;
  readonly over_18: boolean;
}

/** The `n`th submission: the same every time. */
export function submission(n: number, over: Partial<Submission> = {}): Submission {
  const product = PRODUCTS[n % PRODUCTS.length] ?? "";
  const fault = FAULTS[n % FAULTS.length] ?? "";
  return {
    id: `t${n.toString(36)}`,
    subreddit: "BuyItForLife",
    title: `Looking for ${product} that last, number ${n}`,
    selftext: `My third pair of ${product} ${fault}, and I am tired of it. ` +
      `Can anyone recommend ${product} under $${50 + (n % 200)} for daily use? Case ${n}.`,
    author: `writer_${n % 997}`,
    created_utc: NOVEMBER_2026 - n * 60,
    score: n % 50,
    num_comments: n % 9,
    permalink: `/r/BuyItForLife/comments/t${n.toString(36)}/looking/`,
    over_18: false,
    ...over,
  };
}

/** Submissions `from`, `from`+1, …, as lines. */
export function lines(count: number, from = 0): string {
  let text = "";
  for (let n = from; n < from + count; n++) text += `${JSON.stringify(submission(n))}\n`;
  return text;
}

/** Writes an archive; gzipped where the name says so. */
export function writeArchive(path: string, text: string): void {
  writeFileSync(path, path.endsWith(".gz") ? gzipSync(text) : text);
}
