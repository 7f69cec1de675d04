/** Archives of made-up submissions that plainly carry demand. */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** What is asked for, in three groups of wishes, and the two ways in which the last one failed. */
const PRODUCTS = [
  ["headphones", ["waterproof", "wireless", "lightweight"], ["running", "commuting"]],
  ["flashlight", ["waterproof", "rechargeable", "compact"], ["camping", "hiking"]],
  ["backpack", ["waterproof", "lightweight", "durable"], ["hiking", "travel"]],
  ["keyboard", ["quiet", "wireless", "compact"], ["gaming", "work"]],
  ["boots", ["waterproof", "lightweight", "warm"], ["hiking", "work"]],
  ["laptop", ["lightweight", "quiet", "durable"], ["school", "travel"]],
] as const;
const FAULTS = ["broke after a month", "are too heavy"] as const;
/** So many of a product in a row wish for the same. */
const ALIKE = 12;
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

/** Words of its own, so that no submission is a copy of another. */
const tail = (n: number): string =>
  Array.from({ length: 24 }, (_, i) => (n * 7_919 + i * 104_729) % 999_983).join(" ");

/** The `n`th submission: the same every time. */
export function submission(n: number, over: Partial<Submission> = {}): Submission {
  const [product, wishes, uses] = PRODUCTS[n % PRODUCTS.length] ?? PRODUCTS[0];
  const turn = Math.floor(n / PRODUCTS.length);
  const wish = wishes[Math.floor(turn / ALIKE) % wishes.length] ?? "";
  const use = uses[turn % uses.length] ?? "";
  const fault = FAULTS[turn % FAULTS.length] ?? "";
  return {
    id: `t${n.toString(36)}`,
    subreddit: "BuyItForLife",
    title: `Looking for ${wish} ${product} for ${use}`,
    selftext: `My third pair of ${product} ${fault}, and I am tired of it. ` +
      `Can anyone recommend ${wish} ${product} under $${50 + (n % 200)}? Thanks from reader ${n}. ${
        tail(n)
      }`,
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
