/** A mining job with a language model beside it that answers as told. */
import { silentLog } from "../../core/log.ts";
import type { Database } from "../../db/sql.ts";
import { createModel, type ModelSettings } from "../../model/mod.ts";
import { mine } from "../../mining/job/mine.ts";
import type { MineReport } from "../../mining/job/report.ts";
import type { Pattern } from "../../mining/types.ts";
import { type Behaviour, type ModelCall, type ModelDouble, startModel } from "../doubles/model.ts";
import { never } from "../doubles/reddit_client.ts";
import { type Job, START, startJob, wants } from "./job_support.ts";

export const COUNT = 24;

export interface AskedPost {
  readonly number: number;
  readonly title: string;
  readonly body: string;
}

export interface AskedCard {
  readonly number: number;
  readonly want: string;
  readonly quotes: readonly string[];
}

/** The data lines of a prompt; those of a question about cards have quotes. */
export function asked<T>({ prompt }: Pick<ModelCall, "prompt">): readonly T[] {
  return prompt.split("\n").filter((line) => line.startsWith('{"number"'))
    .map((line) => JSON.parse(line) as T);
}

export const isAboutCards = ({ system }: ModelCall): boolean => system.includes("words of cards");

/** Answers both questions: posts by `judge`, cards by `write`. */
export function answering(
  judge: (post: AskedPost) => Pattern | "none",
  write: (card: AskedCard) => Readonly<Record<string, unknown>>,
): Behaviour {
  return (call) => ({
    content: JSON.stringify(
      isAboutCards(call)
        ? { cards: asked<AskedCard>(call).map((card) => ({ number: card.number, ...write(card) })) }
        : {
          posts: asked<AskedPost>(call).map((post) => ({
            number: post.number,
            pattern: judge(post),
            intensity: 2,
            wtp: 1,
          })),
        },
    ),
  });
}

/** Words that draw on nothing but the card. */
export const plainWords = ({ want }: AskedCard) => ({
  title: want,
  summary: "They want it to last in daily use.",
  productAngle: "Make it last in daily use.",
});

export interface Refined extends AsyncDisposable {
  /** Its own runs are without the model. */
  readonly job: Job;
  readonly model: ModelDouble;
  /** A run with the model. */
  mined(signal?: AbortSignal): Promise<MineReport>;
}

/** A job over one community of posts, mined once without a model, all its signals then made unsure. */
export async function refinedJob(
  database: Database,
  behaviour: Behaviour,
  settings: Partial<ModelSettings> = {},
): Promise<Refined> {
  const double = startModel(behaviour);
  const model = createModel({
    sql: database.sql,
    settings: {
      apiKey: "sk-test",
      baseUrl: double.baseUrl,
      name: "double",
      timeoutMs: 5_000,
      dailyBudgetUsd: null,
      priceInUsdPerM: 1,
      priceOutUsdPerM: 10,
      ...settings,
    },
    clock: { now: () => new Date(START) },
    log: silentLog,
    fetch,
    random: (bytes) => "5e".repeat(bytes),
  });
  const plain = await startJob(database, { Alpha: wants("Alpha", COUNT, "a") });
  await plain.mined();
  await database.sql`update signals set confidence = 0.3`;
  return {
    job: plain,
    model: double,
    mined: async (signal = never) => {
      const deps = { ...plain.deps, model };
      const report = await mine(deps, { signal, patienceMs: 0, scheduled: false });
      if (report === null) throw new Error("there was no run");
      return report;
    },
    [Symbol.asyncDispose]: async () => {
      await plain[Symbol.asyncDispose]();
      await double[Symbol.asyncDispose]();
    },
  };
}
