/**
 * Whether what stands at a word is asked for: denied or not needed, had rather than wanted, a form's question, a line
 * of a parts list. Read once a post, for every token, as what the second look weighs (spans.ts).
 */
import { bytes } from "../short_arrays.ts";
import { KIND, type Tokens } from "./tokens.ts";

/** What a word says of the words beside it. */
export const CUE = {
  none: 0,
  /** "not", "doesn't", "never". */
  not: 1,
  no: 2,
  without: 3,
  /** "except", "other than": what follows is left out. */
  except: 4,
  want: 5,
  have: 6,
  past: 7,
  /** "needed", "important", "matter": denied by a "not" before it, said of what stands before it. */
  weight: 8,
  /** "optional", "bonus": it may be, and need not. */
  soft: 9,
  but: 10,
  sell: 11,
  /** "hate", "avoid", "returned": turning away. */
  away: 12,
  /** "broke", "fails", "issue". */
  bad: 13,
  /** "vs", "or", "between". */
  weigh: 14,
} as const;

const WORDS: Readonly<Record<Exclude<keyof typeof CUE, "none">, string>> = {
  not: "not dont doesnt didnt isnt arent wasnt werent wont wouldnt cant cannot couldnt shouldnt " +
    "havent hasnt hadnt aint never neither nor hardly",
  no: "no none nothing zero",
  without: "without minus lacking lacks",
  except: "except besides excluding unlike instead rather than aside apart",
  want: "want wants wanting looking wish hoping hope seeking searching recommend recommendation " +
    "recommendations suggest suggestions prefer preferably ideally should must need needs would " +
    "budget require after interested requirements",
  have: "have has own owned owns got ive current currently existing already using mine running",
  past:
    "had bought purchased old previous previously last was were used ordered tried replaced ago",
  weight: "needed necessary required important importance priority matter matters mandatory " +
    "essential fussed issue dealbreaker requirement concern",
  soft: "optional plus bonus nice maybe unnecessary irrelevant unimportant overkill",
  but: "but however although though yet",
  sell: "selling sell sale fs obo pm asking wts paypal shipped trade sold giveaway",
  away: "hate hated avoid returned returning return refund sick tired disappointed dislike stay " +
    "ruled anything regret worst garbage crap junk",
  bad:
    "broke broken breaks breaking fails failed failing died dies dead cracked falls fell problem " +
    "problems issues annoying terrible horrible uncomfortable useless",
  weigh: "vs versus or between considering considered thinking deciding torn eyeing compare",
};

const CUES = new Map<string, number>();
for (const [name, words] of Object.entries(WORDS)) {
  for (const word of words.split(" ")) CUES.set(word, CUE[name as keyof typeof WORDS]);
}

const CLAUSE_ENDS = new Set([",", ".", ";", ":", "(", ")", "!", "?", "-", "–", "—", "…", "<link>"]);
/** Words after which a denial holds no longer. */
const NEW_CLAUSE = new Set(
  "but however although though because since so if when while which unless just".split(" "),
);
/** What may stand between a "not" and what it takes the weight from: "isn't that much of a priority". */
const TO_WEIGHT = 5;
/** What a "not" before them says is not asked for, though it may well be liked. */
const ASKED = new Set(
  "need require interested care worry worried concerned bothered plan mind".split(" "),
);
/** Said of what stands before them, these take it back without a "not". */
const NEEDLESS = new Set("optional unnecessary irrelevant unimportant overkill".split(" "));

/** How a clause is denied about a token. */
export const DENIED = { none: 0, before: 1, unneeded: 2, after: 3 } as const;

/** What stands on a line. */
export const LINE = { plain: 0, price: 1, models: 2, table: 3, choices: 4 } as const;

/** How the words of a post stand to what is wanted; one entry a token unless said otherwise. */
export interface Stance {
  readonly cues: Uint8Array;
  /** One of DENIED, and how far off it is said: `denied + 4 * distance`, distance 0 to 3. */
  readonly denied: Uint8Array;
  /** The last cue of the sentence before the token, and the one before that: `last + 16 * other`. */
  readonly before: Uint8Array;
  /** The first cue of the sentence after the token. */
  readonly after: Uint8Array;
  /** What each line is: one of LINE. */
  readonly lines: Uint8Array;
  /** Lines of parts in the post: 0, 1 or 2, 3 or more. */
  readonly parts: number;
  /** Of each sentence: 1 "I", 2 "you", 4 it sells. */
  readonly persons: Uint8Array;
}

/** How each token of a post stands. Linear in the tokens. */
export function stanceOf(tokens: Tokens): Stance {
  const { word, kind, sentences, lines, text, start, end } = tokens;
  const n = word.length;
  const cues = bytes(n);
  const denied = bytes(n);
  const before = bytes(n);
  const after = bytes(n);
  const persons = bytes(sentences.length);
  for (let i = 0; i < n; i++) if (kind[i] === KIND.word) cues[i] = CUES.get(word[i]!) ?? 0;
  sentences.forEach(({ from, to }, s) => {
    let person = 0;
    let last = 0;
    let clause = from;
    let denying = false;
    for (let i = from; i < to; i++) {
      const w = word[i]!;
      before[i] = last;
      const cue = cues[i]!;
      if (cue > 0) {
        if ((last & 15) !== cue) last = cue | (last & 15) << 4;
        if (cue === CUE.sell) person |= 4;
      }
      if (w === "i" || w === "my" || w === "im" || w === "ive" || w === "we" || w === "me") {
        person |= 1;
      } else if (w === "you" || w === "your") person |= 2;
      const ends = CLAUSE_ENDS.has(w) || (i > clause && NEW_CLAUSE.has(w));
      if (ends) {
        denying = denyOn(cues, clause, i, denied, denying) || deny(tokens, cues, clause, i, denied);
        if (w !== ",") denying = false;
        clause = i + 1;
      }
    }
    if (!denyOn(cues, clause, to, denied, denying)) deny(tokens, cues, clause, to, denied);
    for (let i = to - 1, next = 0; i >= from; i--) {
      after[i] = next;
      if (cues[i]! > 0) next = cues[i]!;
    }
    persons[s] = person;
  });
  let parts = 0;
  const kinds = Uint8Array.from(lines, ({ from, to }) => {
    if (from === to) return LINE.plain;
    let models = 0, money = 0, slashes = 0;
    for (let i = from; i < to; i++) {
      const w = word[i]!;
      const k = kind[i];
      if (k === KIND.mark) {
        if (w === "$" || w === "£" || w === "€") money++;
        else if (w === "/" || w === ",") slashes++;
      } else if (k === KIND.word && w.length > 2 && /\d/.test(w) && /[a-z]/.test(w)) models++;
    }
    const long = to - from;
    const raw = text.slice(start[from]!, end[to - 1]!);
    const what = raw.includes("|")
      ? LINE.table
      : word[to - 1] === "?" && slashes >= 2 && slashes * 5 > long
      ? LINE.choices
      : models > 0 && long < 18
      ? LINE.models
      : money > 0 && long < 18
      ? LINE.price
      : LINE.plain;
    if (what === LINE.table || what === LINE.models) parts++;
    return what;
  });
  return {
    cues,
    denied,
    before,
    after,
    lines: kinds,
    parts: parts === 0 ? 0 : parts < 3 ? 1 : 2,
    persons,
  };
}

/** Words of the longest part of a list that a denial runs over: "no buckles, metal clasps or velcro". */
const LONGEST_PART = 5;

/** Marks a part of a list whose first part is denied; whether it is one. */
function denyOn(
  cues: Uint8Array,
  from: number,
  to: number,
  denied: Uint8Array,
  denying: boolean,
): boolean {
  if (!denying || to - from > LONGEST_PART) return false;
  for (let k = from; k < to; k++) if (cues[k] !== CUE.none && cues[k] !== CUE.weigh) return false;
  denied.fill(DENIED.before | near(LONGEST_PART + 1) << 2, from, to);
  return true;
}

/** Marks which tokens of a clause are denied; whether it denies what follows its cue. */
function deny(
  { word }: Tokens,
  cues: Uint8Array,
  from: number,
  to: number,
  denied: Uint8Array,
): boolean {
  let at = from;
  while (at < to && !(cues[at]! >= CUE.not && cues[at]! <= CUE.except)) {
    if (NEEDLESS.has(word[at]!)) {
      for (let k = from; k < at; k++) denied[k] = DENIED.after | near(at - k) << 2;
      return false;
    }
    at++;
  }
  for (let i = at + 1; i < Math.min(to, at + 1 + TO_WEIGHT); i++) {
    if (cues[i] === CUE.weight) {
      for (let k = from; k < at; k++) denied[k] = DENIED.after | near(at - k) << 2;
    } else if (!ASKED.has(word[i]!)) continue;
    for (let k = i + 1; k < to; k++) denied[k] = DENIED.unneeded | near(k - i) << 2;
    return false;
  }
  for (let k = at + 1; k < to; k++) denied[k] = DENIED.before | near(k - at) << 2;
  return at < to;
}

function near(distance: number): number {
  return distance < 2 ? 0 : distance < 3 ? 1 : distance < 6 ? 2 : 3;
}
