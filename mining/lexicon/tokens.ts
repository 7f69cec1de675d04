/** Words of a query or a phrase of the word lists. One pass over a bounded piece of text, no backtracking. */

/** How much is read, in characters. */
const TEXT_LIMIT = 400;
/** Longer runs of letters are not words, and are cut. */
const WORD_LIMIT = 40;

/** The words of a text. Both arrays have one entry per word. */
export interface Words {
  /** Lower case, apostrophes dropped ("womens"), hyphenated words split. */
  readonly word: string[];
  /** True where punctuation separates this word from the next one. */
  readonly breakAfter: boolean[];
}

/** The words of a phrase of the lexicon, by the same rules as a post's. */
export function phraseWords(phrase: string): readonly string[] {
  return splitWords(phrase).word;
}

/**
 * Splits a text into words. Addresses are dropped, markdown marks and quotation marks are passed over; a
 * hyphen, a slash and an underscore split words without separating them.
 */
export function splitWords(whole: string): Words {
  const into: Words = { word: [], breakAfter: [] };
  const text = whole.slice(0, TEXT_LIMIT);
  const end = text.length;
  for (let i = 0; i < end;) {
    const code = text.charCodeAt(i);
    if (!isWordCode(code)) {
      if (code !== SPACE) i = separate(into, text, i);
      else i += 1;
      continue;
    }
    let to = i + 1;
    let plain = true;
    for (; to < end; to += 1) {
      const next = text.charCodeAt(to);
      if (isApostrophe(next)) plain = false;
      else if (!isWordCode(next) && !joins(text, to, next)) break;
    }
    if (isAddress(text, i, to)) {
      i = endOfAddress(text, to);
      continue;
    }
    const raw = text.slice(i, Math.min(to, i + WORD_LIMIT)).toLowerCase();
    const word = plain ? raw : raw.replace(/['’]/g, "");
    into.word.push(american(word));
    into.breakAfter.push(false);
    i = to;
  }
  if (into.word.length > 0) into.breakAfter[into.word.length - 1] = true;
  return into;
}

/** British spellings of words that tell products, needs or looks, so that one want has one spelling. */
const AMERICAN: ReadonlyMap<string, string> = new Map(
  `moisturiser moisturizer|moisturisers moisturizers|moisturising moisturizing|organiser organizer|organisers organizers
organise organize|organised organized|equaliser equalizer|stabiliser stabilizer|stabilisers stabilizers|sanitiser sanitizer
steriliser sterilizer|sterilisers sterilizers|vaporiser vaporizer|vaporisers vaporizers|atomiser atomizer|fertiliser fertilizer
deodoriser deodorizer|customise customize|customised customized|personalised personalized|recognised recognized
colour color|colours colors|coloured colored|grey gray|tyre tire|tyres tires|aluminium aluminum|jewellery jewelry
pyjamas pajamas|pyjama pajama|odour odor|odours odors|odourless odorless|flavour flavor|armour armor|mould mold|mouldy moldy
fibre fiber|whisky whiskey|analogue analog|favourite favorite|cosy cozy|cancelling canceling|travelling traveling`
    .split(/[|\n]/).map((pair) => pair.split(" ") as [string, string]),
);

/** A lower-case word as products and needs are spelled in the word lists. */
export const american = (word: string): string => AMERICAN.get(word) ?? word;

const SPACE = 32;
const NEWLINE = 10;

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) ||
    (code > 191 && code < 0x2000) || code > 0x2fff;
}

function isApostrophe(code: number): boolean {
  return code === 39 || code === 0x2019;
}

/** Inside a word: "&" and "+" between letters, "%" after a digit, a point between digits. */
function joins(text: string, at: number, code: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at + 1);
  const digitBefore = before >= 48 && before <= 57;
  if (code === 37) return digitBefore;
  if (code === 46) return digitBefore && after >= 48 && after <= 57;
  return (code === 38 || code === 43) && isWordCode(before) && isWordCode(after);
}

/** Handles what stands between words; returns where to go on. */
function separate(into: Words, text: string, at: number): number {
  const code = text.charCodeAt(at);
  // "](http://…)": the label was read, the address is not.
  if (code === 93 && text.charCodeAt(at + 1) === 40) {
    const close = text.indexOf(")", at);
    return close < 0 ? at + 2 : close + 1;
  }
  if (into.word.length === 0 || PASSED.has(code)) return at + 1;
  const paragraph = code === NEWLINE && text.charCodeAt(at + 1) === NEWLINE;
  if (code === NEWLINE && !paragraph && !/[*#&>\-\d]/.test(text.charAt(at + 1))) return at + 1;
  into.breakAfter[into.word.length - 1] = true;
  return at + 1;
}

/** Marks that end no group of words: quotes, hyphens, slashes, emphasis, white space. */
const PASSED = new Set([...`"“”'’*_~\`-/\t\r\u00a0$£€#`].map((mark) => mark.charCodeAt(0)));

function isAddress(text: string, from: number, to: number): boolean {
  const length = to - from;
  if (length === 3) return text.slice(from, to + 1).toLowerCase() === "www.";
  return (length === 4 || length === 5) && text.startsWith("://", to);
}

function endOfAddress(text: string, from: number): number {
  let to = from;
  while (to < text.length && !/[\s)\]]/.test(text.charAt(to))) to += 1;
  return to;
}
