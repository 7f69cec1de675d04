/**
 * The model reader without a model. `prompts --posts FILE --ids FILE --out DIR` writes the very messages that the
 * service would send about these posts: `system.txt` once, and `NN.txt`, ten posts each. `record --posts FILE
 * --out DIR --answers DIR` turns what readers answered to them (`NN.json`) into tasks/eval/replay.ndjson: ids,
 * offsets and values, and no text of a post.
 *
 * `cards --out DIR` writes, likewise, the questions about the cards of CORPUS_DATABASE_URL that have no words yet, and
 * into DIR/review those about the quotes that no model was asked about. `serve --posts FILE --answers DIR [--reviews
 * DIR]` is a server for OPENAI_BASE_URL that answers about posts what is recorded, and about cards what stands in the
 * answers to their questions, whose folders stand in those of the questions: with it the whole service runs by replay.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { OperatorError } from "../../core/errors.ts";
import { extract } from "../../mining/extract/mod.ts";
import {
  ANY_KIND,
  KNOWN_KINDS,
  POSTS_PER_CALL,
  postsQuestion,
  shownValues,
  type StatedValue,
} from "../../mining/extract/reading_prompt.ts";
import { openPostgres } from "../../db/postgres/mod.ts";
import { CARDS_PER_CALL, cardsQuestion } from "../../mining/cards/words_prompt.ts";
import { REVIEWED_PER_CALL, reviewQuestion } from "../../mining/cards/review.ts";
import { dueCards } from "../../mining/job/card_reviews.ts";
import { cardsLacking } from "../../mining/job/due_cards.ts";
import { chunks } from "../../model/batches.ts";
import type { Question } from "../../model/mod.ts";
import {
  asked,
  type AskedCard,
  isAboutCards,
  isReview,
  type ModelAnswer,
  replaying,
  startModel,
} from "../../tests/doubles/model.ts";
import { readRecorded, type Recorded, recordedOf, REPLAY_FILE, replayed } from "./recorded.ts";
import { readLabelledPosts } from "../train/data.ts";
import { runTask } from "../run_task.ts";

const MOST_CARDS = 2_000;
const LABELS = new URL("../train/labels/facts.ndjson", import.meta.url).pathname;

async function main(): Promise<void> {
  const { values, positionals: [step] } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      posts: { type: "string" },
      ids: { type: "string" },
      out: { type: "string" },
      answers: { type: "string" },
      reviews: { type: "string" },
      labels: { type: "string", default: LABELS },
      file: { type: "string", default: REPLAY_FILE },
    },
  });
  const needed = (name: "posts" | "ids" | "out" | "answers"): string => {
    const value = values[name];
    if (value === undefined) throw new OperatorError(`--${name} is missing`);
    return value;
  };
  if (step === "prompts") {
    writePrompts(needed("posts"), needed("ids"), needed("out"), values.labels);
  } else if (step === "record") {
    record(needed("posts"), needed("out"), needed("answers"), values.file);
  } else if (step === "cards") {
    await writeCardPrompts(needed("out"));
  } else if (step === "serve") {
    await serve(needed("posts"), needed("answers"), values.reviews, values.file);
  } else throw new OperatorError("say what to do: prompts, record, cards or serve");
}

/** Ids, one a line, or the rows of any file of JSON lines that have one. */
function readIds(path: string): string[] {
  return Deno.readTextFileSync(path).split("\n").map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => line.startsWith("{") ? String(JSON.parse(line).id) : line);
}

interface Label {
  readonly id: string;
  readonly demand: 0 | 1;
  readonly head?: string;
  readonly facts?: readonly (readonly [type: string, start: number, end: number, value: string])[];
}

/** What is known where no database is: the labels of other posts. */
function knownOf(
  path: string,
  without: ReadonlySet<string>,
): { readonly kinds: readonly string[]; readonly stated: readonly StatedValue[] } {
  const kinds = new Map<string, number>();
  const counts = new Map<string, StatedValue>();
  const add = (kind: string, type: string, value: string): void => {
    const key = `${kind}\n${type}\n${value}`;
    const authors = (counts.get(key)?.authors ?? 0) + 1;
    counts.set(key, { kind, type, value, authors });
  };
  for (const line of Deno.readTextFileSync(path).split("\n")) {
    if (line === "") continue;
    const { id, demand, head = "", facts = [] } = JSON.parse(line) as Label;
    if (demand === 0 || without.has(id)) continue;
    kinds.set(head, (kinds.get(head) ?? 0) + 1);
    for (const [type, , , value] of facts) {
      add(head, type, value);
      add(ANY_KIND, type, value);
    }
  }
  return {
    kinds: [...kinds].filter(([, n]) => n > 1).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .map(([kind]) => kind),
    stated: [...counts.values()].sort((a, b) =>
      b.authors - a.authors || (a.value < b.value ? -1 : 1)
    ),
  };
}

function writePrompts(postsFile: string, idsFile: string, out: string, labels: string): void {
  const ids = readIds(idsFile);
  const posts = new Map(readLabelledPosts(postsFile).map((post) => [post.id, post]));
  const { kinds, stated } = knownOf(labels, new Set(ids));
  const asked = ids.map((id) => {
    const post = posts.get(id);
    if (post === undefined) throw new OperatorError(`${postsFile}: ${id} is no post of the file`);
    // As the service has it: by the built-in reading of the stored post.
    return { post, kind: extract(post)?.kind ?? "" };
  }).sort((a, b) => a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0);
  const batches = chunks(asked, POSTS_PER_CALL);
  const questions = batches.map((batch) =>
    postsQuestion(
      batch.map(({ post }) => post),
      shownValues(
        kinds.slice(0, KNOWN_KINDS),
        new Set(batch.map(({ kind }) => kind).filter((kind) => kind !== "")),
        stated,
      ),
    )
  );
  writeQuestions(out, questions, batches.map((batch) => batch.map(({ post }) => post.id)));
}

/** Writes the messages of questions, and the ids of what each asks about. */
function writeQuestions(
  out: string,
  questions: readonly Pick<Question<unknown>, "messages">[],
  ids: readonly (readonly string[])[],
): void {
  Deno.mkdirSync(out, { recursive: true });
  const digits = Math.max(2, String(questions.length).length);
  const names = questions.map((_, i) => String(i + 1).padStart(digits, "0"));
  questions.forEach((question, i) => {
    const nonce = createHash("sha256").update(`replay ${names[i]}`).digest("hex").slice(0, 24);
    const [system, user] = question.messages(nonce);
    if (i === 0) Deno.writeTextFileSync(join(out, "system.txt"), `${system?.content}\n`);
    Deno.writeTextFileSync(join(out, `${names[i]}.txt`), `${user?.content}\n`);
  });
  const index = Object.fromEntries(names.map((name, i) => [name, ids[i]]));
  Deno.writeTextFileSync(join(out, "ids.json"), `${JSON.stringify(index, null, 1)}\n`);
  console.error(`${out}: ${questions.length} questions`);
}

/** The questions about all cards that are to be worded, or reviewed, the best first. */
async function writeCardPrompts(out: string): Promise<void> {
  const url = Deno.env.get("CORPUS_DATABASE_URL");
  if (url === undefined) throw new OperatorError("CORPUS_DATABASE_URL is not set");
  const database = await openPostgres({ url, max: 1 });
  try {
    const due = await cardsLacking(database.sql, "words", MOST_CARDS);
    const batches = chunks(due, CARDS_PER_CALL);
    const questions = batches.map((batch) => cardsQuestion(batch.map(({ facts }) => facts)));
    writeQuestions(out, questions, batches.map((batch) => batch.map(({ id }) => id)));
    const reviewed = chunks(await dueCards(database.sql, MOST_CARDS), REVIEWED_PER_CALL);
    writeQuestions(
      join(out, "review"),
      reviewed.map((batch) => reviewQuestion(batch.map((due) => due.asked))),
      reviewed.map((batch) => batch.map(({ card }) => card.id)),
    );
  } finally {
    await database.close();
  }
}

interface AnsweredCard {
  readonly number: number;
  readonly product: string;
  readonly want: { readonly value: string };
  readonly and?: { readonly value: string };
}

type Answer = Readonly<Record<string, unknown>>;

/** What was answered about cards, with what was asked; the folder of the answers stands in that of the questions. */
function answeredCards<T extends AnsweredCard>(
  folder: string,
): Map<string, { readonly card: T; readonly answer: Answer }> {
  const known = new Map<string, { readonly card: T; readonly answer: Answer }>();
  for (const { name } of Deno.readDirSync(folder)) {
    const question = join(folder, "..", name.replace(/json$/, "txt"));
    if (!/^\d+\.json$/.test(name) || !existsSync(question)) continue;
    const reply = JSON.parse(Deno.readTextFileSync(join(folder, name))) as {
      readonly cards?: readonly (Answer & { readonly number: number })[];
    };
    for (const card of asked<T>({ conversation: Deno.readTextFileSync(question) })) {
      const answer = reply.cards?.find(({ number }) => number === card.number);
      if (answer !== undefined) known.set(nameOf(card), { card, answer });
    }
  }
  return known;
}

const nameOf = ({ product, want, and }: AnsweredCard): string =>
  [product, want.value, and?.value ?? ""].join("/");

/** What was answered about these very quotes, whatever their order; null where others were asked about. */
function replayedReview(
  now: AskedCard,
  known: { readonly card: AskedCard; readonly answer: Answer },
): Answer | null {
  const { shows, oneWant } = known.answer as {
    readonly shows: number[];
    readonly oneWant: boolean;
  };
  const judged = new Map(
    known.card.quotes.map(({ quote, number }) => [quote, shows.includes(number)]),
  );
  if (!now.quotes.every(({ quote }) => judged.has(quote))) return null;
  return {
    shows: now.quotes.filter(({ quote }) => judged.get(quote)).map(({ number }) => number),
    oneWant,
  };
}

async function serve(
  postsFile: string,
  answers: string,
  reviews: string | undefined,
  file: string,
): Promise<void> {
  const recorded = readRecorded(file);
  const posts = readLabelledPosts(postsFile).filter(({ id }) => recorded.has(id));
  const written = answeredCards<AnsweredCard>(answers);
  const reviewed = reviews === undefined ? new Map() : answeredCards<AskedCard>(reviews);
  const reading = replaying(posts, (post, number) => {
    const row = recorded.get(post.id);
    return row === undefined ? {} : replayed(row, post, number);
  });
  const reply = (cards: readonly Answer[]): ModelAnswer =>
    cards.length === 0 ? { status: 503 } : { content: JSON.stringify({ cards }) };
  await using model = startModel((call) => {
    if (isReview(call)) {
      return reply(
        asked<AskedCard>(call).flatMap((card) => {
          const known = reviewed.get(nameOf(card));
          const answer = known === undefined ? null : replayedReview(card, known);
          return answer === null ? [] : [{ ...answer, number: card.number }];
        }),
      );
    }
    if (!isAboutCards(call)) return reading(call);
    return reply(
      asked<AnsweredCard>(call).flatMap((card) => {
        const known = written.get(nameOf(card));
        return known === undefined ? [] : [{ ...known.answer, number: card.number }];
      }),
    );
  });
  console.error(`OPENAI_BASE_URL=${model.baseUrl} OPENAI_MODEL=replay`);
  console.error(
    `${posts.length} posts, the words of ${written.size} cards and the quotes of ${reviewed.size} are ` +
      "answered about; Ctrl-C ends it",
  );
  await new Promise<void>((resolve) => Deno.addSignalListener("SIGINT", resolve));
}

/** Reads the answers, tells what of them cannot be used, and keeps the rest beside what was recorded before. */
function record(postsFile: string, out: string, answers: string, file: string): void {
  const posts = new Map(readLabelledPosts(postsFile).map((post) => [post.id, post]));
  const index = JSON.parse(Deno.readTextFileSync(join(out, "ids.json"))) as Record<
    string,
    string[]
  >;
  const recorded = existsSync(file) ? readRecorded(file) : new Map<string, Recorded>();
  let lost = 0;
  let spans = 0;
  for (const [name, ids] of Object.entries(index)) {
    const path = join(answers, `${name}.json`);
    if (!existsSync(path)) {
      console.error(`${path}: is missing`);
      continue;
    }
    const batch = ids.map((id) => {
      const post = posts.get(id);
      if (post === undefined) throw new OperatorError(`${postsFile}: ${id} is no post of the file`);
      return post;
    });
    const known = { kinds: [], values: new Map() };
    const readings = postsQuestion(batch, known).read(Deno.readTextFileSync(path));
    if (typeof readings === "string") {
      console.error(`${path}: cannot be used: ${readings}`);
      continue;
    }
    for (const [i, post] of batch.entries()) {
      const reading = readings[i] ?? null;
      const row = recordedOf(post, reading);
      recorded.set(post.id, row);
      const kept = row.demand === 1 ? row.facts.length : 0;
      spans += kept;
      lost += (reading?.facts.length ?? 0) - kept;
    }
  }
  const lines = [...recorded.values()].sort((a, b) => a.id < b.id ? -1 : 1)
    .map((row) => JSON.stringify(row));
  Deno.writeTextFileSync(file, lines.join("\n") + "\n");
  console.error(`${file}: ${lines.length} posts, ${spans} facts; ${lost} facts stood nowhere`);
}

await runTask(main);
