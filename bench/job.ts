/**
 * The mining job on Postgres, through the real client, with a site that answers from memory: a run over
 * 82 communities with 8,200 new posts, against its floor (reading the same pages and storing nothing);
 * then 200 further runs, to see that memory stays flat. Waits for the site's rate limit cost no time here.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openPostgres } from "../db/postgres/mod.ts";
import { migrate } from "../db/migrate.ts";
import { silentLog } from "../core/log.ts";
import { builtInRegistry } from "../mining/communities/registry.ts";
import { mine, type MineDeps } from "../mining/job/mine.ts";
import type { MineReport } from "../mining/job/report.ts";
import { createRedditSource } from "../mining/sources/reddit/source.ts";
import type { Post } from "../mining/types.ts";
import { recombined, seedPosts } from "./support/corpus.ts";
import { ownDatabase } from "./support/own_database.ts";

const RUNS = 200;
const POSTS_A_RUN = 2;
const PER_COMMUNITY = 100;

const own = await ownDatabase("job");
const registry = builtInRegistry();
const names = registry.communities.map(({ name }) => name);
const seeds = await seedPosts();
let now = Date.UTC(2026, 10, 20);
let made = 0;
/** The newest hundred posts of each community, newest first; all that the site lists. */
const listings = new Map<string, Post[]>();

function publish(count: number): void {
  for (const name of names) {
    const fresh = Array.from({ length: count }, (_, n): Post => ({
      ...recombined(seeds, ++made),
      community: name,
      createdAt: new Date(now - n * 60_000),
    }));
    listings.set(name, [...fresh, ...listings.get(name) ?? []].slice(0, PER_COMMUNITY));
  }
}

function child(post: Post): unknown {
  const data = {
    id: post.id,
    subreddit: post.community,
    title: post.title,
    selftext: post.body,
    author: post.author,
    created_utc: Math.floor(post.createdAt.getTime() / 1000),
    score: post.upvotes,
    num_comments: post.comments,
    permalink: `/r/${post.community}/comments/${post.id}/x/`,
  };
  return { kind: "t3", data };
}

function answer(address: string): unknown {
  const { pathname, searchParams } = new URL(address);
  if (pathname.endsWith("access_token")) return { access_token: "bench", expires_in: 86_400 };
  const ids = new Set((searchParams.get("id") ?? "").replaceAll("t3_", "").split(","));
  const posts = pathname === "/api/info"
    ? [...listings.values()].flat().filter(({ id }) => ids.has(id))
    : listings.get(pathname.split("/")[2] ?? "") ?? [];
  return { kind: "Listing", data: { after: null, children: posts.map(child) } };
}

/** Time the site took, the making of its answers included: what a network would be. */
let siteMs = 0;
const source = createRedditSource(
  {
    clientId: "bench",
    clientSecret: "bench",
    userAgent: "bench:org.example.demand:v0.1 (by /u/bench)",
    authUrl: "https://site.example",
    apiUrl: "https://api.example",
  },
  {
    fetch: (address) => {
      const began = performance.now();
      const response = new Response(JSON.stringify(answer(address)), {
        headers: { "content-type": "application/json" },
      });
      siteMs += performance.now() - began;
      return Promise.resolve(response);
    },
    clock: { now: () => new Date(now) },
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
    random: () => 0.5,
    log: silentLog,
  },
);

const database = await openPostgres({ url: own.url });
await migrate(database.sql);
const deps: MineDeps = {
  database,
  clock: { now: () => new Date(now) },
  log: silentLog,
  sleep: () => Promise.resolve(),
  source,
  registry,
  authorHashKey: "00".repeat(32),
  model: null,
};
const never = new AbortController().signal;

async function run(): Promise<MineReport> {
  const report = await mine(deps, { signal: never, patienceMs: 0, scheduled: false });
  if (report === null || report.outage !== null) throw new Error(`no run: ${report?.outage}`);
  return report;
}

publish(PER_COMMUNITY);
const floorBegan = performance.now();
for (const name of names) {
  for await (const _ of source.newPosts(name, null, never));
}
const floor = performance.now() - floorBegan - siteMs;
now += 30 * 60_000;
siteMs = 0;
const began = performance.now();
const first = await run();
const taken = performance.now() - began - siteMs;
console.log(
  `new posts:      ${first.posts}, ${first.signals} signals, ${first.cardsChanged} cards`,
);
console.log(`reading alone:  ${(floor / 1000).toFixed(2)} s beside the network`);
console.log(
  `the run:        ${(taken / 1000).toFixed(2)} s beside the network (wanted: 20 or less)`,
);
console.log(`ratio           ${(taken / floor).toFixed(1)} times the floor`);

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const heaps: number[] = [];
for (let n = 1; n <= RUNS; n++) {
  now += 30 * 60_000;
  publish(POSTS_A_RUN);
  await run();
  if (n % 40 === 0) {
    collect();
    heaps.push(Deno.memoryUsage().heapUsed / 1e6);
  }
}
const shown = heaps.map((heap) => heap.toFixed(1)).join(", ");
console.log(`heap:           ${shown} MB after collections, 40 runs apart (wanted: flat)`);
console.log(
  `resident:       ${(Deno.memoryUsage().rss / 1e6).toFixed(0)} MB after ${RUNS + 1} runs`,
);
await database.close();
await own.drop();
