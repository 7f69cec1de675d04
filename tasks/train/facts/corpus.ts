/** Labelled posts made ready for training the tagger. */
import { prepare, type Prepared } from "../../../mining/extract/features.ts";
import { lookUp } from "../../../mining/extract/gazetteers.ts";
import type { Lexemes } from "../../../mining/classify/lexemes.ts";
import { beginOf, insideOf, PRODUCT } from "../../../mining/extract/tagger.ts";
import { tokenize, type Tokens } from "../../../mining/extract/tokens.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import type { LabelledPost } from "../data.ts";
import type { TaggedPost } from "./crf.ts";
import type { FactLabel } from "./labels.ts";

/** A labelled post as the tagger sees it. */
export interface FactPost extends TaggedPost {
  readonly source: LabelledPost;
  readonly label: FactLabel;
}

/** The tokens that a stretch of characters covers, or null where it covers none. */
export function tokensIn(tokens: Tokens, start: number, end: number): [number, number] | null {
  let from = -1;
  let to = -1;
  for (let i = 0; i < tokens.word.length && tokens.start[i]! < end; i++) {
    if (tokens.end[i]! <= start) continue;
    if (from < 0) from = i;
    to = i + 1;
  }
  return from < 0 ? null : [from, to];
}

/** Reads a post and lays its label over its tokens. */
export function factPost(source: LabelledPost, label: FactLabel, lexemes: Lexemes): FactPost {
  const tokens = tokenize(source);
  const post: Prepared = prepare(tokens, lookUp(tokens), lexemes);
  const tags = new Uint8Array(tokens.word.length);
  // Of facts that lie over each other the shorter is written last, and so is whole.
  const spans = label.facts.map(([type, start, end]) => ({
    type: FACT_TYPES.indexOf(type),
    start,
    end,
  }));
  if (label.product_span !== null) {
    const [start, end] = label.product_span;
    spans.push({ type: PRODUCT, start, end });
  }
  spans.sort((a, b) => (b.end - b.start) - (a.end - a.start));
  for (const { type, start, end } of spans) {
    const place = tokensIn(tokens, start, end);
    if (place === null) continue;
    mark(tags, place[0], place[1], type);
    repeat(tokens, tags, place, type);
  }
  return { source, label, post, tags };
}

function mark(tags: Uint8Array, from: number, to: number, type: number): void {
  for (let i = from; i < to; i++) tags[i] = i === from ? beginOf(type) : insideOf(type);
  // What an overwritten span leaves behind begins anew.
  const after = tags[to];
  if (after !== undefined && after > 0 && after % 2 === 0 && after !== insideOf(type)) {
    tags[to] = after - 1;
  }
}

/** A reader says a thing once; where the same words stand again, they say it again. */
function repeat(tokens: Tokens, tags: Uint8Array, place: [number, number], type: number): void {
  const { word } = tokens;
  const [from, to] = place;
  const length = to - from;
  const text = word.slice(from, to).join(" ");
  if (text.length < 4 && type !== PRODUCT) return;
  for (let i = 0; i + length <= word.length; i++) {
    if (i === from || word[i] !== word[from]) continue;
    let same = true;
    for (let k = 0; k < length && same; k++) {
      same = word[i + k] === word[from + k] && tags[i + k] === 0;
    }
    if (same && (type === PRODUCT || length > 0)) mark(tags, i, i + length, type);
  }
}
