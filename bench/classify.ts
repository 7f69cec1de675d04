/**
 * How fast posts are judged: the demonstration corpus through `classify`, on one thread, against the floor of
 * splitting the same posts into words with one regular expression. Counts processor time, so that other work on
 * the machine does not show. Also: what an overlong post costs against an ordinary one.
 */
import { classify } from "../mining/classify/mod.ts";
import { read } from "../mining/classify/reading.ts";
import { demoPosts } from "../mining/demo/mod.ts";
import { cpuSeconds } from "./support/measure.ts";

const posts = demoPosts(new Date("2024-01-01T00:00:00Z"));
const characters = posts.reduce((sum, { title, body }) => sum + title.length + body.length, 0);

let kept = 0;
const judge = cpuSeconds(
  () => posts.forEach((post) => kept += classify(post) === null ? 0 : 1),
  12,
);
const reading = cpuSeconds(() => posts.forEach((post) => kept += read(post).words.length), 12);
const floor = cpuSeconds(
  () =>
    posts.forEach(({ title, body }) =>
      kept += `${title}\n${body}`.toLowerCase().match(/[a-z0-9']+/g)?.length ?? 0
    ),
  24,
);
const long = {
  title: "Long",
  body: "Looking for a kettle that lasts, mine broke again. ".repeat(20000),
  community: "",
};
const one = cpuSeconds(() => void classify(long), 20);

console.log(
  `posts ${posts.length}, ${Math.round(characters / posts.length)} characters each (${
    kept > 0 ? "judged" : "none"
  })`,
);
console.log(`posts judged per second: ${Math.round(posts.length / judge)}`);
console.log(`of that, reading: ${(100 * reading / judge).toFixed(0)} %`);
console.log(`cost against one regular expression: ${(judge / floor).toFixed(1)}x`);
console.log(
  `a post of a million characters against a mean one: ${(one * posts.length / judge).toFixed(1)}x`,
);
