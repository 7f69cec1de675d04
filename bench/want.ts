/**
 * How fast wants are named: posts of the demonstration corpus through `readWant`, on one thread, against
 * the floor of splitting the same posts into words with one regular expression. Counts processor time, so that
 * other work on the machine does not show. Also: the cost per post after many other posts were read.
 */
import { demoPosts } from "../mining/demo/mod.ts";
import type { Demand } from "../mining/types.ts";
import { readWant, wantKey } from "../mining/want/mod.ts";
import { cpuSeconds } from "./measure_support.ts";

const posts = demoPosts(new Date("2024-01-01T00:00:00Z"));
const demands = posts.map((post): Demand => ({
  pattern: "recommendation_request",
  also: null,
  intensity: 1,
  wtp: 0,
  confidence: 0.9,
  quote: post.title,
}));

const keys = new Set<string>();
function nameAll(): void {
  posts.forEach((post, i) => {
    const demand = demands[i];
    if (demand === undefined) return;
    const want = readWant(post, demand, {})?.want;
    if (want !== undefined) keys.add(wantKey(want, demand));
  });
}

let words = 0;
function splitAll(): void {
  for (const { title, body } of posts) {
    words += `${title}\n${body}`.toLowerCase().match(/[a-z0-9']+/g)?.length ?? 0;
  }
}

nameAll();
splitAll();
const early = cpuSeconds(nameAll, 10);
const floor = cpuSeconds(splitAll, 20);
cpuSeconds(nameAll, 60);
const late = cpuSeconds(nameAll, 10);
console.log(`posts ${posts.length}, words ${Math.round(words / 21)}, clusters ${keys.size}`);
console.log(`wants named per second: ${Math.round(posts.length / early)}`);
console.log(`cost against one regular expression: ${(early / floor).toFixed(1)}x`);
console.log(`cost per post after ${72 * posts.length} posts: ${(late / early).toFixed(2)}x`);
