/** The author's own words, cut into sentences that know where they stand in the text they came from. */
import { cutText } from "../../core/cut_text.ts";

/** A stretch of a title or body: `text` is exactly `source.slice(start, end)`, trimmed. */
export interface TextSentence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Abbreviations whose full stop does not end a sentence. */
const ABBREVIATIONS = new Set(
  "e.g i.e eg ie etc vs mr mrs ms dr st approx min max inc ltd jr sr oz lb lbs ft no vol fig".split(
    " ",
  ),
);

/** List marks, headings and emphasis that open a line without being words of it. */
const OPENING = /^[\s#*•·–—_-]{0,12}(?:\d{1,2}[.)]\s{1,4})?/;
const ONLY_LINK = /^\W{0,8}(?:\[[^\]]{0,200}\]\()?(?:https?:\/\/|www\.)\S{1,2000}\W{0,4}$/i;
const SIGNATURE = /^(?:--\s*|sent from my .{0,40}|posted (?:from|using|via) .{0,60})$/i;
/** What the site leaves in place of a text that is gone. */
const GONE = /^\[(?:deleted|removed)\]$/;
const RULE = /^[\s*_=~.-]{3,}$/;

/**
 * Splits a body into at most `maxSentences` sentences, up to the line in which the author's words reach `maxChars`.
 * Quoted lines (`>`), code (fenced, or indented by four spaces), lines that are only a link, rules and
 * signatures are left out. Linear in the text it reads, and it reads at most four times `maxChars`.
 */
export function splitBody(body: string, maxChars: number, maxSentences: number): TextSentence[] {
  const out: TextSentence[] = [];
  const limit = cutText(body, maxChars * 4).length;
  let kept = 0;
  let fenced = false;
  for (let at = 0; at < limit && kept < maxChars && out.length < maxSentences;) {
    let stop = body.indexOf("\n", at);
    if (stop < 0 || stop > limit) stop = limit;
    const line = body.slice(at, stop);
    const from = at;
    at = stop + 1;
    const bare = line.trim();
    if (bare.startsWith("```") || bare.startsWith("~~~")) {
      fenced = !fenced;
      continue;
    }
    if (fenced || bare === "" || GONE.test(bare) || isNotOwnWords(line, bare)) continue;
    if (SIGNATURE.test(bare.slice(0, 120))) break;
    const skip = OPENING.exec(line)?.[0].length ?? 0;
    kept += bare.length;
    splitLine(line, skip, from, out, maxSentences);
  }
  return out;
}

/** Splits at most `maxChars` of a title likewise; a title has no markup to leave out. */
export function splitTitle(title: string, maxChars: number, maxSentences = 8): TextSentence[] {
  const out: TextSentence[] = [];
  splitLine(cutText(title, maxChars), 0, 0, out, maxSentences);
  return out;
}

/** Whether a line of Markdown quotes somebody else: it begins with ">", as such or as an entity. */
export const isQuotedLine = (line: string): boolean => /^\s*(?:>|&gt;)/.test(line);

function isNotOwnWords(line: string, bare: string): boolean {
  if (isQuotedLine(bare)) return true;
  if (line.startsWith("    ") || line.startsWith("\t")) {
    return !/^[\s]*(?:[*•-]|\d{1,2}[.)])\s/.test(line);
  }
  if (RULE.test(bare.slice(0, 80)) && !/[^\s*_=~.-]/.test(bare)) return true;
  return bare.length < 2300 && ONLY_LINK.test(bare);
}

/** Cuts one line at `.`, `!`, `?` and `…` that are followed by a space, and appends what it finds. */
function splitLine(
  line: string,
  skip: number,
  offset: number,
  out: TextSentence[],
  maxSentences: number,
): void {
  let start = skip;
  for (let i = skip; i < line.length && out.length < maxSentences; i++) {
    const c = line.charCodeAt(i);
    if (c !== 0x2e && c !== 0x21 && c !== 0x3f && c !== 0x2026) continue;
    let end = i + 1;
    while (end < line.length && isClosing(line.charCodeAt(end))) end++;
    const next = line.charCodeAt(end);
    if (end < line.length && next !== 0x20 && next !== 0xa0 && next !== 0x09) continue;
    if (c === 0x2e && end === i + 1 && isAbbreviation(line, start, i)) continue;
    push(line, start, end, offset, out);
    start = end;
    i = end - 1;
  }
  if (out.length < maxSentences) push(line, start, line.length, offset, out);
}

/** What may follow a full stop before the space: more stops, closing quotes, brackets, emphasis. */
function isClosing(c: number): boolean {
  return c === 0x2e || c === 0x21 || c === 0x3f || c === 0x22 || c === 0x27 || c === 0x29 ||
    c === 0x2a ||
    c === 0x5d || c === 0x2019 || c === 0x201d || c === 0x2026;
}

function isAbbreviation(line: string, start: number, dot: number): boolean {
  let from = dot;
  while (from > start && dot - from < 8 && line.charCodeAt(from - 1) > 0x20) from--;
  const word = line.slice(from, dot).toLowerCase().replace(/^\W+/, "");
  return word.length > 0 && ABBREVIATIONS.has(word);
}

function push(line: string, from: number, to: number, offset: number, out: TextSentence[]): void {
  let start = from;
  let end = to;
  while (start < end && line.charCodeAt(start) <= 0x20) start++;
  while (end > start && line.charCodeAt(end - 1) <= 0x20) end--;
  if (end > start) {
    out.push({ text: line.slice(start, end), start: offset + start, end: offset + end });
  }
}

const MAIL = /[\w.+-]@[\w-]{1,63}\.[a-z]/i;
const HANDLE =
  /(?:^|[^\w.@])@(?!\d+(?:[.,]\d+)?\s?(?:[kmg]?hz|fps|[kmpvwax]|am|pm|mm|cm|lbs?|ohms?)?\b)\w{2,}/i;
const USER = /(?:^|[^\w])\/?(?:u|user)\/[\w-]{2,}/i;
const PHONE = /(?:\+\d|\(\d{3}\)|(?<![\d$£€.])\d{3})[\s.-]{0,2}\d{3}[\s.-]{0,2}\d{3,4}(?!\d)/;
const SHORT_PHONE =
  /\b(?:call|text|phone|tel|cell|ring|fax|whatsapp)\b.{0,30}\b\d{3}[\s.-]?\d{4}\b/i;
const DIGITS = /\+?\d(?:[\s().-]{0,2}\d){9,14}/;

/** Whether a text holds an e-mail address, a phone number or a user name (`u/name`, `@name`): never quoted. */
export function containsPersonal(text: string): boolean {
  if (text.includes("@") && (MAIL.test(text) || HANDLE.test(text))) return true;
  if (text.includes("/") && USER.test(text)) return true;
  return /\d{3}/.test(text) && (PHONE.test(text) || SHORT_PHONE.test(text) || DIGITS.test(text));
}
