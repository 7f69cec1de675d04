/**
 * Which words of a post state nothing of what is wanted, since they stand in a clause or an answer that rules it out
 * ("no gaming", "Gaming requirements: none"), or are not the author's: what a form asks, and quoted lines. What is only
 * complained of ("it isn't quiet") or looked for in vain ("can't find a quiet one") is wanted, and not ruled out.
 */
import { hashWord } from "../classify/hash.ts";
import type { Lexemes } from "../classify/lexemes.ts";
import { isQuotedLine } from "../classify/sentences.ts";
import type { PostText } from "../types.ts";
import { formOf, LONG_RUN, type Prepared } from "./features.ts";
import { CUE, DENIED, type Stance, stanceOf } from "./stance.ts";
import { KIND, textOf, tokenize, type Tokens } from "./tokens.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Denials that an author's wish may stand under; of the others ("can't", "never") what follows is mostly wanted. */
const RULING = words("no none without not dont doesnt wont wouldnt neither nor");
/** What speaks of the author, whose wish a "not" denies; of another subject ("that don't break") it is the wish. */
const AUTHOR = words("i im id ill ive we");
/** What "not" and "no" before them say is unknown or lacking, which denies no wish. */
const UNKNOWN = words(
  "know sure certain idea ideas clue think find found finding see seen understand remember familiar aware " +
    "knowledgeable savvy expert experience luck success able afford have own get only just longer one way doubt " +
    "mention best good problem problems issue issues matter wonder more less later",
);
/** Nouns that are denied for what follows them, whoever has them: "I have no interest in gaming". */
const WISH = words("need interest plan plans desire intention intentions use reason");
/** What a "no" follows that rules out; behind other words something is said to lack it ("it has no handle"). */
const WISHING = words(
  "with and but or so to want wants need needs prefer do play absolutely really also please plus",
);
/** Denials that begin a clause whose author is left out ("not gaming"): without a subject others speak of the product. */
const BARE = words("not dont neither nor");
/** A "not" of whatever subject that says what the product is not for. */
const PURPOSE = words("for a an about meant");
/** Who will not spend wants what it would be spent on. */
const SPENDING = words("spend spending pay paying budget break");
/** Answers to a form's question that deny it. */
const DENYING = words(
  "no none nope nah na nothing never zero not dont doesnt neither unimportant irrelevant",
);
/** Words of a form's label that offer a choice, which the answer makes. */
const CHOICE = words("vs versus");
const CONDITION = words("if when why whether because since");
/** In so many words of an answer a number tells that it measures what is asked. */
const MEASURED = 4;
const LETTER = /[\p{L}\p{N}]/u;
const WORD = /[\p{L}\p{N}]+/gu;
/** Words between a "not" and what it denies. */
const PASSED = words(
  "really be being been going to much that very too at all even do care necessarily the",
);

/** What a post rules out of what it speaks of, and what it does not. */
export interface RuledOut {
  /** `title + "\n" + body`, with spaces in place of what is ruled out or not the author's. */
  readonly said: string;
  /** Words that are ruled out somewhere, those of forms and quoted lines, and those that stand elsewhere; lower case. */
  readonly words: ReadonlySet<string>;
  readonly unsaidWords: ReadonlySet<string>;
  readonly saidWords: ReadonlySet<string>;
}

/** Whether a token is the author's word, is one that rules out what it names, or is somebody else's. */
const SAID = 0, RULED_OUT = 1, UNSAID = 2;

/** What tells what a post rules out. */
type Grounds = Pick<Prepared, "tokens" | "stance" | "form" | "shared">;

/**
 * What a post that is not read for facts is judged by: its tokens, and which of them are denied or
 * a form's.
 */
export function groundsOf(post: Pick<PostText, "title" | "body">, lexemes: Lexemes): Grounds {
  const tokens = tokenize(post);
  return {
    tokens,
    stance: stanceOf(tokens),
    ...formOf(tokens, Int32Array.from(tokens.word, hashWord), lexemes),
  };
}

/**
 * What a post rules out, and what it does not, as far as it is read for facts. `grounds` are those
 * of the same post.
 */
export function readRuledOut(
  post: Pick<PostText, "title" | "body">,
  grounds: Grounds,
): RuledOut {
  const { word, kind, start, end } = grounds.tokens;
  const standing = standingOf(grounds);
  const text = textOf(post);
  const words = new Set<string>();
  const unsaidWords = new Set<string>();
  const saidWords = new Set<string>();
  let said = "";
  let at = 0;
  for (let i = 0; i < word.length; i++) {
    if (kind[i] === KIND.mark || kind[i] === KIND.link) continue;
    const how = standing[i];
    (how === SAID ? saidWords : how === UNSAID ? unsaidWords : words).add(word[i]!);
    if (how === SAID) continue;
    said += text.slice(at, start[i]) + " ".repeat(end[i]! - start[i]!);
    at = end[i]!;
  }
  // Quoted lines have no tokens.
  const lines = (said + text.slice(at)).split("\n").map((line) => {
    if (!isQuotedLine(line)) return line;
    for (const one of line.toLowerCase().match(WORD) ?? []) unsaidWords.add(one);
    return " ".repeat(line.length);
  });
  return { said: lines.join("\n"), words, unsaidWords, saidWords };
}

/** How every token stands in its post: `SAID`, `RULED_OUT` or `UNSAID`. */
function standingOf({ tokens, stance, form, shared }: Grounds): Uint8Array {
  const out = form.map((isForm) => isForm === 1 ? UNSAID : SAID);
  for (const { from, to } of tokens.sentences) ruleClauses(tokens, stance, from, to, out);
  const { lines, word, kind, start, titleEnd } = tokens;
  for (const { from, label, to } of lines) {
    if (label <= from || start[from]! < titleEnd) continue;
    // What many posts have in brackets behind a form's label are its examples: "(e.g. card slot, matte screen, etc.)".
    const open = word[label] === "*" ? label + 1 : label;
    if (form[from] === 1 && word[open] === "(") {
      for (let i = open; i < to && shared[i] === LONG_RUN; i++) {
        out[i] = UNSAID;
        if (word[i] === ")") break;
      }
    }
    // "Screen size: 17 inches" says what the screen is to be; "Windows/Linux: Windows 8" chooses.
    const measures = !word.slice(from, label).includes("/");
    if (measures && kind.slice(label, label + MEASURED).includes(KIND.number)) {
      out.fill(SAID, from, label);
    }
    if (word.slice(from, label).some((one) => CHOICE.has(one))) out.fill(UNSAID, from, label);
    if (isDenied(word, label, to)) out.fill(RULED_OUT, from, label);
  }
  return out;
}

/** Whether an answer denies what was asked: "no", "n/a". */
function isDenied(word: readonly string[], label: number, to: number): boolean {
  const answer = word.slice(label, Math.min(to, label + 3)).filter((one) => LETTER.test(one));
  return DENYING.has(answer[0] ?? "") || (answer[0] === "n" && answer[1] === "a");
}

/** Marks the words of one sentence that its denials rule out. */
function ruleClauses(
  { word }: Tokens,
  { cues, denied }: Stance,
  from: number,
  to: number,
  out: Uint8Array,
): void {
  /** Whether the last denial rules out what it denies. */
  let ruling = false;
  for (let i = from; i < to; i++) {
    if (cues[i]! >= CUE.not && cues[i]! <= CUE.except) {
      ruling = RULING.has(word[i]!) && rules(word, cues, from, i, to);
      continue;
    }
    const how = denied[i]! & 3;
    if (how === DENIED.none || out[i] === UNSAID) continue;
    if (how === DENIED.after) out[i] = RULED_OUT;
    else if (word[i] === "and" || SPENDING.has(word[i]!)) ruling = false;
    else if (ruling && !isFanOf(word, i)) out[i] = RULED_OUT;
  }
}

/** "A big fan of": what follows is ruled out, and no fan. */
const isFanOf = (word: readonly string[], at: number): boolean =>
  /^fans?$/.test(word[at] ?? "") && word[at + 1] === "of";

/** Whether a denial rules out what follows it. */
function rules(
  word: readonly string[],
  cues: Uint8Array,
  from: number,
  at: number,
  to: number,
): boolean {
  let next = at + 1;
  while (next < to && PASSED.has(word[next]!)) next++;
  const first = word[next] ?? "";
  if (WISH.has(first)) return true;
  if (UNKNOWN.has(first)) return false;
  for (let i = at + 1; i < Math.min(to, at + 8); i++) if (SPENDING.has(word[i]!)) return false;
  const before = word[at - 1] ?? "";
  if (cues[at] === CUE.without) return true;
  if (cues[at] === CUE.no) return at === from || !LETTER.test(before) || WISHING.has(before);
  if (PURPOSE.has(word[at + 1] ?? "") || cues[next] === CUE.weight) return true;
  // The subject is what the clause begins with: nothing, or the author.
  for (let i = at - 1; i >= Math.max(from, at - 4); i--) {
    if (AUTHOR.has(word[i]!)) return !CONDITION.has(word[i - 1] ?? "");
    if (!LETTER.test(word[i]!)) return i === at - 1 && BARE.has(word[at]!);
  }
  return at === from && BARE.has(word[at]!);
}
