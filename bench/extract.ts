/**
 * How fast posts are read: the demonstration corpus through `extract`, on one thread, against the floor of
 * classification alone. In an import about 27 posts of 100 are read: that mix is the last figure. Counts processor
 * time, so that other work on the machine does not show.
 */
import { possibleDemand } from "../mining/classify/mod.ts";
import { extract } from "../mining/extract/mod.ts";
import { demoPosts } from "../mining/demo/mod.ts";
import { readLabelledPosts } from "../tasks/train/data.ts";
import { cpuSeconds } from "./support/measure.ts";

/** Posts of a file named on the command line, in place of the demonstration's. */
const [path] = Deno.args;
const posts = path === undefined
  ? demoPosts(new Date("2024-01-01T00:00:00Z"))
  : readLabelledPosts(path).slice(0, 3000);
const passed = posts.flatMap((post) => {
  const demand = possibleDemand(post);
  return demand === null ? [] : [{ post, demand }];
});

let kept = 0;
const floor = cpuSeconds(
  () => posts.forEach((post) => kept += possibleDemand(post) === null ? 0 : 1),
  6,
);
const reading = cpuSeconds(
  () => passed.forEach(({ post, demand }) => kept += extract(post, demand)?.facts.length ?? 0),
  6,
);
/** The share of an archive's posts that are read. */
const READ = 0.27;
const perPost = floor / posts.length;
const perRead = reading / passed.length;
const mixed = perPost + READ * perRead;
console.log(`posts ${posts.length}, of demand ${passed.length} (${kept > 0 ? "read" : "none"})`);
console.log(`floor, classified a second: ${Math.round(1 / perPost)}`);
console.log(`demand posts read a second: ${Math.round(1 / perRead)}`);
console.log(`posts a second with 27 of 100 read: ${Math.round(1 / mixed)}`);
console.log(`cost against classification alone: ${(mixed / perPost).toFixed(1)}x`);
