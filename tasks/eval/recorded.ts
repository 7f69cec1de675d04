/** What readers answered to the very prompts of the service, kept as ids, offsets and values. */
import { OperatorError } from "../../core/errors.ts";
import { type AskedReading, postsQuestion } from "../../mining/extract/reading_prompt.ts";
import { placesIn, readingOf } from "../../mining/extract/ask.ts";
import { type Extraction, FACT_TYPES, type FactType } from "../../mining/extract/types.ts";
import type { Level, Pattern, PostText } from "../../mining/types.ts";

/** A line of tasks/eval/replay.ndjson; offsets in `title + "\n" + body`. */
export type Recorded =
  | { readonly id: string; readonly demand: 0 }
  | {
    readonly id: string;
    readonly demand: 1;
    readonly pattern: Pattern | null;
    readonly intensity: Level;
    readonly wtp: Level;
    readonly product: string;
    readonly head: string;
    readonly product_span: readonly [start: number, end: number] | null;
    readonly facts:
      readonly (readonly [type: FactType, start: number, end: number, value: string])[];
  };

export const REPLAY_FILE = new URL("replay.ndjson", import.meta.url).pathname;

/** The recorded answers, by post. @throws OperatorError naming file and line. */
export function readRecorded(path: string = REPLAY_FILE): Map<string, Recorded> {
  const rows = new Map<string, Recorded>();
  Deno.readTextFileSync(path).split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    try {
      const row = JSON.parse(line) as Recorded;
      rows.set(row.id, row);
    } catch {
      throw new OperatorError(`${path}:${i + 1}: not JSON`);
    }
  });
  return rows;
}

/** A recorded answer as the model gave it: the entry of post `number` in the JSON of a reply. */
export function replayed(
  recorded: Recorded,
  { title, body }: Pick<PostText, "title" | "body">,
  number: number,
): Record<string, unknown> {
  if (recorded.demand === 0) {
    const none = { pattern: "none", intensity: 0, wtp: 0, product: "", head: "", product_span: "" };
    return { number, demand: 0, ...none, facts: [] };
  }
  const text = `${title}\n${body}`;
  const { pattern, intensity, wtp, product, head, product_span: span, facts } = recorded;
  return {
    number,
    demand: 1,
    pattern: pattern ?? "none",
    intensity,
    wtp,
    product,
    head,
    product_span: span === null ? "" : text.slice(...span),
    facts: facts.map(([type, start, end, value]) => ({
      type,
      span: text.slice(start, end),
      value,
    })),
  };
}

/** What the service makes of a recorded answer: the way of a model's. */
export function readRecording(post: PostText, recorded: Recorded): Extraction | null {
  const answer = JSON.stringify({ posts: [replayed(recorded, post, 1)] });
  const readings = postsQuestion([post], { kinds: [], values: new Map() }).read(answer);
  if (typeof readings === "string") throw new OperatorError(`${recorded.id}: ${readings}`);
  const [reading = null] = readings;
  return reading === null ? null : readingOf(post, reading);
}

/** An answer as it is kept: its spans as places, and those that stand nowhere dropped. */
export function recordedOf(
  { id, title, body }: Pick<PostText, "title" | "body"> & { readonly id: string },
  asked: AskedReading | null,
): Recorded {
  if (asked === null) return { id, demand: 0 };
  const find = placesIn({ title, body });
  const { pattern, intensity, wtp, product, kind } = asked;
  return {
    id,
    demand: 1,
    pattern,
    intensity,
    wtp,
    product,
    head: kind,
    product_span: find(asked.productSpan),
    facts: asked.facts.flatMap(({ type, span, value }) => {
      const known = FACT_TYPES.find((one) => one === type);
      const place = find(span);
      return known === undefined || place === null ? [] : [[known, ...place, value] as const];
    }),
  };
}
