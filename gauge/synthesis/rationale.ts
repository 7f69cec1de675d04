/** Keeps a model's rationale to what is known: its numbers must be those of the facts or the posts. */
import { hasForbiddenText, numbersIn, sentencesOf } from "../../model/answers.ts";
import { factDates, factNumbers, type Facts, factSentences } from "../score/verdict_facts.ts";
import type { SynthesisRequest } from "./types.ts";

const MAX_SENTENCES = 4;
const MIN_SENTENCES = 2;
/** Characters of the longest. */
const MAX_SENTENCE = 400;

/** What a rationale may say in figures: numbers of the facts, the query and the evidence, their years, and the scale's end. */
function allowedNumbers(request: SynthesisRequest): Set<string> {
  return new Set([
    ...factNumbers(request.facts),
    ...factDates(request.facts).flatMap((date) => /^\d{4}(?=-)/.exec(date) ?? []),
    ...numbersIn(String(request.formula)),
    ...numbersIn(request.query),
    ...request.facts.granted.communities.flatMap(numbersIn),
    ...request.evidence.flatMap(({ quote, upvotes }) => [
      ...numbersIn(quote),
      String(upvotes),
    ]),
    "100",
  ]);
}

interface CheckedRationale {
  readonly rationale: string;
  /** Sentences that were left out because they could not be trusted. */
  readonly dropped: number;
}

/**
 * Leaves out every sentence that names a number nobody gave, links, or is endless; keeps at most four,
 * and fills up to two, and to at least one number of the facts, with sentences made of the facts.
 */
export function checkRationale(text: string, request: SynthesisRequest): CheckedRationale {
  const allowed = allowedNumbers(request);
  // "2030-04" and "180 days" say no more than that: 4 and 180 are nobody's count. Days go before their months.
  const longest = factDates(request.facts).toSorted((a, b) => b.length - a.length).join("|");
  const dates = new RegExp(`(?<!\\d)(?:${longest})(?!\\d)`, "g");
  const undated = (sentence: string): string => sentence.replace(dates, " ");
  const all = sentencesOf(text);
  const kept = all.filter((sentence) =>
    sentence.length <= MAX_SENTENCE && !hasForbiddenText(sentence) &&
    numbersIn(undated(sentence)).every((number) => allowed.has(number))
  ).map((sentence) => /[.!?]["')]?$/.test(sentence) ? sentence : `${sentence}.`);
  const dropped = all.length - kept.length;
  return { rationale: completed(kept, request.facts).join(" "), dropped };
}

function completed(kept: readonly string[], facts: Facts): readonly string[] {
  const stated = factSentences(facts).filter((sentence) => sentence !== "");
  const known = new Set(factNumbers(facts));
  const named = kept.some((sentence) => numbersIn(sentence).some((number) => known.has(number)));
  const room = named ? MAX_SENTENCES : MAX_SENTENCES - 1;
  const result = kept.slice(0, room);
  for (const sentence of stated) {
    const enough = result.length >= MIN_SENTENCES && (named || result.length > kept.length);
    if (enough || result.length >= MAX_SENTENCES) break;
    result.push(sentence);
  }
  return result;
}
