/** Stored posts and a language model beside them that answers as told. */
import { silentLog } from "../../../core/log.ts";
import type { Database } from "../../../db/sql.ts";
import { loadCatalogue } from "../../../mining/cards/catalogue.ts";
import type { Catalogue } from "../../../mining/cards/types.ts";
import { builtInRegistry } from "../../../mining/communities/registry.ts";
import type { Extraction } from "../../../mining/extract/types.ts";
import { ingest } from "../../../mining/job/ingest.ts";
import { mineAlone } from "../../../mining/job/miner.ts";
import type { MinerDeps } from "../../../mining/session.ts";
import {
  freshModelReport,
  type ModelReport,
  startModelWork,
  withModel,
} from "../../../mining/job/language_model.ts";
import type { JudgeContext } from "../../../mining/judge.ts";
import type { Post } from "../../../mining/types.ts";
import { createModel, type ModelSettings } from "../../../model/mod.ts";
import {
  type AskedPost,
  type Behaviour,
  type ModelDouble,
  startModel,
} from "../../doubles/model.ts";

export const NOW = new Date(Date.UTC(2026, 10, 20, 12));
const KIND = "desk fan";

/** What a post of `fans` says of itself, and what a good reader finds in it. */
const WISHES = ["quiet", "rechargeable", "easy to clean"] as const;

/** `count` posts that ask for a desk fan: all want a quiet one, and others what else is wished for by turns. */
export function fans(count: number): Post[] {
  return Array.from({ length: count }, (_, n): Post => ({
    id: `p${n}`,
    community: "BuyItForLife",
    title: `Can anyone recommend a good desk fan? Case ${n}.`,
    body: `I am looking for a quiet desk fan under $${40 + 10 * (n % 3)} for my bedroom.\n` +
      `My Honeywell is far too loud and I can not sleep. It should be ${WISHES[n % 3]}, ask ${n}.`,
    author: `author${n}`,
    createdAt: new Date(NOW.getTime() - (count - n) * 3_600_000),
    upvotes: n,
    comments: 1,
    permalink: `https://www.example.com/r/BuyItForLife/comments/p${n}/fan/`,
  }));
}

export const caseOf = ({ title }: Pick<AskedPost, "title">): number =>
  Number(/Case (\d+)/.exec(title)?.[1]);

/** What a careful model says of a post of `fans`. */
export function carefully(post: Pick<AskedPost, "title" | "body">) {
  const n = caseOf(post);
  const fact = (type: string, span: string, value: string) => ({ type, span, value });
  return {
    demand: 1,
    pattern: "recommendation_request",
    intensity: 2,
    wtp: 2,
    product: "desk fan",
    head: "fan",
    product_span: "desk fan",
    facts: [
      fact("attribute", "quiet desk fan", "quiet"),
      fact("price", `under $${40 + 10 * (n % 3)}`, `<=${40 + 10 * (n % 3)} usd`),
      fact("use", "for my bedroom", "bedroom"),
      fact("owned", "Honeywell", "honeywell"),
      fact("problem", "far too loud", "too loud"),
      ...(n % 3 === 0 ? [] : [fact("attribute", WISHES[n % 3] ?? "", WISHES[n % 3] ?? "")]),
    ],
  };
}

/** The built-in reading of these tests: the product, and that it is for a bedroom. */
function builtIn({ title, body }: Pick<Post, "title" | "body">): Extraction {
  const text = `${title}\n${body}`;
  const start = text.indexOf("for my bedroom");
  const at = text.indexOf(KIND);
  return {
    certainty: 0.8,
    product: KIND,
    kind: KIND,
    kindCertainty: 0.8,
    productSpan: { start: at, end: at + KIND.length },
    facts: start < 0 ? [] : [{
      type: "use",
      start,
      end: start + 14,
      span: "for my bedroom",
      value: "bedroom",
      certainty: 0.8,
    }],
  };
}

export interface Read extends AsyncDisposable {
  readonly model: ModelDouble;
  /** What the model's work in the background is given. */
  readonly background: Parameters<typeof startModelWork>[0];
  /** A run with the model, and what it came to. */
  run(signal?: AbortSignal): Promise<ModelReport & { readonly usd: number }>;
  catalogue(): Promise<Catalogue>;
  /** Kind, versions and values of what is stored, by the number of the case. */
  signals(): Promise<ReadonlyMap<number, StoredReading>>;
}

export interface StoredReading {
  readonly kind: string;
  readonly versions: string;
  readonly asked: boolean;
  readonly values: readonly string[];
}

/** Stores the posts as they are read without a model; nothing is asked yet. */
export async function readBy(
  database: Database,
  behaviour: Behaviour,
  { posts = fans(24), settings = {} }: {
    readonly posts?: readonly Post[];
    readonly settings?: Partial<ModelSettings>;
  } = {},
): Promise<Read> {
  const double = startModel(behaviour);
  const clock = { now: () => NOW };
  const model = createModel({
    sql: database.sql,
    settings: {
      apiKey: "sk-test",
      baseUrl: double.baseUrl,
      name: "double",
      timeoutMs: 2_000,
      dailyBudgetUsd: null,
      priceInUsdPerM: 1,
      priceOutUsdPerM: 10,
      ...settings,
    },
    clock,
    log: silentLog,
    fetch,
    random: (bytes) => "5e".repeat(bytes),
  });
  const deps: MinerDeps = {
    database,
    clock,
    log: silentLog,
    sleep: () => Promise.resolve(),
    minAuthors: 5,
  };
  const registry = builtInRegistry();
  const context: JudgeContext = {
    registry,
    origin: "archive",
    checkedAt: null,
    extractor: builtIn,
  };
  await mineAlone(
    deps,
    { kind: "import", patienceMs: 0, stats: () => ({}) },
    async (session) => {
      await session.makeReal("wall");
      await ingest(database, posts, {
        context,
        authorHashKey: "00".repeat(32),
        day: "2026-11-20",
        within: session.assertLease,
      });
      await session.finish();
      return true;
    },
  );
  return {
    model: double,
    background: { ...deps, model, context },
    run: async (signal = new AbortController().signal) => {
      const report = freshModelReport();
      let usd = 0;
      await mineAlone(
        deps,
        { kind: "mine", patienceMs: 0, stats: () => ({ ...report }) },
        (session) =>
          withModel(
            { ...deps, model, session, context, signal, onCost: (cost) => usd += cost },
            report,
            session.finish,
          ),
      );
      return { ...report, usd };
    },
    catalogue: () => loadCatalogue(database.sql, registry, NOW, NOW),
    signals: async () => {
      const rows = await database.sql<(Omit<StoredReading, "values"> & {
        readonly title: string;
        readonly facts: readonly { readonly v: string }[];
      })[]>`
        select p.title, s.kind, s.versions, s.reviewed_at is not null as asked, s.facts
        from signals s join posts p on p.id = s.post_id`;
      return new Map(
        rows.map(({ title, facts, ...rest }) => [
          caseOf({ title }),
          { ...rest, values: facts.map(({ v }) => v) },
        ]),
      );
    },
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
}
