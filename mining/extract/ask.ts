/** From what a language model says of a post to a reading of it: its spans are found in the post, then verified. */
import type { AskedReading } from "./reading_prompt.ts";
import type { PostText } from "../types.ts";
import type { Extraction } from "./types.ts";
import { type ClaimedFact, type ClaimedReading, placeIn, verify } from "./verify.ts";

/** How likely what a model says and the post bears out is so: two careful readers agree as often. */
const CERTAINTY = { demand: 0.97, kind: 0.97, fact: 0.9 } as const;
/** A reading of which less than this share stands in the post is one of another post, or made up. */
const LEAST_FOUND = 0.5;

/**
 * The reading of a post that a model claims, with those facts whose spans stand in the post. Case,
 * quotation marks, dashes and white space may differ. Null where it names no product, or where less
 * than `LEAST_FOUND` of its facts stand in the post: such a reading is of another post, or made up.
 */
export function readingOf(post: PostText, asked: AskedReading): Extraction | null {
  const text = foldedText(`${post.title}\n${post.body}`);
  const facts = asked.facts.flatMap((fact): ClaimedFact[] => {
    const place = find(text, fact.span);
    return place === null ? [] : [{ ...fact, ...place, certainty: CERTAINTY.fact }];
  });
  if (facts.length < LEAST_FOUND * asked.facts.length) return null;
  const product = find(text, asked.productSpan);
  const claim: ClaimedReading = {
    product: asked.product,
    kind: asked.kind,
    product_span: product?.span ?? "",
    ...(product === null ? {} : { productStart: product.start }),
    facts,
    certainty: CERTAINTY.demand,
    kindCertainty: CERTAINTY.kind,
  };
  return verify(post, claim);
}

/**
 * Makes a function that finds a copied span in `title + "\n" + body`, as `readingOf` does: where it
 * stands, its end exclusive, or null.
 */
export function placesIn(
  { title, body }: Pick<PostText, "title" | "body">,
): (copied: string) => readonly [start: number, end: number] | null {
  const text = foldedText(`${title}\n${body}`);
  return (copied) => {
    const place = find(text, copied);
    return place === null ? null : [place.start, place.start + place.span.length];
  };
}

/** A text as it compares with a copy of it: case, quotation marks, dashes and white space are one each. */
interface Folded {
  readonly text: string;
  readonly folded: string;
  /** Where each character of `folded` begins and ends in `text`. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const PART = /&(?:amp|lt|gt|quot);|[\s\u00a0]+|[\s\S]/g;
const SAME: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "’": "'",
  "‘": "'",
  "“": '"',
  "”": '"',
  "–": "-",
  "—": "-",
  // Emphasis and what cannot be seen are left out of copies.
  "*": "",
  "\u200b": "",
  "\u200d": "",
  "\ufeff": "",
};

function foldedText(text: string): Folded {
  let folded = "";
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { 0: part, index } of text.matchAll(PART)) {
    const lower = part.toLowerCase();
    const plain = SAME[lower] ?? (/^\s/.test(part) ? " " : lower.length === 1 ? lower : part);
    for (const unit of plain.split("")) {
      folded += unit;
      starts.push(index);
      ends.push(index + part.length);
    }
  }
  return { text, folded, starts, ends };
}

/** Where a copied span stands, and how it is written there; null where it does not. */
function find(
  { text, folded, starts, ends }: Folded,
  copied: string,
): { readonly span: string; readonly start: number } | null {
  const wanted = foldedText(copied.trim()).folded.trim();
  const at = wanted === "" ? -1 : placeIn(folded, wanted);
  if (at < 0) return null;
  const start = starts[at] ?? 0;
  return { span: text.slice(start, ends[at + wanted.length - 1] ?? start), start };
}
