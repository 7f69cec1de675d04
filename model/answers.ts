/** Reading what models write: JSON with text around it, and prose that is checked before it is shown. */
import { z } from "zod";
import { visible } from "./prompt_delimiter.ts";

/** A whole number, or one that was written as text. */
export const looseInteger = z.union([
  z.number().int(),
  z.string().regex(/^\d{1,3}$/).transform(Number),
]);

/** The JSON values that a text holds: all of it, a fenced block, or from the first brace to the last. */
function* readings(text: string): Generator<unknown> {
  const block = /```(?:json)?([\s\S]*?)```/.exec(text)?.[1];
  const braces = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  for (const candidate of [text, block, braces]) {
    if (candidate === undefined || candidate === "") continue;
    try {
      yield JSON.parse(candidate);
    } catch {
      // The next reading may do.
    }
  }
}

/** The first reading of `text` that has the shape of `schema`; a string says what is wrong with the last. */
export function readJson<T extends object>(text: string, schema: z.ZodType<T>): T | string {
  let problem = "it holds no JSON object";
  for (const value of readings(text)) {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    problem = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong shape"}`;
  }
  return problem;
}

const NUMBER = /\d+(?:[.,]\d+)*/g;
/** Links, spelled-out addresses, markup and mentions: only a hostile post leads to them. */
const SMUGGLED = new RegExp(
  [
    String.raw`[a-z][a-z0-9+.-]*:\/\/|https?:|\b(?:mailto|tel|javascript|data):\S|www\.`,
    String.raw`[<>{}\x60|\\]|\]\(|\bu\/\w|@\s?\w`,
    String.raw`[\p{L}\p{N}]\.\p{L}{2,}`,
    String.raw`\b(?:dot|\(dot\)|\[dot\])\s+(?:com|net|org|io|shop|store|xyz|me)\b`,
    String.raw`\b(?:gmail|hotmail|whatsapp|telegram|paypal|venmo|bitcoin|usdc|crypto)\b`,
    String.raw`\b0x[0-9a-f]{6,}|[a-z0-9+/=_-]{32,}`,
  ].join("|"),
  "iu",
);
/** Text addressed to the readers of an answer, people or machines, rather than about its subject. */
const COMMANDING = new RegExp(
  [
    String
      .raw`\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,40}\b(?:instructions?|prompts?|rules|above|previous|prior)\b`,
    String
      .raw`\b(?:system|developer) (?:prompt|message)|\bjailbreak|\bllms?\b|\bchat ?(?:bots?|gpt)\b`,
    String.raw`\b(?:ai|language) (?:agents?|models?|assistants?)\b`,
    String
      .raw`\b(?:agents?|assistants?|bots?) (?:must|should|shall|will|may|can|have to|need to|are to|reading|who|that)\b`,
    String.raw`\b(?:click|tap) (?:here|on|this|the)\b`,
    String
      .raw`\b(?:call|text|dm|pm|e-?mail|contact|message) (?:us|me|now|this|the (?:url|api|endpoint|tool|function|number))\b`,
    String
      .raw`\b(?:visit|open|fetch|call|request|get|follow) (?:this|our|my|the) (?:url|link|site|website|web page|page|endpoint|api|webhook)\b`,
    String
      .raw`\b(?:send|transfer|wire) (?:the |all |your |my )?(?:funds|money|payments?|coins|tokens)\b`,
    String
      .raw`\b(?:(?:api|private|secret) keys?|passwords?|seed phrase|(?:promo|coupon|discount) codes?)\b`,
  ].join("|"),
  "iu",
);

/** Whether a text links, marks up, mentions, or gives orders to those who read it. */
export function hasForbiddenText(text: string): boolean {
  const plain = text.normalize("NFKC");
  return SMUGGLED.test(plain) || COMMANDING.test(plain);
}

/** Numbers of a text as they compare: without thousands separators and trailing zeros. */
export function numbersIn(text: string): string[] {
  return (text.match(NUMBER) ?? []).map((raw) => {
    const plain = raw.replace(/,(?=\d{3}(?:\D|$))/g, "").replace(",", ".");
    return Number.isFinite(Number(plain)) ? String(Number(plain)) : plain;
  });
}

/** The sentences of a text, its invisible characters left out. */
export function sentencesOf(text: string): string[] {
  return visible(text).split(/(?<=[.!?])\s+(?=\S)/)
    .map((sentence) => sentence.trim()).filter((sentence) => sentence !== "");
}
