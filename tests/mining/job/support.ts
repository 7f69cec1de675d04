/** A mining job against the double of the site, with time that jumps. */
import { silentLog } from "../../../core/log.ts";
import { authorHashKey } from "../../../db/corpus/corpus.ts";
import type { Database } from "../../../db/sql.ts";
import { loadCatalogue } from "../../../mining/cards/catalogue.ts";
import type { Catalogue } from "../../../mining/cards/types.ts";
import { parseRegistry, type Registry } from "../../../mining/communities/registry.ts";
import { mine, type MineDeps, type MineRunOptions } from "../../../mining/job/mine.ts";
import type { MineReport } from "../../../mining/job/report.ts";
import { shownSince } from "../../../mining/removal/policy.ts";
import { RedditDouble, type SitePost } from "../../doubles/reddit.ts";
import { clientOf } from "../../doubles/reddit_client.ts";
import { NEVER } from "../../support/time.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";
import { submission } from "../../support/archive.ts";

export const START = Date.UTC(2026, 10, 20, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const KEY = "00".repeat(32);
/** Few, so that a handful of posts is a card. */
export const MIN_AUTHORS = 3;

/** `count` posts of a community that all want the same, ids `prefix0` (oldest) upwards, a minute apart. */
export function wants(
  community: string,
  count: number,
  prefix: string,
  until = START,
): SitePost[] {
  return Array.from({ length: count }, (_, n) => ({
    ...submission(6 * n),
    id: `${prefix}${n.toString(36)}`,
    subreddit: community,
    permalink: `/r/${community}/comments/${prefix}${n.toString(36)}/looking/`,
    created_utc: Math.floor(until / 1000) - (count - n) * 60,
  }));
}

export interface Job extends AsyncDisposable {
  readonly double: RedditDouble;
  readonly time: JumpingTime;
  readonly deps: MineDeps;
  /** One run; undefined options are those of `demand mine --once`. */
  run(options?: Partial<MineRunOptions>): Promise<MineReport | null>;
  /** A run that must have been one. */
  mined(options?: Partial<MineRunOptions>): Promise<MineReport>;
  /** What a replica would serve now. */
  catalogue(): Promise<Catalogue>;
}

export interface JobOptions {
  readonly listingLimit?: number;
  readonly client?: Parameters<typeof clientOf>[2];
  readonly quota?: number;
}

/** A job over communities named `names`, each with the posts given. */
export async function startJob(
  database: Database,
  communities: Readonly<Record<string, readonly SitePost[]>>,
  options: JobOptions = {},
): Promise<Job> {
  const time = new JumpingTime(START);
  const double = await RedditDouble.start({
    posts: Object.values(communities).flat(),
    now: () => time.ms,
    ...(options.listingLimit === undefined ? {} : { listingLimit: options.listingLimit }),
    ...(options.quota === undefined ? {} : { quota: options.quota }),
  });
  const names = Object.keys(communities);
  for (const name of names) double.store.open(name);
  const registry: Registry = parseRegistry(
    names.map((name) => `community ${name} audio=1 tools=1`).join("\n"),
    "test",
  );
  const { source } = clientOf(double, time, options.client);
  const deps: MineDeps = {
    database,
    clock: time,
    log: silentLog,
    sleep: (ms) => time.sleep(ms),
    source,
    registry,
    hashKey: () => authorHashKey(database.sql, KEY),
    minAuthors: MIN_AUTHORS,
    model: null,
  };
  const run: Job["run"] = (over = {}) =>
    mine(deps, { signal: NEVER, patienceMs: 0, scheduled: false, ...over });
  return {
    double,
    time,
    deps,
    run,
    mined: async (over) => {
      const report = await run(over);
      if (report === null) throw new Error("there was no run");
      return report;
    },
    catalogue: () => {
      const now = time.now();
      return loadCatalogue(database.sql, registry, now, shownSince(now));
    },
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
}

/** Ids of all posts ever read, in order; of those stored with a signal; and the signals' number. */
export async function stored(database: Database): Promise<{ seen: string[]; posts: string[] }> {
  const seen = await database.sql<{ id: string }[]>`select id from seen_posts order by id`;
  const posts = await database.sql<{ id: string }[]>`
    select p.id from posts p join signals s on s.post_id = p.id order by p.id`;
  return { seen: seen.map(({ id }) => id), posts: posts.map(({ id }) => id) };
}

/** Every quote that a catalogue shows, with its permalink, the sample's included. */
export function shown(catalogue: Catalogue): string[] {
  const cards = [...catalogue.cards, ...(catalogue.sample === null ? [] : [catalogue.sample.card])];
  return cards.flatMap(({ evidence }) => evidence.map(({ permalink }) => permalink));
}

/** Whether a quote of this post is shown. */
export async function shows(job: Job, id: string): Promise<boolean> {
  const permalinks = shown(await job.catalogue());
  return permalinks.some((permalink) => permalink.includes(`/comments/${id}/`));
}
