import { assert, assertEquals } from "@std/assert";
import { duration, showProgress } from "../../commands/reporting.ts";

const at = (fraction: number, count: number) => ({
  fraction,
  count,
  signals: Math.floor(count / 10),
});

function stage(isTerminal: boolean, columns = 100, unit: "posts" | "rows" = "posts") {
  const written: string[] = [];
  let time = 1_700_000_000_000;
  const context = {
    print: (text: string) => void written.push(text),
    isTerminal,
    clock: { now: () => new Date(time) },
  };
  const progress = showProgress(context, unit, () => columns);
  return { written, progress, wait: (ms: number) => (time += ms) };
}

Deno.test("on a terminal one line is redrawn with share, posts, rate, signals and time left", () => {
  const { written, progress, wait } = stage(true);
  progress.update(at(0, 0));
  wait(2_000);
  progress.update({ ...at(0.25, 5_000), bad: 2, skipped: 1_234 });
  progress.finish();
  assertEquals(written, [
    "\r\x1b[2K0%  0 posts  0 signals",
    "\r\x1b[2K25%  5,000 posts  2,500/s  500 signals  6 s left  1,234 left out  2 bad lines",
    "\n",
  ]);
});

Deno.test("a job that reads no posts names what it goes through and nothing else", () => {
  const { written, progress, wait } = stage(false, 80, "rows");
  progress.update({ fraction: 0, count: 0 });
  wait(6_000);
  progress.update({ fraction: 0.5, count: 30_000 });
  progress.finish();
  assertEquals(written, ["50%  30,000 rows  5,000/s  6 s left\n"]);
});

Deno.test("a terminal is redrawn at most ten times a second, and the last state is shown", () => {
  const { written, progress, wait } = stage(true);
  for (let i = 0; i <= 1_000; i++) {
    progress.update(at(i / 1_000, i));
    wait(1);
  }
  const redraws = written.filter((text) => text.startsWith("\r")).length;
  assert(redraws >= 10 && redraws <= 11, `${redraws} redraws in a second`);
  progress.update(at(1, 4_321));
  progress.finish();
  assert(written.some((text) => text.includes("4,321 posts")));
});

Deno.test("elsewhere a plain line comes every five seconds, without control sequences", () => {
  const { written, progress, wait } = stage(false, 10);
  for (let second = 0; second <= 12; second++) {
    progress.update(at(second / 20, second * 1_000));
    wait(1_000);
  }
  progress.finish();
  assertEquals(written, [
    "25%  5,000 posts  1,000/s  500 signals  15 s left\n",
    "50%  10,000 posts  1,000/s  1,000 signals  10 s left\n",
    "60%  12,000 posts  1,000/s  1,200 signals  8 s left\n",
  ]);
});

Deno.test("a resumed job does not count what was done before", () => {
  const { written, progress, wait } = stage(false);
  progress.update(at(0.5, 40_000));
  wait(10_000);
  progress.update(at(0.6, 41_000));
  assertEquals(written, ["60%  41,000 posts  100/s  4,100 signals  40 s left\n"]);
});

Deno.test("a narrow terminal gets a line that fits", () => {
  for (const columns of [1, 5, 40, 80]) {
    const { written, progress } = stage(true, columns);
    progress.update({ fraction: 0.5, count: 9_999_999, signals: 888_888, bad: 7, skipped: 7 });
    const line = (written.at(-1) ?? "").slice("\r\x1b[2K".length);
    assert(line.length < Math.max(columns, 2), `${columns}: ${line}`);
  }
});

Deno.test("finishing ends the line once, and nothing is drawn after it", () => {
  const { written, progress, wait } = stage(true);
  progress.update(at(0.5, 10));
  progress.finish();
  wait(60_000);
  progress.update(at(1, 20));
  progress.finish();
  assertEquals(written.slice(1), ["\n"]);
  const idle = stage(true);
  idle.progress.finish();
  assertEquals(idle.written, []);
});

Deno.test("times are said as people say them", () => {
  assertEquals([0, 59.4, 60, 185, 3_600, 7_842].map(duration), [
    "0 s",
    "59 s",
    "1 min 00 s",
    "3 min 05 s",
    "1 h 00 min",
    "2 h 10 min",
  ]);
});
