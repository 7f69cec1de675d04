/** Words that a model wrote, taken apart to be checked against what it was given. */
import { visible } from "./fence.ts";

const NUMBER = /\d+(?:[.,]\d+)*/g;
/** Links, markup and mentions: nothing asks for them but a hostile post. */
const SMUGGLED = /https?:|www\.|[<>{}`|\\]|\]\(|\bu\/\w|@\w/i;

/** Whether a text links, marks up or mentions. */
export const isSmuggled = (text: string): boolean => SMUGGLED.test(text);

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
